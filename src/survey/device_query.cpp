// __nvcc_device_query lies beside nvcc and answers `nvcc -arch=native`: the architectures' numbers, each once.
#include "survey/methods.hpp"
#include "survey/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cag {

MethodAnswer ask_device_query(const Host& host) {
    MethodAnswer answer;
    answer.method = Method::device_query;
    const std::string nvcc = which(host, "nvcc");
    const std::string tool =
        nvcc.empty() ? "" : resolved(host, nvcc).substr(0, resolved(host, nvcc).find_last_of('/')) + "/__nvcc_device_query";
    if (tool.empty() || !exists(host, tool)) {
        answer.asked = false;
        answer.problem = nvcc.empty() ? "nvcc is not on PATH" : "__nvcc_device_query is not beside " + nvcc;
        return answer;
    }
    if (!host.live) {
        answer.asked = false;
        return answer;
    }
    const RunResult run = run_program(host, {tool});
    std::string text(trimmed(run.out));
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter == ',' || letter == '\n' || letter == '\r'; }, ' ');
    if (run.timed_out || run.status != 0) {
        answer.problem =
            run.timed_out ? tool + " did not answer" : fmt::format("{} failed ({}){}{}", tool, run.status, text.empty() ? "" : ": ", text);
        answer.error = run.status;
        return answer;
    }
    for (std::string_view word : split(text, ' ')) {
        word = word.substr(0, 3) == "sm_" ? word.substr(3) : word;
        if (const auto number = number_in<unsigned>(word)) {
            Sighting gpu;
            gpu.index = static_cast<unsigned>(answer.gpus.size());
            gpu.capability = arch_from_number(*number).capability();
            answer.gpus.push_back(std::move(gpu));
        }
    }
    answer.problem = answer.gpus.empty() ? "it lists no GPU" + (text.empty() ? "" : ": " + text) : "";
    return answer;
}

} // namespace cag
