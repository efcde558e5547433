// `doctor` as text and as JSON: the verdict, the causes with evidence and remedy, the table package x GPU, the versions told apart.
#include "report/json_model.hpp"
#include "report/report.hpp"
#include "report/table.hpp"
#include "survey/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cag {
namespace {

using Json = nlohmann::ordered_json;

const Mark& mark_of(Level level) { return level == Level::error ? marks::fails : level == Level::warning ? marks::unknown : marks::note; }

const Mark& mark_of(CellKind kind) {
    switch (kind) {
    case CellKind::runs:
    case CellKind::part:
        return marks::sass;
    case CellKind::jit:
        return marks::ptx;
    case CellKind::few:
    case CellKind::fails:
        return marks::fails;
    case CellKind::unknown:
        break;
    }
    return marks::unknown;
}

std::string cause_text(const PossibleCause& cause, const Style& style, bool title) {
    std::string text;
    if (title) {
        text += wrapped(style, mark_of(cause.level).painted(style) + " ", printable(cause.title) + " [" + cause.code + "]");
    }
    for (const std::string& evidence : cause.evidence) {
        text += wrapped(style, &evidence == &cause.evidence.front() ? "  seen: " : "        ", printable(evidence));
    }
    const char* lead = "  do:   ";
    for (const std::string& fix : cause.fixes) {
        if (!fix.empty()) {
            text += wrapped(style, lead, printable(fix));
            lead = "  or:   ";
        }
    }
    return text;
}

std::string cell_text(const GpuAnswer& cell, const Style& style) {
    const std::string share = fmt::format(" {}/{}", cell.served, cell.total);
    const std::string word = cell.kind == CellKind::jit                                  ? "JIT"
                             : cell.kind == CellKind::part || cell.kind == CellKind::few ? to_string(cell.kind) + share
                             : cell.kind == CellKind::fails && cell.error                ? fmt::format("fails ({})", cell.error->code)
                                                                                         : to_string(cell.kind);
    return mark_of(cell.kind).painted(style) + " " + word;
}

std::string which_runs_where(const Examination& examination, const Style& style) {
    std::vector<TableRow> rows{{"", "CUDA"}};
    for (const JudgedGpu& gpu : examination.gpus) {
        rows.front().push_back(gpu.label);
    }
    std::string environment = "?";
    std::string text;
    const auto end_table = [&] {
        if (rows.size() > 1) {
            text +=
                (environment.empty() ? "Programs" : "Python packages in " + printable(environment)) + '\n' + table_text(style, rows) + '\n';
        }
        rows.resize(1);
    };
    for (const InstalledCode& code : examination.subjects) {
        if (code.environment != environment) {
            end_table();
            environment = code.environment;
        }
        const auto loads_nothing = [](const GpuAnswer& cell) { return cell.total == 0; };
        if (code.files == 0 || std::all_of(code.cells.begin(), code.cells.end(), loads_nothing)) {
            continue;
        }
        TableRow row{printable(code.name + (code.version.empty() ? "" : " " + code.version)), code.cuda.empty() ? "-" : code.cuda};
        for (const GpuAnswer& cell : code.cells) {
            row.push_back(cell_text(cell, style));
        }
        rows.push_back(std::move(row));
    }
    end_table();
    return text;
}

Json cause_json(const PossibleCause& cause) {
    return {{"code", cause.code},
            {"level", to_string(cause.level)},
            {"title", cause.title},
            {"evidence", cause.evidence},
            {"fixes", cause.fixes}};
}

Json arch_list(const std::vector<Arch>& archs) {
    Json list = Json::array();
    for (const Arch arch : archs) {
        list.push_back(to_string(arch));
    }
    return list;
}

Json cell_json(const GpuAnswer& cell, const JudgedGpu& gpu) {
    return {{"gpu", gpu.label},
            {"capability", to_string(gpu.gpu.capability)},
            {"driver", gpu.driver.name},
            {"answer", to_string(cell.kind)},
            {"modules", cell.total},
            {"served", cell.served},
            {"jit", cell.jit},
            {"error", cell.error ? Json{{"code", cell.error->code}, {"name", cell.error->name}} : Json(nullptr)},
            {"reason", cell.reason.empty() ? Json(nullptr) : Json(cell.reason)}};
}

Json subject_json(const InstalledCode& code, const Examination& examination) {
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
    Json json{{"name", code.name},
              {"version", text(code.version)},
              {"environment", text(code.environment)},
              {"cuda", text(code.cuda)},
              {"claims", text(code.claims)},
              {"files", code.files},
              {"sass", arch_list(code.sass)},
              {"ptx", arch_list(code.ptx)},
              {"gpus", Json::array()}};
    for (std::size_t i = 0; i < code.cells.size(); ++i) {
        json["gpus"].push_back(cell_json(code.cells[i], examination.gpus[i]));
    }
    return json;
}

Json inventory_json(const Inventory& inventory) {
    const auto version = [](const std::optional<CudaVersion>& value) { return value ? Json(to_string(*value)) : Json(nullptr); };
    Json json{{"toolkits", Json::array()},
              {"compilers", Json::array()},
              {"cuda_files", Json::array()},
              {"pythons", Json::array()},
              {"caches", Json::array()}};
    for (const Toolkit& toolkit : inventory.toolkits) {
        json["toolkits"].push_back(
            {{"folder", toolkit.folder}, {"nvcc", toolkit.nvcc}, {"found_by", toolkit.found_by}, {"version", toolkit.full_version}});
    }
    for (const HostCompiler& compiler : inventory.compilers) {
        json["compilers"].push_back({{"path", compiler.path}, {"name", compiler.name}, {"major", compiler.major}});
    }
    for (const CudaFile& file : inventory.files) {
        json["cuda_files"].push_back({{"kind", file.kind},
                                      {"path", file.path},
                                      {"version", version(file.version)},
                                      {"owner", file.owner.empty() ? Json(nullptr) : Json(file.owner)}});
    }
    for (const PythonEnvironment& python : inventory.pythons) {
        Json packages = Json::object();
        for (const PythonPackage& package : python.packages) {
            packages[package.name] = package.version;
        }
        json["pythons"].push_back({{"prefix", python.prefix}, {"found_by", python.found_by}, {"packages", std::move(packages)}});
    }
    for (const CacheFolder& cache : inventory.caches) {
        json["caches"].push_back({{"kind", cache.kind}, {"path", cache.path}, {"writable", cache.writable}, {"files", cache.files.size()}});
    }
    return json;
}

} // namespace

