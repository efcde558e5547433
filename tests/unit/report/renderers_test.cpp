// Each renderer over the same results, held against approved output.
#include "unit/report/approved.hpp"
#include "unit/report/normalised.hpp"
#include "unit/report/results.hpp"

#include "compat/spec.hpp"
#include "report/report.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

using namespace cag;
using namespace cag::test;

namespace {

const std::vector<std::pair<std::string, Coverage>> results{
    {"clean", clean()}, {"one-missing", one_missing()}, {"damaged", damaged()}, {"many", many()}};

std::vector<PredictionRun> runs_for(const Coverage& coverage, const std::vector<std::string>& gpus, const char* driver = "580") {
    std::vector<PredictionRun> runs;
    for (const auto& text : gpus) {
        const Gpu gpu = parse_gpu(text).value();
        const Driver with = parse_driver(driver).value();
        runs.push_back({gpu, with, {}, predict(coverage, gpu, with), driver_floor(coverage, gpu)});
    }
    return runs;
}

} // namespace

TEST_CASE("inspect as text") {
    for (const auto& [name, coverage] : results) {
        check_approved("inspect-" + name + ".txt", inspect_text(coverage, {}, {}));
    }
    check_approved("inspect-kernels.txt", inspect_text(one_missing(), {true, true}, {}));
    check_approved("inspect-ascii.txt", inspect_text(one_missing(), {}, {false, false, 80}));
}

TEST_CASE("verify in every format") {
    for (const auto& [name, coverage, rules] : five_results()) {
        const Judgement judgement = judge(coverage, rules);
        const auto check = [&, about = std::string{"verify-"} + name](const char* ending, const std::string& text) {
            check_approved(about + ending, normalised(text));
        };
        check(".txt", verify_text(judgement, {}));
        check(".json", verify_json(judgement));
        check(".sarif", verify_sarif(judgement, {}));
        check(".xml", verify_junit(coverage, judgement));
        check(".github", verify_github(judgement));
        check(".md", verify_markdown(judgement));
        check(".csv", report_csv({"verify", coverage, &judgement, {}}));
        check(".html", report_html({"verify", coverage, &judgement, {}}));
    }
}

TEST_CASE("verify tells less, or everything") {
    const Judgement judgement = judge(partial(), partly_waived());
    check_approved("verify-waived-quiet.txt", verify_text(judgement, {false, true, 80, Detail::brief}));
    check_approved("verify-waived-verbose.txt", verify_text(judgement, {false, true, 80, Detail::full}));
}

TEST_CASE("suggestions for several architectures are one block to paste") {
    RequirementTexts texts;
    texts.sass = {"90,120"};
    Rules rules;
    rules.requirements = parse_requirements(texts).value();
    const std::string text = verify_text(judge(coverage({registered({sass("80")})}), rules), {});
    const auto block = text.find("    fix: ");
    REQUIRE(block != std::string::npos);
    CHECK(text.find("fail: 2 of 2") < block);
    CHECK(text.substr(block).starts_with("    fix: nvcc: -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_120,code=sm_120\n"
                                         "         CMake: add 90-real;120-real to CMAKE_CUDA_ARCHITECTURES"));
    CHECK(text.find("add 9.0;12.0 to TORCH_CUDA_ARCH_LIST") != std::string::npos);
}

TEST_CASE("results as CSV") {
    const Coverage coverage = one_missing();
    check_approved("inspect-one-missing.csv", report_csv({"inspect", coverage, nullptr, {}}));
    check_approved("predict-one-missing.csv", report_csv({"predict", coverage, nullptr, runs_for(coverage, {"8.6", "9.0"})}));
}

TEST_CASE("a spreadsheet runs no formula that stands in a name, and a comma stays in its cell") {
    Coverage coverage = clean();
    coverage.files[0].path = "=cmd(),\"x\".so";
    CHECK(report_csv({"inspect", coverage, nullptr, {}}).find("\r\n\"'=cmd(),\"\"x\"\".so\",,0,") != std::string::npos);
}

TEST_CASE("the HTML report holds the verdict, the findings and every kernel, and no markup from names") {
    Coverage coverage = one_missing();
    coverage.files[0].path = "<script>alert(1)</script>.so";
    const auto judgement = judge(coverage, sass_80_and_90());
    const std::string html = report_html({"verify", coverage, &judgement, runs_for(coverage, {"9.0"})});
    CHECK(html.find("<script>alert") == std::string::npos);
    CHECK(html.find("&lt;script&gt;alert(1)&lt;/script&gt;.so") != std::string::npos);
    CHECK(html.find("fail: 1 of 2 requirements not met") < html.find("CAG101"));
    for (const char* kernel : {"scale(float*, float)", "reduce(float const*, float*)"}) {
        CHECK(html.find(kernel) != std::string::npos);
    }
    CHECK(html.find("{{") == std::string::npos);
}

TEST_CASE("hostile names stay text in every format") {
    Coverage coverage = one_missing();
    coverage.files[0].path = "a%0A::error::b\n<b>|`x`&\x1b[2J.so";
    coverage.files[0].modules[1].images[0].kernels[0].name = "k\n::error::<script>";
    const auto judgement = judge(coverage, sass_80_and_90());

    std::istringstream lines(verify_github(judgement));
    std::size_t commands = 0;
    for (std::string line; std::getline(lines, line);) {
        commands += line.starts_with("::") ? 1U : 0U;
    }
    CHECK(commands == 1);
    CHECK(verify_github(judgement).find("a%250A") != std::string::npos);
    CHECK(verify_markdown(judgement).find("<b>") == std::string::npos);
    CHECK(verify_junit(coverage, judgement).find("<script>") == std::string::npos);
    CHECK(verify_sarif(judgement, {}).find("a%250A%3A%3Aerror%3A%3Ab%0A%3Cb%3E%7C%60x%60%26%1B%5B2J.so") != std::string::npos);
}

