"""`lab import` of what Slurm really prints: slurmctld, slurmd and munged of Debian run here, with GPUs that are made up (GRES without devices).

usage: lab_import_test.py PROGRAM [--record FOLDER]

--record writes what Slurm printed, as text and as JSON, with this machine's name replaced: tests/data/lab is made so. Needs root and
Debian's slurmctld, slurmd, slurm-client and munge; exit status 77 where they are missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from slurm_test import Cluster, skipped

GRES = "gpu:h200:6,gpu:rtx_3090:2"
OTHERS = ["NodeName=gpu-[01-02] NodeAddr=127.0.0.2 CPUs=8 Gres=gpu:a100:4 Features=ampere State=UNKNOWN",
          "NodeName=any-gpu NodeAddr=127.0.0.3 CPUs=8 Gres=gpu:2 State=UNKNOWN", "NodeName=cpu-01 NodeAddr=127.0.0.4 CPUs=8 State=UNKNOWN"]


def imported(program, path):
    done = subprocess.run([program, "lab", "import", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(done.stdout), done.stderr, done.returncode


def check(program, path, host):
    lab, said, status = imported(program, path)
    machines = {machine["name"]: machine for machine in lab["machines"]}
    assert sorted(machines) == sorted([host, "gpu-01", "gpu-02", "any-gpu"]), machines  # cpu-01 has none
    assert machines[host]["gpus"] == [{"gpu": "h200", "count": 6}, {"gpu": "rtx 3090", "count": 2}], machines[host]
    assert machines["gpu-01"]["gpus"] == [{"gpu": "a100", "count": 4}], machines["gpu-01"]
    assert machines[host]["tags"] == ["all"], machines[host]
    assert status == 1 and "any-gpu" in said, said  # Slurm was not told which kind of GPU it is
    print(f"ok: {path.name}: {len(machines)} machines")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    options = parser.parse_args()
    if skipped("scontrol"):
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with Cluster(folder, GRES, OTHERS) as cluster:
            # Before Slurm 23.02 scontrol had no --json, and sinfo printed the same document.
            as_json = cluster.output("scontrol", "show", "node", "--json", check=False)
            if "unrecognized option" in as_json:
                as_json = cluster.output("sinfo", "--json")
            for name, text in (("slurm-nodes.txt", cluster.output("scontrol", "show", "node")), ("slurm-nodes.json", as_json)):
                (folder / name).write_text(text)
                if options.record:
                    kernel = os.uname()
                    for own, neutral in ((cluster.host, "gpu-host"), (kernel.version, "#1 SMP Debian"), (kernel.release, "6.1.0-1-amd64"),
                                         (str(folder), "/etc/slurm")):
                        text = text.replace(own, neutral)
                    (options.record / name).write_text(text)
                check(options.program.resolve(), folder / name, cluster.host)
    return 0


if __name__ == "__main__":
    sys.exit(main())