std::string doctor_text(const Examination& examination, const Diagnosis& diagnosis, const Style& style) {
    const bool error = !diagnosis.causes.empty() && diagnosis.causes.front().level == Level::error;
    const Mark& mark = error ? marks::fails : diagnosis.undecided ? marks::unknown : marks::holds;
    std::string text = mark.painted(style) + " " + paint(style, Ink::strong, printable(diagnosis.verdict)) + '\n';
    if (error) {
        text += cause_text(diagnosis.causes.front(), style, false);
    }
    for (const PossibleCause& cause : diagnosis.causes) {
        if (!error || &cause != &diagnosis.causes.front()) {
            text += '\n' + cause_text(cause, style, true);
        }
    }
    const std::string table = which_runs_where(examination, style);
    text += table.empty() ? "" : '\n' + table;
    if (!diagnosis.versions.empty()) {
        std::vector<TableRow> rows;
        for (const auto& [name, version] : diagnosis.versions) {
            rows.push_back({name, printable(version)});
        }
        text += (table.empty() ? "\n" : "") + std::string("Numbers that all say CUDA, and mean different things\n") +
                table_text(style, rows, false);
    }
    if (!examination.driver_known && !examination.gpus.empty()) {
        text += "\nThe driver is not known: for each GPU the newest that drives it is assumed.\n";
    }
    for (const Problem& problem : examination.unread) {
        text += wrapped(style, marks::unknown.painted(style) + " ", printable(problem.code + ": " + problem.message));
    }
    return text;
}

std::string doctor_json(const Examination& examination, const Diagnosis& diagnosis) {
    Json document = json_envelope("doctor");
    const bool error = !diagnosis.causes.empty() && diagnosis.causes.front().level == Level::error;
    document["status"] = error ? "problems" : diagnosis.undecided ? "undecided" : "healthy";
    document["verdict"] = diagnosis.verdict;
    document["causes"] = Json::array();
    for (const PossibleCause& cause : diagnosis.causes) {
        document["causes"].push_back(cause_json(cause));
    }
    document["packages"] = Json::array();
    for (const InstalledCode& code : examination.subjects) {
        document["packages"].push_back(subject_json(code, examination));
    }
    document["versions"] = Json::array();
    for (const auto& [name, version] : diagnosis.versions) {
        document["versions"].push_back({{"of", name}, {"version", version}});
    }
    document["driver_assumed"] = !examination.driver_known;
    document["problems"] = Json::array();
    for (const Problem& problem : examination.unread) {
        document["problems"].push_back(json_problem(problem));
    }
    document["inventory"] = inventory_json(examination.inventory);
    document["machine"] = to_json(examination.machine);
    return json_text(document);
}

} // namespace cag
