// Claims against content. A claim is contradicted only by what surely is not so; where the content does not tell, it is unknown.
#include "package/truth.hpp"

#include "coverage/device_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cag {

namespace {

using Answer = CheckedClaim::Result;

std::string folder_of(const std::string& name) {
    const auto slash = name.find('/');
    return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

// A list in xformers/cpp_lib.json is about the libraries below xformers/, not about those of other makers beside it.
std::vector<const FileCoverage*> files_meant(const PackageClaim& claim, const PackageContent& package) {
    std::vector<const FileCoverage*> near;
    std::vector<const FileCoverage*> all;
    const std::string folder = claim.asked.empty() ? folder_of(claim.source) : ""; // a text for people is about all of it
    for (const FileCoverage* file : package.files) {
        if (file->modules.empty()) {
            continue;
        }
        all.push_back(file);
        if (!folder.empty() && file->member && file->member->starts_with(folder)) {
            near.push_back(file);
        }
    }
    return near.empty() ? all : near;
}

bool has(const Module& module, ImageKind kind, Arch arch) {
    return std::ranges::any_of(module.images, [&](const Image& image) { return image.kind == kind && image.arch == arch; });
}

struct Lack {
    std::string what; // "SASS 120"
    std::size_t modules = 0;
};

void check_archs(CheckedClaim& checked, const std::vector<const FileCoverage*>& files) {
    std::size_t modules = 0;
    std::vector<Lack> lacks;
    const auto count = [&](ImageKind kind, const std::vector<Arch>& archs) {
        for (const Arch arch : archs) {
            Lack lack{fmt::format("{} {}", kind == ImageKind::sass ? "SASS" : "PTX", to_string(arch)), 0};
            for (const FileCoverage* file : files) {
                for (const Module& module : file->modules) {
                    lack.modules += !holds_nothing(module) && !has(module, kind, arch) ? 1 : 0;
                }
            }
            if (lack.modules != 0) {
                lacks.push_back(std::move(lack));
            }
        }
    };
    for (const FileCoverage* file : files) {
        modules += static_cast<std::size_t>(std::ranges::count_if(file->modules, [](const Module& m) { return !holds_nothing(m); }));
    }
    if (modules == 0) {
        checked.found = "there is no device code to compare it with";
        return;
    }
    count(ImageKind::sass, checked.claim.sass);
    count(ImageKind::ptx, checked.claim.ptx);
    const bool absent = std::ranges::any_of(lacks, [&](const Lack& lack) { return lack.modules == modules; });
    checked.result = lacks.empty() ? Answer::holds : absent ? Answer::contradicted : Answer::unknown;
    if (lacks.empty()) {
        checked.found = fmt::format("all {} modules hold it", modules);
    }
    for (const Lack& lack : lacks) {
        checked.found +=
            fmt::format("{}{} is missing from {} of {} modules", checked.found.empty() ? "" : "; ", lack.what, lack.modules, modules);
    }
}

void check_cuda(CheckedClaim& checked, const std::vector<const FileCoverage*>& files) {
    std::set<std::string> releases;
    bool same = false;
    for (const FileCoverage* file : files) {
        for (const Module& module : file->modules) {
            for (const Image& image : module.images) {
                if (!image.toolkit.empty()) {
                    releases.insert(image.toolkit);
                    const bool exact = checked.claim.cuda_minor.has_value();
                    const std::string wanted = exact ? fmt::format("{}.{}", *checked.claim.cuda_major, *checked.claim.cuda_minor)
                                                     : fmt::format("{}.", *checked.claim.cuda_major);
                    same = same || (exact ? image.toolkit == wanted : image.toolkit.starts_with(wanted));
                }
            }
        }
    }
    if (releases.empty()) {
        checked.found = "the images do not record which toolkit made them";
        return;
    }
    const std::string major = fmt::format("{}.", *checked.claim.cuda_major);
    const bool none = std::ranges::none_of(releases, [&](const std::string& release) { return release.starts_with(major); });
    checked.result = same ? Answer::holds : none ? Answer::contradicted : Answer::unknown;
    checked.found = fmt::format("the images were made by CUDA {}", fmt::join(releases, ", "));
}

void check_machine(CheckedClaim& checked, const std::vector<const FileCoverage*>& files) {
    std::set<std::string> machines;
    for (const FileCoverage* file : files) {
        if (file->machine == "x86_64" || file->machine == "aarch64") {
            machines.insert(file->machine);
        }
    }
    if (!machines.empty()) {
        checked.result = machines.contains(checked.claim.machine) ? Answer::holds : Answer::contradicted;
        checked.found = fmt::format("the libraries are for {}", fmt::join(machines, ", "));
    }
}

std::vector<Gpu> gpus_meant(const PackageClaim& claim) {
    std::vector<Gpu> gpus;
    for (const Gpu& gpu : known_gpus()) {
        const bool newer = claim.and_newer && gpu.capability > *claim.and_newer && !gpu.tegra; // whose programs are of another machine
        if (newer || std::ranges::find(claim.runs_on, gpu.capability) != claim.runs_on.end()) {
            gpus.push_back(gpu);
        }
    }
    return gpus;
}

// What happens on each GPU, found once for all claims of a package: texts name the same GPUs again and again.
class Truths {
  public:
    explicit Truths(const PackageContent& package) : package_(package) {}

    const GpuTruth& on(const Gpu& gpu) {
        const auto known = known_.find(gpu.capability);
        return known != known_.end() ? known->second : known_.emplace(gpu.capability, truth_on(gpu, package_)).first->second;
    }

  private:
    const PackageContent& package_;
    std::map<ComputeCapability, GpuTruth> known_;
};

// GPUs that are named: contradicted where nothing runs on one of them.
void check_gpus(CheckedClaim& checked, Truths& truths) {
    std::vector<std::string> all;
    std::vector<std::string> nothing;
    std::vector<std::string> part;
    for (const Gpu& gpu : gpus_meant(checked.claim)) {
        const GpuTruth& truth = truths.on(gpu);
        const std::string name = to_string(gpu.capability);
        if (truth.runs == Extent::all) {
            all.push_back(name);
        } else if (truth.runs == Extent::none && truth.certain) {
            nothing.push_back(name);
        } else {
            part.push_back(fmt::format("{} of {} kernels run on {}", truth.kernels, truth.of, name));
        }
    }
    checked.result = !nothing.empty() ? Answer::contradicted : !part.empty() || all.empty() ? Answer::unknown : Answer::holds;
    checked.found = !nothing.empty() ? fmt::format("nothing runs on {}", fmt::join(nothing, ", "))
                    : !part.empty()  ? fmt::format("{}", fmt::join(part, "; "))
                    : !all.empty()   ? fmt::format("everything runs on {}", fmt::join(all, ", "))
                                     : "the tables do not know the GPUs";
}

// `sm_86` in a sentence may mean the GPUs: where they run everything by other images, that is no contradiction.
void check_names(CheckedClaim& checked, const std::vector<const FileCoverage*>& files, Truths& truths) {
    check_archs(checked, files);
    if (checked.result == Answer::holds || !checked.claim.maybe_gpus) {
        return;
    }
    CheckedClaim gpus = checked;
    for (const auto* archs : {&checked.claim.sass, &checked.claim.ptx}) {
        std::ranges::transform(*archs, std::back_inserter(gpus.claim.runs_on), [](Arch arch) { return arch.capability(); });
    }
    check_gpus(gpus, truths);
    if (gpus.result == Answer::holds) {
        checked.result = Answer::unknown;
        checked.found += "; " + gpus.found;
    }
}

std::vector<PackageClaim> claims_in_texts(const PackageContent& package, const std::vector<ClaimText>& texts) {
    std::vector<PackageClaim> claims;
    const auto add = [&](const std::string& source, const std::string& text, const ClaimText& asked) {
        std::ranges::move(claims_in_text(source, text, asked), std::back_inserter(claims));
    };
    for (const ClaimText& asked : texts) {
        if (asked.text) {
            add(asked.name, *asked.text, asked);
            continue;
        }
        for (const TextFile* text : package.texts) {
            const std::string source = text->member.value_or(text->path);
            if (asked.is_in(source)) {
                add(source, text->text, asked);
            }
        }
    }
    return claims;
}

std::vector<PackageClaim> claims_in(const PackageContent& package, const std::vector<ClaimText>& texts) {
    std::vector<PackageClaim> claims = claims_of_file_name(package.path);
    for (const FileCoverage* file : package.files) {
        std::ranges::move(claims_of_library(*file), std::back_inserter(claims));
    }
    for (const TextFile* text : package.texts) {
        std::ranges::move(claims_of(*text), std::back_inserter(claims));
    }
    std::ranges::move(claims_in_texts(package, texts), std::back_inserter(claims));
    return claims;
}

CheckedClaim check(PackageClaim claim, const PackageContent& package, Truths& truths) {
    CheckedClaim checked{std::move(claim), Answer::unknown, ""};
    const auto files = files_meant(checked.claim, package);
    const bool has_modules = std::ranges::any_of(package.files, [](const FileCoverage* file) { return !file->modules.empty(); });
    if (!checked.claim.reservation.empty()) {
        checked.found = fmt::format("not judged, because of the `{}`", checked.claim.reservation);
    } else if (!checked.claim.sass.empty() || !checked.claim.ptx.empty()) {
        check_names(checked, files, truths);
    } else if (!checked.claim.runs_on.empty() && has_modules) {
        check_gpus(checked, truths);
    } else if (checked.claim.cuda_major) {
        check_cuda(checked, files);
    } else if (!checked.claim.machine.empty()) {
        check_machine(checked, files);
    } else if (!checked.claim.driver.empty()) {
        checked.found = "the container runtime refuses to start the image on hosts that do not meet it";
    }
    return checked;
}

// "README.md:12"
std::string place_of(const PackageClaim& claim) { return claim.line == 0 ? claim.source : fmt::format("{}:{}", claim.source, claim.line); }

Finding finding_of(const CheckedClaim& checked, const std::string& package) {
    const bool contradicted = checked.result == Answer::contradicted;
    Finding finding;
    finding.code = "CAG110";
    finding.level = contradicted ? Level::error : Level::note;
    finding.path = package;
    finding.message = fmt::format("{} says of itself, in {}: {}; {}: {}", package, place_of(checked.claim), checked.claim.says,
                                  contradicted ? "not so" : "the content does not tell", checked.found);
    if (contradicted) {
        finding.fixes = {fmt::format("build the package as {} says, or correct what it says", place_of(checked.claim))};
    }
    return finding;
}

Finding finding_without_claim(const std::string& text, const std::string& package) {
    Finding finding;
    finding.code = "CAG110";
    finding.path = package;
    finding.message = fmt::format("expected a list of architectures in {}, found no such file, or nothing in it that is understood", text);
    finding.fixes = {
        fmt::format("check the name: a file on disk, else one in the package; `inspect --package --claims-from {}` lists what is "
                    "understood",
                    text)};
    return finding;
}

} // namespace

std::vector<CheckedClaim> check_claims(const PackageContent& package, const std::vector<ClaimText>& texts) {
    Truths truths(package);
    std::vector<CheckedClaim> all;
    for (PackageClaim& claim : claims_in(package, texts)) {
        all.push_back(check(std::move(claim), package, truths));
    }
    return all;
}

std::vector<std::string> texts_without_claims(const std::vector<CheckedClaim>& claims, const std::vector<ClaimText>& texts) {
    std::vector<std::string> without;
    for (const ClaimText& text : texts) {
        if (std::ranges::none_of(claims, [&](const CheckedClaim& checked) { return checked.claim.asked == text.asked(); })) {
            without.push_back(text.asked());
        }
    }
    return without;
}

std::vector<FileFinding> claim_findings(const Coverage& coverage, const std::vector<std::string>& inputs,
                                        const std::vector<ClaimText>& texts) {
    std::vector<FileFinding> findings;
    std::vector<CheckedClaim> all;
    const auto packages = packages_in(coverage, inputs);
    for (const PackageContent& package : packages) {
        const bool whole = std::ranges::all_of(package.files, [](const FileCoverage* file) { return file->problems.empty(); });
        for (CheckedClaim& checked : check_claims(package, texts)) {
            if (checked.result != Answer::holds) {
                findings.push_back({package.first_file, finding_of(checked, package.path), whole});
            }
            all.push_back(std::move(checked));
        }
    }
    for (const std::string& text : texts_without_claims(all, texts)) {
        if (!packages.empty()) {
            findings.push_back({packages.front().first_file, finding_without_claim(text, packages.front().path), false});
        }
    }
    return findings;
}

const char* to_string(CheckedClaim::Result result) {
    return result == Answer::holds ? "holds" : result == Answer::contradicted ? "contradicted" : "unknown";
}

} // namespace cag
