"""Follows docs/lab.md literally: every console block, in order, in one folder, with bash; and the two recipes of example-projects/lab.

usage: lab_guide_test.py PROGRAM PREFIX

PREFIX: where the CMake package is found. The tools of a cluster are stood in for by programs that print what the real ones printed (tests/data/lab).
Exit status 77 without nvcc.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = {"scontrol": "lab/slurm-nodes.txt", "kubectl": "lab/kubernetes-nodes.json", "curl": "lab/dcgm-metrics.txt",
            "ansible-inventory": "lab/ansible-inventory.json", "nvidia-smi": "recorded/h200-nvidia-smi-q.txt"}


def squeeze(text):
    return " ".join(text.split())


def commands(page):
    """(command, expected output) of every console block; a command with <<'END' goes on to that line."""
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            end = part.index("\nEND\n") + 4 if part.split("\n", 1)[0].endswith("<<'END'") else part.index("\n")
            yield part[:end], part[end + 1:]


def matches(expected, found):
    parts = [re.escape(squeeze(part)) for part in expected.split("...")]
    return re.fullmatch(r"\s*.*?\s*".join(parts), squeeze(found)) is not None


def stand_in(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def follow(page, folder, environment):
    wrong = run = 0
    for command, expected in commands(page):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        run += 1
        if not matches(expected, done.stdout):
            wrong += 1
            print(f"$ {command}\n--- the page says:\n{expected}--- it printed:\n{done.stdout}")
    print(f"{run} commands, {wrong} print something else")
    return wrong == 0 and run > 20


def recipes(folder, environment):
    """Status of the prolog and the mail of the cron line, for a node as declared, one that is not, and one that nobody declared."""
    (folder / "node.json").write_text('{"lab_version": 1, "machines": [{"name": "ok", "gpus": ["H200"], "driver": "580"}, '
                                      '{"name": "changed", "gpus": ["A100"], "driver": "580"}]}')
    stand_in(folder / "bin", "mail", f"cat > {folder}/mail.txt\n")
    line = next(line for line in (ROOT / "example-projects/lab/lab-drift.cron").read_text().splitlines() if line.startswith("0 6"))
    for name, status, mailed in (("ok", 0, False), ("changed", 1, True), ("stranger", 0, True)):
        own = {**environment, "LAB": str(folder / "node.json"), "SLURMD_NODENAME": name, "CUDA_ARCH_GUARD_FROM": str(folder / "h200-1.txt")}
        done = subprocess.run([ROOT / "example-projects/lab/slurm-prolog.sh"], env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert done.returncode == status, (name, done.returncode)
        (folder / "mail.txt").unlink(missing_ok=True)
        subprocess.run(["sh", "-c", line.split("root ", 1)[1]], env={**own, "CUDA_ARCH_GUARD_MACHINE": name}, stderr=subprocess.DEVNULL)
        assert (folder / "mail.txt").exists() == mailed, name
    print("ok: the Slurm prolog and the cron line")


def main():
    program, prefix = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        print("skipped: there is no nvcc")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "bin").mkdir()
        (folder / "bin/cuda-arch-guard").symlink_to(program)
        for name, recorded in RECORDED.items():
            stand_in(folder / "bin", name, f"cat {ROOT}/tests/data/{recorded}\n")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA", "CMAKE"))}
        environment |= {"PATH": f"{folder}/bin:{pathlib.Path(nvcc).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "COLUMNS": "100",
                        "CMAKE_PREFIX_PATH": str(prefix)}
        followed = follow((ROOT / "docs/lab.md").read_text(encoding="utf-8"), folder, environment)
        recipes(folder, environment)
        subprocess.run([sys.executable, ROOT / "example-projects/docker/check_dockerfile.py", folder / "Dockerfile"], check=True)
        return 0 if followed else 1


if __name__ == "__main__":
    sys.exit(main())
