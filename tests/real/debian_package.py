#!/usr/bin/env python3
"""NVIDIA's libraries as Debian ships them (non-free): every file with device code has the same modules when it is read from the .deb and from
the unpacked tree. apt works with lists of its own; nothing on the system changes.

usage: debian_package.py PROGRAM CACHE
"""
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile

wheels = runpy.run_path(str(pathlib.Path(__file__).with_name("large_wheels.py")))
modules_in, check_each = wheels["modules_in"], wheels["check_each"]
PACKAGES = ["libcurand10", "libcufft10", "libcublas11"]  # of Debian 12: CUDA 11.8


def fetch(names, cache):
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for part in ("lists/partial", "archives/partial"):
            (folder / part).mkdir(parents=True)
        (folder / "sources").write_text("deb http://deb.debian.org/debian bookworm non-free\n")
        options = [f"-oDir::Etc::sourcelist={folder}/sources", "-oDir::Etc::sourceparts=/dev/null", f"-oDir::State::lists={folder}/lists",
                   f"-oDir::Cache={folder}", "-oAPT::Sandbox::User=root"]
        missing = [name for name in names if not list(cache.glob(f"{name}_*.deb"))]
        if missing:
            subprocess.run(["apt-get", *options, "--quiet", "update"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["apt-get", *options, "--quiet", "download", *missing], check=True, cwd=cache, stdout=subprocess.DEVNULL)
    return [next(cache.glob(f"{name}_*.deb")) for name in names]


def check(program, package):
    members = modules_in(program, package, lambda file: file["member"].split("!./", 1)[1])
    with tempfile.TemporaryDirectory(dir=package.parent) as folder:
        subprocess.run(["dpkg-deb", "--extract", str(package), folder], check=True)
        unpacked = modules_in(program, folder, lambda file: str(pathlib.Path(file["path"]).relative_to(folder)))
    assert unpacked == members, "the package and the unpacked tree differ"
    assert members, "there is no device code"
    return f"{len(members)} files, {sum(map(len, members.values()))} modules"


def main():
    program, cache = sys.argv[1], pathlib.Path(sys.argv[2])
    missing = [tool for tool in ("apt-get", "dpkg-deb") if not shutil.which(tool)]
    if missing:
        print(f"skipped: not installed: {' '.join(missing)}")
        return 77
    packages = {package.name: package for package in fetch(PACKAGES, cache)}
    return check_each(packages, lambda name: check(program, packages[name]))


if __name__ == "__main__":
    sys.exit(main())
