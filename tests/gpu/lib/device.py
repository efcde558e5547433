"""Runs what was built, on this machine's GPU, and says what the machine is."""

import ctypes
import json
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import recipe

DATA = Path(__file__).resolve().parents[3] / "src" / "data"


class NoDevice(Exception):
    pass


def machine():
    """The GPU, the driver, and the GPU's UUID (which goes into environments, never into the record)."""
    try:
        text = subprocess.run(["nvidia-smi", "--query-gpu=name,compute_cap,driver_version,uuid", "--format=csv,noheader"],
                              capture_output=True, text=True, check=True).stdout
        name, capability, version, uuid = [field.strip() for field in text.splitlines()[0].split(",")]
        driver = ctypes.CDLL("libcuda.so.1")
    except (OSError, IndexError, ValueError, subprocess.CalledProcessError):
        raise NoDevice("no NVIDIA GPU with a driver here (nvidia-smi lists none)") from None
    number = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(number))
    cuda = f"{number.value // 1000}.{number.value % 1000 // 10}"
    with open(DATA / "ptx_isa.json", encoding="utf-8") as file:
        isa = {row["cuda"]: row["ptx_isa"] for row in json.load(file)["rows"]}.get(cuda)
    return {"name": name, "capability": capability}, {"version": version, "cuda": cuda, "max_ptx_isa": isa}, uuid


def environment(text, uuid):
    """The variables of a run. {uuid} stands for the GPU's UUID, {uuid-prefix} for its first twelve characters ("GPU-" and eight more)."""
    text = text.replace("{uuid}", uuid).replace("{uuid-prefix}", uuid[:12])
    ours = {k: v for k, v in os.environ.items() if not (k.startswith("CUDA_") or k.startswith("NVIDIA_"))}
    return {**ours, "CUDA_CACHE_DISABLE": "1", **recipe.settings(text)}


def answers(command, variables, folder):
    """The JSON lines that a test program prints, or why it printed none."""
    try:
        done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return [], "no answer in 120 seconds"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode < 0:
        return lines, f"killed by {signal.Signals(-done.returncode).name}"
    return lines, (done.stderr.strip()[:300] or f"exit status {done.returncode}") if done.returncode else None


def told(code, listed):
    """What the kernel wrote (see sources/probe.h), in the record's words; nothing when it did not run or has no body."""
    target, variant, toolkit, image, _ = code
    if not target:
        return {}
    words = {"ran": f"{target}{('', 'a', 'f')[variant]}", "compiled_by": f"{toolkit // 100}.{toolkit % 100}"}
    return {**words, "image": image - 1} if listed else words


def outcome_of_program(folder, program, env, uuid):
    lines, trouble = answers(["./run"], environment(env, uuid), folder)
    kernels = []
    for line in lines:
        kernel = {"unit": line["unit"], "kernel": line["kernel"], "error": line["launch"] or line["sync"]}
        if line["symbol"] >= 0:
            kernel["symbol_error"] = line["symbol"]
        kernels.append({**kernel, **told(line["code"], "fatbin" in program["units"][line["unit"]])})
    return {"env": env, "kernels": kernels, **({"trouble": trouble} if trouble else {})}


def outcome_of_load(folder, file, api, env, uuid):
    lines, trouble = answers(["./load", api, "_Z2k0Pi", f"loads/{file}"], environment(env, uuid), folder)
    outcome = {"api": api, "env": env, **({"trouble": trouble} if trouble else {})}
    for line in lines:
        outcome.update({"error": line["error"], **({"step": line["step"]} if line["error"] else {}), **told(line["code"], True)})
    return outcome


def run_all(folder, programs, files, loads, uuid, jobs):
    """Outcomes of every program and load in every environment, in the order of the recipes."""
    folder = Path(folder)
    with ThreadPoolExecutor(jobs) as pool:
        runs = [(program, [pool.submit(outcome_of_program, folder / program["name"], program, env, uuid) for env in program["envs"]])
                for program in programs]
        tries = [(load, [pool.submit(outcome_of_load, folder, files[load["name"]], api, env, uuid) for api in load["apis"] for env in load["envs"]])
                 for load in loads]
        return tuple([{**thing, "outcomes": [f.result() for f in futures]} for thing, futures in some] for some in (runs, tries))
