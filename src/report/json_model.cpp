#include "report/json_model.hpp"

#include "data/tables.hpp"
#include "policy/kernel_names.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace cag {
namespace {

using nlohmann::ordered_json;

// null and not an empty text where something is not known.
ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json(nullptr) : ordered_json(text); }

ordered_json json_kernel(const Kernel& kernel) {
    ordered_json json{{"name", kernel.name}, {"demangled", demangled(kernel.name)}, {"code_size", kernel.code_size}};
    if (kernel.registers) {
        json["registers"] = *kernel.registers;
    }
    if (kernel.body != KernelBody::unknown) {
        json["body"] = to_string(kernel.body);
    }
    return json;
}

ordered_json json_image(const Image& image, bool kernels) {
    ordered_json json{
        {"kind", to_string(image.kind)},
        {"arch", to_string(image.arch)},
        {"size", image.size},
        {"compression", to_string(image.compression)},
        {"debug", image.debug},
        {"ptx_isa", image.ptx_isa ? ordered_json(to_string(*image.ptx_isa)) : ordered_json(nullptr)},
        {"toolkit", text_or_null(image.toolkit)},
        // Only the payload of SASS tells; where it was not read, the answer is not "no".
        {"relocatable", image.payload_read || image.kind != ImageKind::sass ? ordered_json(image.relocatable) : ordered_json(nullptr)},
    };
    if (image.expanded_size != image.size) {
        json["expanded_size"] = image.expanded_size;
    }
    if (!image.label.empty()) {
        json["label"] = image.label;
    }
    if (image.payload_read && image.empty) {
        json["empty"] = true;
    }
    if (kernels) {
        json["kernels"] = ordered_json::array();
        for (const Kernel& kernel : image.kernels) {
            json["kernels"].push_back(json_kernel(kernel));
        }
    }
    return json;
}

ordered_json json_module(const Module& module, bool kernels) {
    ordered_json json{
        {"index", module.index}, {"kind", to_string(module.kind)}, {"section", text_or_null(module.section)}, {"offset", module.offset}};
    if (module.linked_by) {
        json["linked_by"] = *module.linked_by;
    }
    json["images"] = ordered_json::array();
    for (const Image& image : module.images) {
        json["images"].push_back(json_image(image, kernels));
    }
    return json;
}

} // namespace

ordered_json json_envelope(const std::string& command) {
    return {{"schema_version", 1}, {"tool", {{"name", "cuda-arch-guard"}, {"version", program_version()}}}, {"command", command}};
}

ordered_json json_problem(const Problem& problem) {
    return {{"code", problem.code},
            {"message", problem.message},
            {"offset", problem.offset ? ordered_json(*problem.offset) : ordered_json(nullptr)}};
}

ordered_json json_files(const Coverage& coverage, bool kernels, const ExtendModule& extend) {
    ordered_json files = ordered_json::array();
    for (std::size_t f = 0; f < coverage.files.size(); ++f) {
        const FileCoverage& file = coverage.files[f];
        ordered_json json{{"path", file.path},
                          {"member", file.member ? ordered_json(*file.member) : ordered_json(nullptr)},
                          {"format", file.format},
                          {"machine", text_or_null(file.machine)}};
        if (!file.origin.empty()) {
            json["origin"] = file.origin;
        }
        if (!file.cuda_runtime.empty()) {
            json["cuda_runtime"] = file.cuda_runtime;
        }
        json["problems"] = ordered_json::array();
        for (const Problem& problem : file.problems) {
            json["problems"].push_back(json_problem(problem));
        }
        json["modules"] = ordered_json::array();
        for (std::size_t m = 0; m < file.modules.size(); ++m) {
            ordered_json module = json_module(file.modules[m], kernels);
            if (extend) {
                extend(f, m, module);
            }
            json["modules"].push_back(std::move(module));
        }
        files.push_back(std::move(json));
    }
    return files;
}

std::string json_text(const ordered_json& document) { return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n'; }

std::string version_json() {
    const auto& toolkit = data::toolkits().back();
    const auto& driver = data::driver_branches().back();
    ordered_json document = json_envelope("version");
    document["tables"] = {{"newest_toolkit", to_string(toolkit.release)},
                          {"newest_driver", std::to_string(driver.branch)},
                          {"newest_cuda", to_string(driver.cuda)},
                          {"newest_ptx_isa", to_string(driver.max_ptx)},
                          {"newest_gpu", to_string(driver.newest_gpu)}};
    for (const data::TableDate& date : data::table_dates()) {
        document["tables"]["checked"][std::string{date.table}] = date.day;
    }
    return json_text(document);
}

const char* program_version() { return CAG_VERSION; }

std::string failure_json(const std::string& command, const Problem& problem) {
    ordered_json document = json_envelope(command);
    document["error"] = json_problem(problem);
    return json_text(document);
}

} // namespace cag
