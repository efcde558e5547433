// Runs during the build: turns the JSON tables into arrays of C++. generate_tables <folder of the tables> <output.cpp>
//
// A row that is not as it should be stops the build and is named.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

std::string quoted(const Json& text) { return text.is_null() ? "\"\"" : Json(text.get<std::string>()).dump(-1, ' ', true); }

// "13.0" -> {13, 0}
std::string version(const Json& text) {
    const auto value = text.get<std::string>();
    const auto dot = value.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == value.size() || value.find_first_not_of("0123456789.") != std::string::npos ||
        value.find('.', dot + 1) != std::string::npos) {
        throw std::runtime_error("not a version: \"" + value + "\"");
    }
    return "{" + value.substr(0, dot) + ", " + value.substr(dot + 1) + "}";
}

// "100f" -> {10, 0, Variant::family_specific}
std::string arch(const Json& text) {
    auto value = text.get<std::string>();
    std::string variant = "plain";
    if (!value.empty() && (value.back() == 'a' || value.back() == 'f')) {
        variant = value.back() == 'a' ? "arch_specific" : "family_specific";
        value.pop_back();
    }
    if (value.size() < 2 || value.find_first_not_of("0123456789") != std::string::npos) {
        throw std::runtime_error("not an architecture: \"" + text.get<std::string>() + "\"");
    }
    return "{" + value.substr(0, value.size() - 1) + ", " + value.back() + ", Variant::" + variant + "}";
}

class Tables {
  public:
    Tables(std::string folder, std::ostream& out) : folder_(std::move(folder)), out_(out) {}

    // One array: `row` writes a row's initialiser.
    void write(const std::string& file, const std::string& type, const std::string& name,
               const std::function<std::string(const Json&)>& row) {
        std::ifstream in(folder_ + "/" + file);
        if (!in) {
            throw std::runtime_error("cannot read " + folder_ + "/" + file);
        }
        const Json document = Json::parse(in);
        std::vector<std::string> rows;
        for (const Json& item : document.at("rows")) {
            try {
                rows.push_back(row(item));
            } catch (const std::exception& problem) {
                throw std::runtime_error(file + ": " + problem.what() + " in the row " + item.dump());
            }
        }
        if (document.contains("checked")) {
            dates_ += "    {" + quoted(Json(name)) + ", " + quoted(document.at("checked")) + "},\n";
        }
        out_ << "constexpr " << type << " " << name << "_rows[] = {\n";
        for (const std::string& text : rows) {
            out_ << "    " << text << ",\n";
        }
        out_ << "};\n";
        accessors_ << "std::span<const " << type << "> " << name << "() { return " << name << "_rows; }\n";
    }

    // A list inside a row: an array of its own, written before the table.
    std::string list(const Json& items, const std::string& type, std::string (*item)(const Json&)) {
        if (items.empty()) {
            return "{}";
        }
        std::string name = "list_" + std::to_string(lists_++);
        out_ << "constexpr " << type << " " << name << "[] = {";
        for (const Json& value : items) {
            out_ << item(value) << ", ";
        }
        out_ << "};\n";
        return name;
    }

    void write_dates() {
        out_ << "constexpr TableDate table_dates_rows[] = {\n" << dates_ << "};\n";
        accessors_ << "std::span<const TableDate> table_dates() { return table_dates_rows; }\n";
    }
    void write_accessors() { out_ << "} // namespace\n\n" << accessors_.str(); }

  private:
    std::string folder_;
    std::ostream& out_;
    std::ostringstream accessors_;
    std::string dates_;
    std::size_t lists_ = 0;
};

std::string optional_branch(const Json& text) {
    return text.is_null() ? "std::nullopt" : std::to_string(std::stoul(text.get<std::string>())) + "U";
}

std::string optional_capability(const Json& text) { return text.is_null() ? "std::nullopt" : "ComputeCapability" + version(text); }

// 0 where nothing is known.
std::string number(const Json& value) { return value.is_null() ? "0" : std::to_string(value.get<unsigned>()); }

const char* yes_no(const Json& value) { return value.get<bool>() ? "true" : "false"; }

std::string join(const std::vector<std::string>& parts) {
    std::string text = "{";
    for (const std::string& part : parts) {
        text += text.size() > 1 ? ", " + part : part;
    }
    return text + "}";
}

