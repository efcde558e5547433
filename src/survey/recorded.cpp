#include "survey/recorded.hpp"

#include "survey/text.hpp"

namespace cag {

Result<MethodAnswer> read_recorded(std::string_view text) {
    MethodAnswer answer;
    if (holds(text, "<nvidia_smi_log>")) {
        answer = read_nvidia_smi_xml(text);
    } else if (holds(text, "NVSMI LOG")) {
        answer = read_nvidia_smi_query(text);
    } else if (holds(text, "| NVIDIA-SMI ")) {
        answer = read_nvidia_smi_table(text);
    } else if (holds(text, "(UUID: GPU-")) {
        answer = read_nvidia_smi_list(text);
    } else if (answer = read_lspci(text); answer.gpus.empty() && holds(text.substr(0, text.find('\n')), ",")) {
        answer = read_nvidia_smi_csv(text);
    }
    if (answer.gpus.empty() && answer.driver_version.empty() && !answer.cuda) {
        return failure("CAG508",
                       "expected the output of nvidia-smi (alone, with -q, -x, -L or --query-gpu=... --format=csv), of lspci -nn, or of "
                       "`cuda-arch-guard survey --format json`; found no GPU and no driver in it");
    }
    return answer;
}

} // namespace cag
