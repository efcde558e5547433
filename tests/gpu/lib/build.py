"""Builds recipes with nvcc: one folder a program (the program `run`, its libraries), one file a load."""

import hashlib
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

from . import fatbin, recipe

SOURCES = Path(__file__).resolve().parent.parent / "sources"
OTHER_TOOLKITS = ("12.9", "13.5")
SUFFIXES = {"sm": ".cubin", "compute": ".ptx", "lto": ".ltoir"}


class BuildError(Exception):
    pass


class Toolkit:
    def __init__(self, nvcc):
        self.nvcc = str(Path(nvcc).resolve())
        text = subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        self.release = re.search(r"release (\d+\.\d+)", text).group(1)
        self.root = Path(self.nvcc).parent.parent

    def tool(self, name):
        return str(Path(self.nvcc).parent / name)

    def library(self, pattern):
        """A library of the toolkit, by pattern; NVIDIA's installer has lib64, the wheels of PyPI lib."""
        for folder in ("lib64", "lib"):
            found = sorted((self.root / folder).glob(pattern))
            if found:
                return found[0]
        raise BuildError(f"no {pattern} below {self.root}; install the CUDA runtime of {self.release} beside its nvcc")

    def runtime(self):
        return self.library("libcudart.so.*[0-9]")


class Builder:
    def __init__(self, toolkits, runtimes, output):
        self.toolkits = toolkits  # release -> Toolkit
        self.runtimes = runtimes  # name -> path of a libcudart.so.N
        self.output = Path(output).resolve()
        self.cache = self.output / "objects"
        self.cache.mkdir(parents=True, exist_ok=True)

    # -- steps

    def run(self, command):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(" ".join(str(c) for c in command) + "\n" + done.stdout + done.stderr)
        return "\n".join(line for line in (done.stdout + done.stderr).splitlines() if "SM Arch" in line)

    def cached(self, suffix, key, make):
        """The file made by `make(path)` from everything in `key`; what is there already is taken."""
        sources = b"".join((SOURCES / name).read_bytes() for name in ("unit.cuh", "probe.h"))
        digest = hashlib.sha256(repr(key).encode() + sources).hexdigest()[:24]
        path = self.cache / (digest + suffix)
        if not path.exists():
            work = path.with_name(f"{digest}.{worker()}{suffix}")  # others may be making the same
            make(work)
            work.rename(path)
        return path

    def source(self, defines):
        text = "".join(f"#define {d.replace('=', ' ')}\n" for d in defines) + '#include "unit.cuh"\n'
        path = self.cache / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".cu")
        if not path.exists():
            work = path.with_suffix(f".{worker()}")
            work.write_text(text)
            work.rename(path)
        return path

    def defines(self, index, unit):
        defines = [f"UNIT={index}"] + unit["define"]
        if unit["rdc"]:
            defines += ["RELOCATABLE"] + [f"CALL_{c}" for c in unit["calls"]]
        return defines

    def image(self, image, number, defines, rdc):
        """One cubin, PTX or LTO-IR file. Its kernel tells `number`, so that the record can say which image ran."""
        kind, arch = recipe.split(image["image"])
        tools = self.toolkits[image["toolkit"]]
        defines = defines + [f"IMAGE={number}"]
        suffix = SUFFIXES[kind]
        flags = [f"-gencode=arch=compute_{image.get('compiled_for', arch)},code={image['image']}"]
        flags += [suffix.replace(".", "-")] + (["-dc"] if rdc or kind == "lto" else [])

        def make(path):
            self.run([tools.nvcc, "-I", SOURCES] + flags + [self.source(defines), "-o", path])
            if "isa" in image:  # an older or a newer PTX ISA version, as other toolkits write it
                text = path.read_text()
                path.write_text(re.sub(r"(?m)^\.version .*$", f".version {image['isa']}", text))

        return kind, arch, self.cached(suffix, (tools.release, flags, defines, image.get("isa")), make)

    def container(self, what, defines, rdc):
        """The `fatbin` of a unit or a load: its images in their order."""
        images = [self.image(image, n, defines, rdc) for n, image in enumerate(what["fatbin"])]
        images = [({"sm": "elf", "compute": "ptx", "lto": "nvvm"}[kind], arch, file) for kind, arch, file in images]
        newest = max((image["toolkit"] for image in what["fatbin"]), key=release_key)
        command = lambda path: fatbin.create(self.toolkits[newest].tool("fatbinary"), images, path, what["compress"], rdc)  # noqa: E731
        return self.cached(".fatbin", command("")[1:] + [newest], lambda path: self.run(command(path)))

    def object(self, index, unit, pic):
        tools, defines = self.toolkits[unit["toolkit"]], self.defines(index, unit)
        flags = ["-I", SOURCES, "-dc" if unit["rdc"] else "-c"] + (["-Xcompiler", "-fPIC"] if pic else [])
        if "fatbin" in unit:
            flags += recipe.gencode(["sm_90"])  # gives way to the fatbin
        else:
            flags += recipe.gencode(unit["images"]) + unit["flags"].split()
            flags += [f"--compress-mode={unit['compress']}"] if unit["compress"] else []

        def make(path):
            self.run([tools.nvcc] + flags + [self.source(defines), "-o", path])
            if "fatbin" in unit:
                fatbin.put_section(path, unit["rdc"], self.container(unit, defines, unit["rdc"]))
            if "damage" in unit:
                bytes_path = path.with_suffix(".section")
                fatbin.take_section(path, unit["rdc"], bytes_path)
                bytes_path.write_bytes(fatbin.damaged(bytes_path.read_bytes(), unit["damage"]))
                fatbin.put_section(path, unit["rdc"], bytes_path)
                bytes_path.unlink()

        key = (tools.release, flags[2:], defines, unit.get("fatbin"), unit.get("damage"), unit["compress"])
        return self.cached(".o", key, make)

    # -- programs

    def program(self, program):
        """Builds into OUTPUT/<name>/ and returns what the linker said."""
        folder = self.output / program["name"]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        libraries = program.get("libraries", {})
        objects = []
        for index, unit in enumerate(program["units"]):
            obj = self.object(index, unit, pic=bool(libraries))
            own = folder / f"unit_{index}.o"  # the object's name is in the linker's messages
            shutil.copy(obj, own)
            if unit.get("archive"):
                archive = folder / f"libunit_{index}.a"
                self.run(["ar", "rcs", archive, own])
                own = archive
            objects.append(own)
        said = []
        opened, linked = [], []
        for name, how in libraries.items():
            members = [o for o, unit in zip(objects, program["units"]) if unit.get("in") == name]
            file = f"lib{name}.so"
            said.append(self.link(program, folder, members, folder / file, ["-shared", "-Xlinker", f"-soname={file}"]))
            (opened if how == "opened" else linked).append(file)
        main = folder / "main.o"
        names = "".join(f'"{file}",' for file in opened)
        self.run(["g++", "-c", "-I", SOURCES, f"-DUNITS={len(objects)}", f"-DLIBRARIES={names}", SOURCES / "main.cpp", "-o", main])
        members = [o for o, unit in zip(objects, program["units"]) if "in" not in unit]
        extra = ["-Xlinker", "--export-dynamic", "-Xlinker", "-rpath=$ORIGIN", "-Xlinker", "--no-as-needed"]
        for file in linked:
            extra += ["-Xlinker", folder / file]
        said.append(self.link(program, folder, [main] + members, folder / "run", extra))
        for leftover in list(folder.glob("*.o")) + list(folder.glob("*.a")) + list(folder.glob("libcudart.so")):
            leftover.unlink()
        self.run(["strip", folder / "run"])
        return "\n".join(s for s in said if s)

    def link(self, program, folder, objects, output, extra):
        tools = self.toolkits[max([program["toolkit"]] + [unit["toolkit"] for unit in program["units"]], key=release_key)]
        if "groups" in program:
            return self.link_groups(program, tools, folder, objects, output, extra)
        command = [tools.nvcc, "-o", output] + objects + self.link_flags(program)
        for archive in (o for o in objects if o.suffix == ".a"):  # nothing refers to its unit by name: main.cpp asks at run time
            command += ["-Xlinker", f"--undefined={archive.stem[3:]}"]
        return self.run(command + extra + self.cudart(program, tools))

    def link_flags(self, program):
        flags = recipe.gencode(program["link"]) + program["link_flags"].split()
        return flags + (["-cudadevrt", "none"] if program.get("cudadevrt") is False else [])

    def link_groups(self, program, tools, folder, objects, output, extra):
        """A device link for each group of units, then one host link that knows nothing of device code."""
        said, linked = [], []
        for number, group in enumerate(program["groups"]):
            members = [folder / f"unit_{index}.o" for index in group]
            linked.append(folder / f"group_{number}.o")
            said.append(self.run([tools.nvcc, "-dlink", "-cudadevrt", "none"] + members + self.link_flags(program) + ["-o", linked[-1]]))
        host = [e for e in extra if e != "-Xlinker"]
        host = [f"-Wl,{e}" if str(e).startswith("-") and e != "-shared" else e for e in host]
        self.run(["g++", "-o", output] + objects + linked + host + [tools.library("libcudart_static.a"), "-ldl", "-lrt", "-lpthread"])
        return "\n".join(s for s in said if s)

    def cudart(self, program, tools):
        if program["cudart"] == "static":
            return []
        library = self.runtimes[program["runtime"]] if "runtime" in program else tools.runtime()
        folder = self.output / program["name"]
        if not (folder / soname(library)).exists():
            shutil.copy(library, folder / soname(library))
            (folder / "libcudart.so").symlink_to(soname(library))
        return ["-cudart", "shared", "-L", folder]  # with `none` and a file nvcc would leave the device link out

    # -- loads

    def load(self, load):
        """Builds OUTPUT/loads/<name>.<cubin|ptx|fatbin>; returns its name."""
        folder = self.output / "loads"
        folder.mkdir(exist_ok=True)
        defines = ["UNIT=0"] + load["define"] + (["RELOCATABLE"] if load["rdc"] else [])
        if load["kind"] == "fatbin":
            suffix, content = ".fatbin", self.container(load, defines, load["rdc"]).read_bytes()
            if "damage" in load:
                content = fatbin.damaged(content, load["damage"])
        else:
            kind, _, made = self.image(load["fatbin"][0], 0, defines, load["rdc"])
            suffix, content = SUFFIXES[kind], made.read_bytes()
            if "damage" in load:
                content = fatbin.truncated(content, load["damage"])
        path = folder / (load["name"] + suffix)
        path.write_bytes(content * load["copies"])
        return path.name

    def loader(self, tools):
        self.run([tools.nvcc, "-I", SOURCES, "-o", self.output / "load", SOURCES / "load.cpp", "-ldl"])