TEST_CASE("annotations of one level stop at ten, and the last says how many there are") {
    Judgement judgement;
    for (int i = 0; i < 25; ++i) {
        Finding finding;
        finding.code = "CAG101";
        finding.path = fmt::format("lib{}.so", i);
        finding.message = "m";
        judgement.findings.push_back(finding);
    }
    const std::string text = verify_github(judgement);
    std::istringstream lines(text);
    std::size_t errors = 0;
    for (std::string line; std::getline(lines, line);) {
        errors += line.starts_with("::error") ? 1U : 0U;
    }
    CHECK(errors == 10);
    CHECK(text.find("and 16 more") != std::string::npos);
}

TEST_CASE("SARIF: an anchor replaces the place, fingerprints do not know module numbers") {
    const auto judgement = judge(one_missing(), sass_80_and_90());
    const std::string anchored = verify_sarif(judgement, SarifAnchor{"CMakeLists.txt", 12});
    CHECK(anchored.find("\"uri\": \"CMakeLists.txt\"") != std::string::npos);
    CHECK(anchored.find("\"startLine\": 12") != std::string::npos);

    Coverage moved = one_missing();
    std::swap(moved.files[0].modules[0], moved.files[0].modules[1]);
    moved.files[0].modules[0].index = 0;
    moved.files[0].modules[1].index = 1;
    const auto fingerprint = [](const std::string& text) { return text.substr(text.find("cudaArchGuardFinding/v1"), 45); };
    CHECK(fingerprint(verify_sarif(judge(moved, sass_80_and_90()), {})) == fingerprint(verify_sarif(judgement, {})));
    CHECK(fingerprint(verify_sarif(judge(many(), sass_80_and_90()), {})) != fingerprint(verify_sarif(judgement, {})));
}

TEST_CASE("inspect as JSON") { check_approved("inspect-one-missing.json", normalised(inspect_json(one_missing(), {true, false}))); }

TEST_CASE("predict as text") {
    check_approved("predict-clean.txt", predict_text(clean(), runs_for(clean(), {"8.6", "9.0"}), {}, {}));
    check_approved("predict-one-missing.txt", predict_text(one_missing(), runs_for(one_missing(), {"8.6", "9.0", "12.0"}), {}, {}));
}

TEST_CASE("predict warns of megabytes of PTX to compile, and not of kilobytes") {
    for (const auto& [megabytes, warned] : {std::pair{0U, false}, {300U, true}}) {
        Coverage coverage = clean();
        for (Module& module : coverage.files.front().modules) {
            for (Image& image : module.images) {
                image.expanded_size = image.kind == ImageKind::ptx ? std::uint64_t{megabytes} << 20 : image.expanded_size;
            }
        }
        const std::string by_jit = predict_text(coverage, runs_for(coverage, {"12.0"}), {}, {});
        CHECK((by_jit.find("MiB of PTX are compiled when they are first used") != std::string::npos) == warned);
        CHECK((by_jit.find("CUDA_CACHE_MAXSIZE") != std::string::npos) == warned);
        const std::string by_sass = predict_text(coverage, runs_for(coverage, {"9.0"}), {}, {});
        CHECK(by_sass.find("of PTX are compiled") == std::string::npos);
    }
}

TEST_CASE("no line of the text is wider than the terminal") {
    for (const std::size_t width : {60U, 80U, 120U}) {
        const Style style{false, true, width};
        for (const auto& [name, coverage] : results) {
            for (const std::string& text : {inspect_text(coverage, {}, style), verify_text(judge(coverage, sass_80_and_90()), style),
                                            predict_text(coverage, runs_for(coverage, {"8.6", "9.0"}), {}, style)}) {
                std::istringstream lines(text);
                for (std::string line; std::getline(lines, line);) {
                    INFO(name << ", " << width << ": " << line);
                    CHECK((columns(line) <= width || line.find("-gencode") != std::string::npos)); // flags stay one line, to be pasted
                }
            }
        }
    }
}

TEST_CASE("colours only colour: without them the same text stands there") {
    const auto judgement = judge(one_missing(), sass_80_and_90());
    std::string coloured = verify_text(judgement, {true, true, 80});
    while (true) {
        const auto escape = coloured.find('\x1b');
        if (escape == std::string::npos) {
            break;
        }
        coloured.erase(escape, coloured.find('m', escape) + 1 - escape);
    }
    CHECK(coloured == verify_text(judgement, {false, true, 80}));
}

TEST_CASE("an empty CUDA_VISIBLE_DEVICES and other variables are kept in the JSON") {
    const Coverage coverage = clean();
    const Gpu gpu = parse_gpu("9.0").value();
    const Driver driver = parse_driver("580").value();
    const Environment environment{{"CUDA_VISIBLE_DEVICES", ""}};
    const std::string text =
        predict_json(coverage, {{gpu, driver, environment, predict(coverage, gpu, driver, environment), std::nullopt}});
    CHECK(text.find("\"CUDA_VISIBLE_DEVICES\": \"\"") != std::string::npos);
}
