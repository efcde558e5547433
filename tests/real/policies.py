#!/usr/bin/env python3
"""Policies of published wheels: one that holds, the same with a GPU too many, and a baseline that sees what gets lost.

usage: policies.py --program cuda-arch-guard --cache DIR
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

TORCHVISION = ("torchvision==0.29.2", "manylinux_2_28_x86_64")
BITSANDBYTES = ("bitsandbytes==0.50.2", "manylinux_2_24_aarch64")


def wheel(cache, requirement, platform):
    pattern = f"{requirement.replace('==', '-')}-*{platform}*.whl"
    if not list(cache.glob(pattern)):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(cache), "--platform",
                        platform, "--python-version", "3.11", requirement], check=True)
    return next(cache.glob(pattern))


def torchvision_policy(*gpus):
    return {"policy_version": 1,
            "require": [{"sass": ["75", "80", "86", "90", "100", "120"], "ptx": ["121"]}, {"runs_on": ["RTX 3090", "H100", "RTX 5090", *gpus]}],
            "forbid": {"debug": True, "ltoir_only": True}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--cache", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        policy = folder / "cuda-arch-guard.json"

        def guard(*words):
            return subprocess.run([arguments.program, *map(str, words)], cwd=folder, capture_output=True, check=False, text=True)

        def errors(path):
            done = guard("verify", path, "--format", "json")
            return done.returncode, [finding for finding in json.loads(done.stdout)["findings"] if finding["level"] == "error"]

        torchvision = wheel(arguments.cache, *TORCHVISION)
        policy.write_text(json.dumps(torchvision_policy()))
        assert errors(torchvision) == (0, []), errors(torchvision)
        policy.write_text(json.dumps(torchvision_policy("11.0")))
        done = guard("verify", torchvision)
        assert done.returncode == 1 and done.stdout.count("✗ CAG") == 1 and "CAG103" in done.stdout, done.stdout

        policy.unlink()
        bitsandbytes = wheel(arguments.cache, *BITSANDBYTES)
        assert guard("policy", "init", bitsandbytes).returncode == 0
        assert errors(bitsandbytes) == (0, []), errors(bitsandbytes)
        copy = folder / "copy"
        with zipfile.ZipFile(bitsandbytes) as archive:
            archive.extractall(copy)
        assert errors(copy) == (0, []), "an unpacked wheel is named as the wheel"
        library = copy / "bitsandbytes" / "libbitsandbytes_cuda130.so"
        library.unlink()
        status, found = errors(copy)
        assert status == 1 and [finding["code"] for finding in found] == ["CAG109"], found
        shutil.copy(copy / "bitsandbytes" / "libbitsandbytes_cuda126.so", library)
        status, found = errors(copy)
        assert status == 1 and {pathlib.Path(finding["path"]).name for finding in found} == {library.name}, found
        assert {finding["arch"] for finding in found} == {"100", "110", "120", "121"}, found
        warnings = [f for f in json.loads(guard("verify", copy, "--format", "json").stdout)["findings"] if f["level"] == "warning" and f["code"] != "CAG509"]
        others = {pathlib.Path(finding["path"]).name for finding in warnings if finding["path"]} - {library.name}
        assert not others, others
    print("policies: torchvision, and the baseline of bitsandbytes: as expected")


if __name__ == "__main__":
    main()