def worker():
    """A name that no other thread or process has, for files being made."""
    return f"{os.getpid()}-{threading.get_ident()}"


def release_key(release):
    return tuple(int(part) for part in release.split("."))


def soname(library):
    """libcudart.so.13.0.96 is looked for as libcudart.so.13."""
    return ".".join(Path(library).name.split(".")[:3])


def find_toolkit(nvcc):
    found = shutil.which(nvcc)
    if not found:
        raise BuildError(f"no nvcc at '{nvcc}': give --nvcc PATH")
    return Toolkit(found)


def add_toolkit_options(parser):
    parser.add_argument("--nvcc", default="nvcc", help="the nvcc of toolkit 13.0, which most recipes ask for")
    for release in OTHER_TOOLKITS:
        parser.add_argument(f"--nvcc-{release}", metavar="PATH", help=f"nvcc {release}, for recipes that name it")
    parser.add_argument("--runtime", action="append", default=[], metavar="NAME=LIBCUDART", help="a libcudart.so of a release without an nvcc here")


def toolkits_of(options):
    """release -> Toolkit, and release -> libcudart.so, of the options above; a toolkit brings its own."""
    nvccs = [options.nvcc] + [getattr(options, f"nvcc_{release}") for release in OTHER_TOOLKITS]
    toolkits = {toolkit.release: toolkit for toolkit in (find_toolkit(nvcc) for nvcc in nvccs if nvcc)}
    runtimes = {release: toolkit.runtime() for release, toolkit in toolkits.items()}
    return toolkits, {**runtimes, **dict(text.split("=", 1) for text in options.runtime)}


def missing_for(entry, toolkits, runtimes):
    """The options that would have to name what a recipe needs and is not here."""
    nvccs = [f"nvcc {release} (--nvcc-{release} PATH)" for release in sorted(recipe.toolkits_of(entry) - set(toolkits))]
    wanted = entry.get("runtime")
    return nvccs or ([] if wanted in (None, *runtimes) else [f"the CUDA runtime {wanted} (--runtime {wanted}=LIBCUDART)"])