void generate(const std::string& folder, std::ostream& out) {
    out << "// Generated from src/data/*.json by generate_tables.cpp.\n#include \"data/containers.hpp\"\n#include \"data/tables.hpp\"\n\n"
           "namespace cag::data {\nnamespace {\n";
    Tables tables(folder, out);
    tables.write("toolkits.json", "Toolkit", "toolkits", [&](const Json& row) {
        return join({version(row.at("release")), version(row.at("ptx_isa")), arch(row.at("default_arch")),
                     tables.list(row.at("real"), "Arch", arch), tables.list(row.at("virtual"), "Arch", arch), quoted(row.at("driver")),
                     optional_branch(row.at("driver_minimum")), yes_no(row.at("compress_mode")), yes_no(row.at("concat")),
                     number(row.at("gcc_max")), number(row.at("clang_max"))});
    });
    tables.write("drivers.json", "DriverBranch", "driver_branches", [&](const Json& row) {
        return join({std::to_string(row.at("branch").get<unsigned>()), version(row.at("cuda")), version(row.at("max_ptx_isa")),
                     version(row.at("oldest_gpu")), version(row.at("newest_gpu")),
                     tables.list(row.at("not_yet"), "ComputeCapability", version)});
    });
    tables.write("ptx_isa.json", "PtxVersion", "ptx_versions", [&](const Json& row) {
        return join({version(row.at("ptx_isa")), version(row.at("cuda")), std::to_string(row.at("driver_branch").get<unsigned>())});
    });
    tables.write("families.json", "Family", "families", [&](const Json& row) {
        return join({arch(row.at("target")), tables.list(row.at("serves"), "ComputeCapability", version)});
    });
    tables.write("generations.json", "Generation", "generations", [&](const Json& row) {
        return join({quoted(row.at("name")), tables.list(row.at("capabilities"), "ComputeCapability", version)});
    });
    tables.write("chips.json", "Chip", "chips", [&](const Json& row) {
        return join({quoted(row.at("chip")), optional_capability(row.at("capability")), quoted(row.at("architecture")),
                     quoted(row.at("platform"))});
    });
    tables.write("gpus.json", "Product", "products", [&](const Json& row) {
        return join({quoted(row.at("name")), version(row.at("capability")), quoted(row.at("architecture")), quoted(row.at("platform")),
                     tables.list(row.at("also"), "ComputeCapability", version)});
    });
    tables.write("pci_devices.json", "PciDevice", "pci_devices", [&](const Json& row) {
        return join(
            {"0x" + row.at("device").get<std::string>(), version(row.at("capability")), quoted(row.at("chip")), quoted(row.at("name"))});
    });
    tables.write("frameworks.json", "FrameworkBuild", "framework_builds", [&](const Json& row) {
        return join({quoted(row.at("framework")), quoted(row.at("version")), quoted(row.at("cuda")),
                     tables.list(row.at("sass"), "Arch", arch), tables.list(row.at("ptx"), "Arch", arch), quoted(row.at("source"))});
    });
    tables.write("containers.json", "ContainerImage", "container_images", [&](const Json& row) {
        return join({quoted(row.at("image")), quoted(row.at("tag")), version(row.at("cuda")), optional_capability(row.at("oldest_gpu")),
                     optional_capability(row.at("newest_gpu")), quoted(row.at("platform")), quoted(row.at("source"))});
    });
    tables.write("log_patterns.json", "LogPattern", "log_patterns", [&](const Json& row) {
        return join({quoted(row.at("id")), quoted(row.at("match")), quoted(row.value("context", Json())), quoted(row.at("code")),
                     quoted(row.at("cause")), tables.list(row.at("fixes"), "std::string_view", quoted),
                     row.value("asynchronous", false) ? "true" : "false"});
    });
    tables.write("rules.json", "Rule", "rules", [&](const Json& row) {
        std::vector<std::string> texts;
        for (const char* key : {"code", "level", "title", "what", "why", "how", "fix"}) {
            texts.push_back(quoted(row.at(key)));
        }
        std::string example;
        for (const Json& line : row.at("example")) {
            example += line.get<std::string>() + "\n";
        }
        texts.push_back(quoted(Json(example)));
        return join(texts);
    });
    tables.write("retired_rules.json", "RetiredRule", "retired_rules", [&](const Json& row) {
        return join({quoted(row.at("code")), quoted(row.at("now"))});
    });
    tables.write("tegra.json", "TegraChip", "tegra_chips", [&](const Json& row) {
        return join({quoted(row.at("compatible")), quoted(row.at("name")), version(row.at("capability"))});
    });
    tables.write("cuda_errors.json", "ErrorName", "error_names", [&](const Json& row) {
        return join({std::to_string(row.at("code").get<int>()), quoted(row.at("name"))});
    });
    tables.write_dates();
    tables.write_accessors();
    out << "\n} // namespace cag::data\n";
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: generate_tables <folder of the tables> <output.cpp>\n";
        return 2;
    }
    try {
        std::ostringstream text;
        generate(argv[1], text);
        std::ofstream out(argv[2]);
        out << text.str();
        return out.flush() ? 0 : 1;
    } catch (const std::exception& problem) {
        std::cerr << "generate_tables: " << problem.what() << "\n";
        return 1;
    }
}
