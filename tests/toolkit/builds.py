"""Builds small CUDA programs and files from recipes with nvcc. The recipes' fields are those of tests/data/ground_truth."""

import hashlib
import re
import shutil
import subprocess
import threading
from pathlib import Path

UNIT = """\
{declarations}
{definition}
"""
SHAPES = {
    "": "extern \"C\" __global__ void {kernel}(int* out) {{ *out = __CUDA_ARCH__{calls}; }}",
    "guarded": "extern \"C\" __global__ void {kernel}(int* out) {{\n#if __CUDA_ARCH__ >= 1000\n    *out = 1;\n#endif\n}}",
    "template": "template <typename T> __global__ void shared_kernel(T* out) {{ *out = 1; }}\n"
                "void launch_{kernel}(int* out) {{ shared_kernel<int><<<1, 1>>>(out); }}",
    "trap": "extern \"C\" __global__ void {kernel}(int* out) {{\n#if __CUDA_ARCH__ >= 800\n    *out = 1;\n#else\n    __trap();\n#endif\n}}",
    "launching": "__global__ void child(int* out) {{ *out = 1; }}\n"
                 "extern \"C\" __global__ void {kernel}(int* out) {{\n#if __CUDA_ARCH__\n    child<<<1, 1, 0, cudaStreamTailLaunch>>>(out);\n#endif\n}}",
    "variable": "__device__ int variable;\nextern \"C\" __global__ void {kernel}(int* out) {{ *out = variable; }}",
}
# The kernel's body uses __CUDA_ARCH__, which the host's pass does not know.
PRELUDE = "#ifndef __CUDA_ARCH__\n#define __CUDA_ARCH__ 0\n#endif\n"


class Toolkit:
    def __init__(self, nvcc):
        self.nvcc = Path(shutil.which(nvcc) or nvcc).resolve()
        said = subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        self.release = re.search(r"release (\d+\.\d+)", said).group(1)


class Builder:
    """Any number of threads may build at once: recipes share objects, and what they share is made once."""

    def __init__(self, toolkits, work):
        self.toolkits = toolkits
        self.work = work
        self.locks = {}
        self.work.mkdir(parents=True, exist_ok=True)
        self.main = self.work / "main.o"
        (self.work / "main.cpp").write_text("int main() { return 0; }\n")
        run(["g++", "-c", self.work / "main.cpp", "-o", self.main])

    def program(self, program):
        newest = self.toolkits[toolkit_of(program)]
        shape = program.get("shape", "")
        objects = []
        for number, unit in enumerate(program["units"]):
            built = self.compile(unit, number, shape)
            if unit.get("archive"):
                built = self.archive(built)
            objects.append(built)
        executable = self.work / program["name"]
        relocatable = any(unit.get("rdc") for unit in program["units"])
        link = gencode(program["link"]) if relocatable else []
        if program.get("cudadevrt") is False:
            link += ["-cudadevrt", "none"]
        # Nothing refers to the units, and an archive's members must be linked all the same.
        archives = [str(o) for o in objects if o.suffix == ".a"]
        whole = ["-Xlinker", "--whole-archive"] + archives + ["-Xlinker", "--no-whole-archive"] if archives else []
        run([newest.nvcc, self.main, *[o for o in objects if o.suffix != ".a"], *whole, *link, "-o", executable])
        return executable

    def compile(self, unit, number, shape):
        calls = unit.get("calls", [])
        rdc = unit.get("rdc", False)
        declarations = PRELUDE + "".join(f"extern __device__ int f{c}(int);\n" for c in calls)
        if rdc:
            declarations += f"__device__ int f{number}(int x) {{ return x + 1; }}"
        definition = SHAPES[shape].format(kernel=unit["kernel"], calls="".join(f" + f{c}(1)" for c in calls))
        source = UNIT.format(declarations=declarations, definition=definition)
        flags = ["-dc" if rdc else "-c"] + (unit["flags"].split() if "flags" in unit else gencode(unit["images"]))
        if "compress" in unit:
            flags.append(f"--compress-mode={unit['compress']}")
        return self.make(unit.get("toolkit", "13.0"), source, ".cu", flags, ".o")

    def make(self, release, source, suffix, flags, result):
        """One nvcc run; what was made from the same source with the same flags is taken again."""
        key = hashlib.sha256(repr((release, source, flags)).encode()).hexdigest()[:20]
        path = self.work / (key + suffix)

        def compile_to(unfinished):
            path.write_text(source)
            run([self.toolkits[release].nvcc, *flags, path, "-o", unfinished])

        return self.once(path.with_suffix(result), compile_to)

    def archive(self, built):
        return self.once(built.with_suffix(".a"), lambda unfinished: run(["ar", "rcs", unfinished, built]))

    def once(self, path, make):
        """The file at `path`, made if it is not there yet. It appears whole: a run that is stopped leaves only an unfinished one."""
        with self.locks.setdefault(str(path), threading.Lock()):
            if not path.exists():
                unfinished = path.with_suffix(".unfinished" + path.suffix)
                unfinished.unlink(missing_ok=True)
                make(unfinished)
                unfinished.rename(path)
        return path

    def load(self, load):
        release = load.get("toolkit", "13.0")
        isas = load.get("isa", [""] * len(load["images"]))
        parts = [self.image(release, image, isa) for image, isa in zip(load["images"], isas)]
        path = self.work / load["file"]
        if load["kind"] == "fatbin":
            kinds = ["elf" if image.startswith("sm_") else "ptx" for image in load["images"]]
            numbers = [image.split("_")[1] for image in load["images"]]
            run([self.toolkits[release].nvcc.parent / "fatbinary", "-64", f"--create={path}",
                 *[f"--image3=kind={k},sm={n},file={p}" for k, n, p in zip(kinds, numbers, parts)]])
            return path
        content = parts[0].read_bytes()
        path.write_bytes(content[: len(content) // 2] if load.get("cut") else content)
        return path

    def image(self, release, image, isa):
        kind, arch = image.split("_")
        suffix = ".cubin" if kind == "sm" else ".ptx"
        source = PRELUDE + SHAPES[""].format(kernel="k", calls="")
        flags = ["-" + suffix[1:], f"-gencode=arch=compute_{arch},code={image}"]
        made = self.make(release, source, ".cu", flags, suffix)
        if not isa:
            return made
        text = re.sub(r"(?m)^\.version .*$", f".version {isa}", made.read_text())
        return self.once(made.with_name(f"{made.stem}_{isa}.ptx"), lambda unfinished: unfinished.write_text(text))


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)


def gencode(images):
    return [f"-gencode=arch=compute_{image.split('_')[1]},code={image}" for image in images]


def toolkit_of(recipe):
    return max([part.get("toolkit", "13.0") for part in recipe.get("units", [recipe])])
