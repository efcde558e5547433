#!/usr/bin/env python3
"""Switches off one rule after the other in a copy of the sources, and shows that a unit test turns red each time.

usage: mutations.py [--only RULE] [--jobs N] WORK     (WORK: a folder for the copy and its build, kept for the next time)
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# rule, what is switched off, file below src/compat, text, its replacement
MUTATIONS = [
    ("1", "later minors of the major", "fit.cpp", "yes_if(arch.minor <= gpu.minor)", "yes_if(arch.minor == gpu.minor)"),
    ("1", "other majors", "fit.cpp", "if (arch.major != gpu.major) {", "if (arch.major > gpu.major) {"),
    ("1", "the nearest is taken", "take.cpp", "return candidate.arch > best.arch; }", "return candidate.arch < best.arch; }"),
    ("2", "a is exact", "fit.cpp", "yes_if(arch.capability() == gpu)", "yes_if(arch.capability() <= gpu)"),
    ("2", "families", "fit.cpp", "gpu) != family->serves.end())", "gpu) == family->serves.end())"),
    ("3", "PTX for a higher target", "fit.cpp", "yes_if(target.capability() <= gpu)", "yes_if(target.capability() != gpu || true)"),
    ("3", "the highest PTX is taken", "take.cpp", "return candidate.arch > best.arch || (", "return candidate.arch < best.arch || ("),
    ("4", "several PTX for one target", "take.cpp", "(candidate.arch == best.arch && candidate.arch == own)", "candidate.arch == best.arch"),
    ("4", "PTX newer than the driver", "take.cpp", "*image.ptx_isa <= situation.driver.max_ptx", "image.ptx_isa.has_value()"),
    ("5", "runtime of a newer major", "start.cpp", "runtime > driver : runtime.major > driver.major", "runtime > driver : false"),
    ("5", "minor-version compatibility", "start.cpp", "runtime > driver : runtime.major > driver.major", "runtime > driver : runtime > driver"),
    ("5", "bare cubin of a newer major", "raw.cpp", "toolkit->major <= situation.driver.cuda.major", "true"),
    ("6", "SASS ignored", "decision.cpp", "return {force.on, disable.on,", "return {false, disable.on,"),
    ("6", "JIT forbidden", "decision.cpp", "return {force.on, disable.on,", "return {force.on, false,"),
    ("6", "only the number 1", "decision.cpp", "Switch{is_one(entry->second), entry->first}", "Switch{true, entry->first}"),
    ("6", "no visible device", "start.cpp", "if (!devices.empty() && !twice) {", "if (!twice) {"),
    ("6", "a device twice", "start.cpp", "if (!devices.empty() && !twice) {", "if (!devices.empty()) {"),
    ("7", "kernel not in the image", "kernels.cpp", "if (!image.payload_read || places.empty()) {", "if (module.kind != ModuleKind::linked) {"),
    ("7", "one host function for several modules", "judge.cpp", "kernel) == file_.shared_host_functions.end()) {", "kernel) == file_.shared_host_functions.end() || true) {"),
    ("14", "kernels of LTO-IR inputs", "program.cpp", "if (is_ltoir_only(input.module)) {", "if (false) {"),
    ("8", "hollow bodies", "kernels.cpp", "body == KernelBody::empty || body == KernelBody::trap", "false"),
    ("8", "90a without its instructions", "take.cpp", "if (image.warpgroup == false) {", "if (false) {"),
    ("4", "PTX of the newest ISA version", "take.cpp", "image.ptx_isa == situation.driver.max_ptx", "false"),
    ("8", "mixed device link", "program.cpp", "if (compiled_for.size() > 1) {", "if (compiled_for.size() > 9) {"),
    ("9", "relocatable inputs are the program's", "program.cpp", "program.inputs.push_back(&module);", "(void)module;"),
    ("10", "a linked image that serves is taken", "program.cpp", "if (!nothing_served) {", "if (!nothing_served && program.inputs.empty()) {"),
    ("10", "kernel not in the linked image", "kernels.cpp", "if (!image.payload_read || places.empty()) {", "if (module.kind == ModuleKind::linked) {"),
    ("11", "inputs linked again", "program.cpp", "return relink(program, situation);", "return {decision, {}};"),
    ("11", "undefined function", "program.cpp", "!function.empty()", "false"),
    ("11", "supplied names", "program.cpp", "!is_supplied(name) && ", ""),
    ("11", "SASS newer than the driver", "program.cpp", "*toolkit <= situation.driver.cuda", "toolkit.has_value()"),
    ("11", "SASS before PTX", "program.cpp", "const Pick pick = sass.image ? sass : pick_ptx(input.images, situation);",
     "const Pick ptx = pick_ptx(input.images, situation);\n    const Pick pick = ptx.image ? ptx : sass;"),
    ("12", "modules beside a program", "judge.cpp", "!is_refused_as_a_whole(file_, module)) || judge_single(module);", "!is_refused_as_a_whole(file_, module)) || true;"),
    ("13", "relocatable objects are not judged", "judge.cpp", "case ModuleKind::relocatable: // rule 13",
     "case ModuleKind::relocatable:\n            return judge_single(module); // rule 13"),
    ("14", "LTO-IR only", "take.cpp", "holds(ImageKind::ltoir) && !holds(ImageKind::sass)", "false && !holds(ImageKind::sass)"),
    ("14", "nothing to link again", "program.cpp", "return image.kind == ImageKind::ltoir; });", "return image.kind == ImageKind::unknown; });"),
    ("15", "JIT forbidden for bare PTX", "raw.cpp", "return *obstacle;", "if (obstacle->error != 223) { return *obstacle; }"),
    ("15", "PTX for a higher target", "raw.cpp", "218, 15,", "209, 15,"),
    ("15", "cut short", "raw.cpp", "return file.role == FileRole::raw && !file.problems.empty()", "return false && !file.problems.empty()"),
    ("16", "Tegra", "fit.cpp", "data::is_tegra(arch.capability()) != situation.tegra", "false"),
    ("16", "Thor's old number", "fit.cpp", "if (is_thor_before_cuda_13(arch) && gpu == ComputeCapability{11, 0}) {", "if (false) {"),
    ("14", "bare LTO-IR", "raw.cpp", "200, 14,", "209, 14,"),
    ("17", "damaged zstd", "take.cpp", "damaged(999, image", "damaged(200, image"),
    ("17", "decompressing comes before the switch", "take.cpp", "if (image.defect != Defect::does_not_expand) {", "if (image.defect != Defect::does_not_expand || situation.jit.no_jit) {"),
    ("17", "no cubin", "take.cpp", "image.defect == Defect::no_cubin", "false"),
    ("17", "no PTX", "take.cpp", "image.defect == Defect::no_ptx", "false"),
    ("17", "payload for other GPUs", "take.cpp", "if (!image.payload_arch) {\n        return std::nullopt;", "if (true) {\n        return std::nullopt;"),
    ("17", "its number when loading eagerly", "take.cpp", "eager ? 46 : 300", "300"),
    ("17", "zstd", "take.cpp", "image.compression != Compression::zstd ||", "true ||"),
    ("18", "the driver knows the GPU", "start.cpp", "if (drives(situation.driver, situation.gpu)) {", "if (true) {"),
    ("19", "forward compatibility", "start.cpp", "!situation.driver.compat_over ||", "true ||"),
    ("1", "entries of an unknown kind", "take.cpp", "if (holds(ImageKind::unknown) && !situation.recorded) {", "if (false) {"),
    ("1", "damage that may hide an image", "take.cpp", "if (module.unexplained_bytes > 0) {", "if (false) {"),
    ("4", "PTX that a driver of the future may know", "take.cpp", "if (situation.driver.extrapolated) {", "if (false) {"),
    ("6", "of two names of a switch one decides", "decision.cpp", "if (entry == environment.end()) {", "if (environment.contains(other_name)) {"),
    ("8", "real code elsewhere", "kernels.cpp", "if (real_elsewhere) {", "if (false) {"),
    ("8", "far less code", "kernels.cpp", "largest->kernel->code_size >= worth_a_word", "false"),
    ("9", "an image that is still to be linked", "judge.cpp", "module.kind != ModuleKind::relocatable && module", "false && module"),
    ("11", "inputs of which link is not known", "program.cpp", "} else if (!module.linked_by) {", "} else if (false) {"),
    ("11", "a template of several inputs", "program.cpp", "if (!is_new && !runs(entry->second)) {", "if (false) {"),
    ("13", "inputs of an object of a device link", "program.cpp", "file.role != FileRole::object;", "true;"),
    ("15", "cut in its header", "raw.cpp", "module.size < first_headers ? 999 : 200", "module.size < first_headers ? 200 : 200"),
    ("15", "a cubin for other GPUs", "raw.cpp", "209, 15,", "200, 15,"),
    ("16", "reports that conflict", "fit.cpp", "disputed ? Confidence::reported : Confidence::documented", "Confidence::documented"),
    ("17", "damage of any other kind", "take.cpp", "if (image.defect == Defect::other) {", "if (false) {"),
    ("18", "a driver newer than the tables", "judge.cpp", "if (situation.driver.extrapolated) {", "if (false) {"),
    ("18", "a GPU newer than the tables", "judge.cpp", "if (!data::is_known_capability(situation.capability)) {", "if (false) {"),
    ("18", "floor: drivers that do not drive the GPU", "floor.cpp", "if (!driver || !drives(*driver, gpu)) {", "if (!driver) {"),
    ("-", "the cheapest fix first", "remedy.cpp", "return left->cost < right->cost; }", "return left->cost > right->cost; }"),
    ("-", "groups of -concat", "take.cpp", "return !image.in_concat_group ||", "return true ||"),
    ("-", "pool", "judge.cpp", "if (!best || is_better(decision, *best)) {", "if (!best) {"),
    ("-", "measured only where recorded", "decision.cpp", "of_rule == Confidence::measured && !situation.recorded", "false"),
    ("-", "kernels that nothing can launch", "judge.cpp", "return dropped.contains(place.name);", "return dropped.contains(place.name) && false;"),
    ("-", "device runtime as an input", "program.cpp", "|| is_device_runtime(module)", ""),
    ("-", "device runtime's kernels", "kernels.cpp", "if (!is_device_runtime_kernel(kernel.name)) {", "if (true) {"),
]


def copy_sources(tree):
    """Files that differ are written anew, so that they are compiled again; the others keep their time."""
    for name in ("CMakeLists.txt", "cmake", "src", "tests"):
        for source in [ROOT / name, *(ROOT / name).rglob("*")]:
            target = tree / source.relative_to(ROOT)
            if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)


def build(folder, jobs):
    return subprocess.run(["cmake", "--build", folder, "--target", "unit_compat", "-j", str(jobs)], capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", help="the mutations of this rule, or whose text contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--configure", action="append", default=[], help="option for cmake, as in --configure=-DCMAKE_PREFIX_PATH=...")
    options = parser.parse_args()

    tree, folder = options.work / "tree", options.work / "build"
    copy_sources(tree)
    subprocess.run(["cmake", "-S", tree, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", *options.configure], check=True,
                   stdout=subprocess.DEVNULL)
    if build(folder, options.jobs).returncode != 0 or subprocess.run([folder / "bin/unit_compat"], capture_output=True).returncode != 0:
        print("the unit tests fail without any mutation")
        return 2

    survivors = 0
    chosen = [m for m in MUTATIONS if options.only in (None, m[0]) or options.only in m[1]]
    for rule, what, name, text, replacement in chosen:
        path = tree / "src/compat" / name
        original = path.read_text()
        label = f"rule {rule}, {what}"
        if original.count(text) != 1:
            print(f"{label}: \"{text}\" occurs {original.count(text)} times in {name}; correct the list of mutations")
            survivors += 1
            continue
        path.write_text(original.replace(text, replacement))
        built = build(folder, options.jobs)
        tests = subprocess.run([folder / "bin/unit_compat"], capture_output=True, text=True) if built.returncode == 0 else None
        path.write_text(original)
        if tests is None:
            print(f"{label}: does not compile\n{built.stdout[-2000:]}")
            survivors += 1
        elif tests.returncode == 0:
            print(f"{label}: no test noticed")
            survivors += 1
        else:
            print(f"{label}: {tests.stdout.strip().splitlines()[-2].strip()}", flush=True)
    print(f"{len(chosen)} mutations, {survivors} unnoticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
