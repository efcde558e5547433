#include "data/tables.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

using namespace cag;

namespace {

// "8.6": the one capability that all products of that name have; else all of them.
std::set<std::string> capabilities(std::string_view name) {
    std::set<std::string> found;
    for (const data::Product* product : data::find_products(name)) {
        found.insert(to_string(product->capability));
    }
    return found;
}

template <class Rows, class Key>
bool ascending(const Rows& rows, Key key) {
    return std::is_sorted(rows.begin(), rows.end(), [&](const auto& left, const auto& right) { return key(left) < key(right); });
}

} // namespace

TEST_CASE("tables are complete and in order") {
    CHECK(data::toolkits().size() == 30);
    CHECK(data::products().size() == 994);
    CHECK(data::pci_devices().size() > 1200);
    CHECK(ascending(data::toolkits(), [](const data::Toolkit& row) { return row.release; }));
    CHECK(ascending(data::driver_branches(), [](const data::DriverBranch& row) { return row.branch; }));
    CHECK(ascending(data::ptx_versions(), [](const data::PtxVersion& row) { return row.isa; }));
}

TEST_CASE("a driver that supports a CUDA version compiles the PTX of its toolkit") {
    for (const data::DriverBranch& driver : data::driver_branches()) {
        CAPTURE(driver.branch);
        if (const data::Toolkit* toolkit = data::find_toolkit(driver.cuda)) {
            CHECK(driver.max_ptx >= toolkit->ptx_isa);
        }
    }
}

TEST_CASE("toolkits build what their release notes say") {
    const auto range = [](const char* arch) { return data::toolkits_building(*parse_arch(arch)); };
    CHECK(range("30")->last == CudaVersion{10, 2});
    CHECK(range("70")->last == CudaVersion{12, 9});
    CHECK(range("86")->first == CudaVersion{11, 1});
    CHECK(range("90a")->first == CudaVersion{12, 0});
    CHECK(range("120")->first == CudaVersion{12, 8});
    CHECK(range("100f")->first == CudaVersion{12, 9});
    CHECK(range("101")->last == CudaVersion{12, 9});
    CHECK(range("110")->first == CudaVersion{13, 0});
    CHECK_FALSE(range("91"));
    CHECK_FALSE(range("86a"));
    CHECK(to_string(data::find_toolkit({13, 0})->default_arch) == "75");
    CHECK(to_string(data::find_toolkit({12, 4})->default_arch) == "52");
}

TEST_CASE("products by the names that people use") {
    CHECK(capabilities("H100") == std::set<std::string>{"9.0"});
    CHECK(capabilities("V100") == std::set<std::string>{"7.0"});
    CHECK(capabilities("RTX 3090") == std::set<std::string>{"8.6"});
    CHECK(capabilities("rtx3090") == std::set<std::string>{"8.6"});
    CHECK(capabilities("3090") == std::set<std::string>{"8.6"});
    CHECK(capabilities("NVIDIA GeForce RTX 5090") == std::set<std::string>{"12.0"});
    CHECK(capabilities("DGX Spark") == std::set<std::string>{"12.1"});
    CHECK(capabilities("Jetson Orin") == std::set<std::string>{"8.7"});
    CHECK(capabilities("Jetson Nano") == std::set<std::string>{"5.3"}); // not the Orin Nano, whose name holds both words
    CHECK(capabilities("RTX 4060 Ti") == std::set<std::string>{"8.9"});
    CHECK(capabilities("GTX 970") == std::set<std::string>{"5.2"});
    CHECK(capabilities("GTX 1650") == std::set<std::string>{"7.5"});
    CHECK(capabilities("NVIDIA A100-SXM4-40GB") == std::set<std::string>{"8.0"});
    CHECK(capabilities("NVIDIA H100 80GB HBM3") == std::set<std::string>{"9.0"});
}

TEST_CASE("a name that means GPUs of several capabilities gives them all") {
    const auto found = capabilities("RTX 4000");
    CHECK(found.count("7.5") == 1); // Quadro RTX 4000
    CHECK(found.count("8.9") == 1); // RTX 4000 Ada
}

TEST_CASE("an unknown name has no products, and names like it are found") {
    CHECK(data::find_products("RTX 9999").empty());
    CHECK(data::find_products("").empty());
    CHECK(data::find_products("NVIDIA").empty());
    const auto similar = data::similar_products("RTX 3090 Super", 3);
    REQUIRE_FALSE(similar.empty());
    CHECK(similar[0].find("RTX 3090") != std::string::npos);
}

TEST_CASE("a PCI device id is one GPU") {
    REQUIRE(data::find_pci_device(0x2330) != nullptr);
    CHECK(to_string(data::find_pci_device(0x2330)->capability) == "9.0");
    CHECK(data::find_pci_device(0x0001) == nullptr);
}

TEST_CASE("embedded GPUs are told from desktop ones of the same generation") {
    for (const char* capability : {"3.2", "5.3", "6.2", "7.2", "8.7", "10.1", "11.0"}) {
        CAPTURE(capability);
        CHECK(data::is_tegra(*parse_capability(capability)));
    }
    for (const char* capability : {"8.6", "8.9", "9.0", "12.1"}) { // 12.1 is a SoC, but no Tegra
        CAPTURE(capability);
        CHECK_FALSE(data::is_tegra(*parse_capability(capability)));
    }
}

TEST_CASE("errors have the names of cuda_runtime_api.h") {
    CHECK(data::error_name(209) == "cudaErrorNoKernelImageForDevice");
    CHECK(data::error_name(222) == "cudaErrorUnsupportedPtxVersion");
    CHECK(data::error_name(500) == "cudaErrorSymbolNotFound");
    CHECK(data::error_name(12345).empty());
}
