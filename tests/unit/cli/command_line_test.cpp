#include "cli/options.hpp"
#include "support/suggest.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cag;

namespace {

Command parsed(std::vector<const char*> words) {
    words.insert(words.begin(), "cuda-arch-guard");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("an option takes one value, so that a path may follow it") {
    const auto options = std::get<VerifyOptions>(parsed({"verify", "--require-sass", "80,90", "a.so", "--require-sass", "100", "b.so"}));
    CHECK(options.input.paths == Texts{"a.so", "b.so"});
    CHECK(options.requirements.sass == Texts{"80,90", "100"});
    CHECK(options.requirements.jit_allowed);
    CHECK(options.requirements.scope == Scope::every);
}

TEST_CASE("the options of verify") {
    const auto options =
        std::get<VerifyOptions>(parsed({"verify", "a.so", "--runs-on", "RTX 5090", "--no-jit", "--scope", "any", "--strict",
                                        "--allow-empty", "--driver", "580", "--env", "CUDA_VISIBLE_DEVICES=", "--format=json"}));
    CHECK(options.requirements.runs_on == Texts{"RTX 5090"});
    CHECK_FALSE(options.requirements.jit_allowed);
    CHECK(options.requirements.scope == Scope::any);
    CHECK(options.strict);
    CHECK(options.allow_empty);
    CHECK(options.requirements.drivers == Texts{"580"});
    CHECK(options.environment == Texts{"CUDA_VISIBLE_DEVICES="});
    CHECK(options.output.format == Format::json);
}

TEST_CASE("limits take sizes") {
    const auto options = std::get<InspectOptions>(parsed({"inspect", "a.so", "--max-expanded-image", "4GiB", "--max-depth", "2"}));
    CHECK(options.input.limits.max_expanded_image == std::uint64_t{4} << 30);
    CHECK(options.input.limits.max_depth == 2);
}

TEST_CASE("gencode joins its arguments") {
    CHECK(std::get<GencodeOptions>(parsed({"gencode", "80", "90a", "--style", "torch"})).specs == Texts{"80", "90a"});
}

TEST_CASE("what is not valid ends with status 2 and a message on standard error") {
    for (const auto& words : std::vector<std::vector<const char*>>{
             {}, {"frobnicate"}, {"verify"}, {"inspect", "a", "--bogus"}, {"gencode", "80", "--style", "make"}}) {
        const auto message = std::get<Message>(parsed(words));
        CHECK(message.status == 2);
        CHECK(message.out.empty());
        CHECK(message.error.starts_with("cuda-arch-guard: CAG505: "));
        CHECK(message.error.find("--help") != std::string::npos);
    }
}

TEST_CASE("the nearest name is suggested, and none where nothing is near") {
    const Texts names{"--require-sass", "--require-ptx", "--runs-on"};
    CHECK(nearest_name("--requre-sass", names) == "--require-sass");
    CHECK(nearest_name("--rusn-on", names) == "--runs-on");
    CHECK(nearest_name("--colour", names).empty());
    CHECK(nearest_name("vrefiy", {"verify", "predict"}) == "verify");
}
