"""The Slurm example with a real slurmctld, slurmd and munged on this machine: 50 files in 4 tasks, one of which is killed.

usage: slurm_test.py PROGRAM

Needs root (slurmd starts jobs as their users) and Debian's slurmctld, slurmd, slurm-client and munge; exit status 77 where they are missing.
Everything lies in a temporary folder, on ports of its own, and is ended at the end.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
example = root / "example-projects/slurm"
PARTS, FILES, KILLED = 4, 50, 3


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def skipped(*programs):
    """Says why Slurm's daemons cannot be started here, where that is so: exit status 77 for CTest."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", *programs) if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print(f"skipped: {'needs root' if os.geteuid() else 'not installed: ' + ' '.join(missing)}")
        return True
    return False


class Cluster:
    """One node that several tasks share, or one with GPUs that are made up (GRES), beside nodes that are only configured."""

    def __init__(self, folder, gres=None, others=()):
        self.folder = folder
        self.processes = []
        self.host = socket.gethostname().split(".")[0]
        for name in ("state", "spool", "log", "munge"):
            (folder / name).mkdir(mode=0o700)
        key = folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.socket = folder / "munge/socket"
        (folder / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.socket}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
{"GresTypes=gpu" if gres else ""}
NodeName={self.host} NodeAddr=127.0.0.1 CPUs={PARTS} State=UNKNOWN {f"Gres={gres}" if gres else ""}
{chr(10).join(others)}
PartitionName=all Nodes=ALL Default=YES OverSubscribe=YES State=UP
""")
        lines = []
        for item in filter(None, (gres or "").split(",")):
            _, kind, count = item.split(":")
            for _ in range(int(count)):  # a file stands for the device: such GPUs are counted and scheduled as real ones are
                device = folder / f"nvidia{len(lines)}"
                device.touch()
                lines.append(f"Name=gpu Type={kind} File={device}\n")
        (folder / "gres.conf").write_text("".join(lines))
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self, *command):
        log = open(self.folder / "log" / pathlib.Path(command[0]).name, "ab")
        self.processes.append(subprocess.Popen([str(c) for c in command], env=self.environment, stdout=log, stderr=log))

    def __enter__(self):
        self.folder.chmod(0o755)
        (self.folder / "munge").chmod(0o755)
        self.start("munged", "--foreground", "--force", f"--key-file={self.folder}/munge/key", f"--socket={self.socket}",
                   f"--pid-file={self.folder}/munge/pid", f"--log-file={self.folder}/log/munge.log", f"--seed-file={self.folder}/munge/seed")
        self.wait(lambda: self.socket.exists(), "munged")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", self.host)
        self.wait(lambda: "idle" in self.output("sinfo", "-h", "-n", self.host, "-o", "%T", check=False), "the node")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def output(self, *command, check=True, **options):
        return subprocess.run([str(c) for c in command], env=self.environment, check=check, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **options).stdout

    def wait(self, condition, what, seconds=60):
        for _ in range(seconds * 5):
            if condition():
                return
            time.sleep(0.2)
        logs = "\n".join(f"--- {log.name}\n" + log.read_text(errors="replace")[-3000:] for log in (self.folder / "log").iterdir())
        raise SystemExit(f"slurm: waited {seconds} s for {what}\n{logs}")

    def run_array(self, script, *arguments, cwd, tasks, before_end=None):
        job = self.output("sbatch", "--parsable", f"--array={tasks}", script, *arguments, cwd=cwd).split()[0]
        if before_end:
            before_end(job)
        self.wait(lambda: not self.output("squeue", "-h", "-j", job, check=False).replace("slurm_load_jobs error: Invalid job id specified", "").strip(),
                  f"job {job}", 120)


def make_files(program, folder):
    """50 copies of one cubin, which the program itself says is fine for its GPU."""
    make_inputs = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
    subprocess.run([make_inputs, folder / "inputs"], check=True)
    data = folder / "data"
    data.mkdir()
    for number in range(FILES):
        shutil.copy(folder / "inputs/good.cubin", data / f"{number:02}.cubin")
    return data


def merged(program, results, status):
    done = subprocess.run([program, "merge", "--format", "json", *sorted(results.glob("part-*.json"))], stdout=subprocess.PIPE, check=False)
    document = json.loads(done.stdout)
    assert done.returncode == status, (done.returncode, document)
    return document


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if skipped("sbatch"):
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        data = make_files(program, folder)
        results = folder / "results"
        results.mkdir()
        os.environ["CUDA_ARCH_GUARD"] = str(program)
        with Cluster(folder) as cluster:
            cluster.run_array(example / "check.sbatch", data, "8.0", cwd=folder, tasks=f"1-{PARTS}")
            whole = merged(program, results, 0)
            assert whole["verdict"] == "pass" and whole["merged"] == {"parts": PARTS, "missing": [], "unreadable": []}, whole
            judged = sum(json.loads(part.read_text())["shard"]["modules"] for part in results.glob("part-*.json"))
            assert judged == FILES, judged
            print(f"ok: {FILES} files in {PARTS} tasks: {whole['verdict']}")

            # The same with a program that hangs in one task, which is then killed.
            slow = folder / "slow"
            slow.write_text(f'#!/bin/bash\n[ "$SLURM_ARRAY_TASK_ID" = {KILLED} ] && sleep 600\nexec {program} "$@"\n')
            slow.chmod(0o755)
            os.environ["CUDA_ARCH_GUARD"] = cluster.environment["CUDA_ARCH_GUARD"] = str(slow)

            def kill(job):
                cluster.wait(lambda: len(list(results.glob("part-*.json"))) >= PARTS - 1 and
                             f"{job}_{KILLED}" in cluster.output("squeue", "-h", "-o", "%i %T", "-j", job, check=False), "the other tasks")
                cluster.output("scancel", "--signal=KILL", "--full", f"{job}_{KILLED}")

            for part in results.glob("part-*.json"):
                part.unlink()
            cluster.run_array(example / "check.sbatch", data, "8.0", cwd=folder, tasks=f"1-{PARTS}", before_end=kill)
            rest = merged(program, results, 2)
            assert rest["verdict"] == "undecided" and rest["merged"]["missing"] == [KILLED], rest
            print(f"ok: task {KILLED} killed: {rest['verdict']}, part {rest['merged']['missing']} missing")

            nodes = folder / "nodes"
            nodes.mkdir()
            # The status is doctor's, which finds no GPU here.
            cluster.output("sbatch", "--wait", "--nodes=1", "--ntasks-per-node=1", f"--export=ALL,CUDA_ARCH_GUARD={program}",
                           example / "doctor.sbatch", cwd=folder, check=False)
            (node,) = nodes.glob("*.survey.json")
            assert json.loads(node.read_text())["command"] == "survey", node.read_text()
            (verdict,) = nodes.glob("*.doctor.txt")
            assert verdict.read_text().strip(), (nodes / "log.txt").read_text()
            print(f"ok: doctor on one node: {verdict.read_text().splitlines()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
