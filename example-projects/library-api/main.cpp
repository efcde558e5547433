// runs-on GPU FILE...: what the driver will do with every kernel of these files, by the library.
#include <cudaarchguard/cudaarchguard.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: runs-on GPU FILE...\n";
        return 2;
    }
    const auto gpu = cag::find_gpu(argv[1]);
    if (!gpu) {
        std::cout << gpu.why() << '\n';
        return 2;
    }
    const cag::Coverage coverage = cag::read_binaries({argv + 2, argv + argc});
    const cag::Prediction prediction = cag::predict(coverage, gpu.value(), cag::newest_driver(gpu.value()));
    bool any = false;
    bool all_run = true;
    for (const cag::FilePrediction& file : prediction.files) {
        for (const cag::ModulePrediction& module : file.modules) {
            for (const cag::Outcome& outcome : module.outcomes) {
                any = true;
                all_run = all_run && outcome.kind != cag::OutcomeKind::fails;
                std::cout << outcome.kernel << ": " << to_string(outcome.kind);
                if (outcome.error) {
                    std::cout << ", error " << outcome.error->code << ' ' << outcome.error->name;
                }
                std::cout << (outcome.reasons.empty() ? "" : " (" + outcome.reasons.front() + ")") << '\n';
            }
        }
    }
    if (!any) {
        std::cout << "no device code\n";
    }
    return all_run ? 0 : 1;
}
