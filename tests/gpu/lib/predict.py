"""Asks cuda-arch-guard about what was built and compares its answer with the record."""

import json
import re
import subprocess
from pathlib import Path

from . import recipe


CRASHED = -1  # stands for the error of a process that was killed; no prediction has it


def ask(program, files, gpu, driver, env):
    """The answer's files by path, and what is wrong with the answer as a whole. Exit statuses 1 and 2 are answers too."""
    command = [program, "predict", *files, "--gpu", gpu, "--driver", driver, "--format", "json"]
    for name, value in recipe.settings(env).items():
        command += ["--env", f"{name}={value}"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    try:
        answer = {file["path"]: file for file in json.loads(done.stdout)["files"]}
        return answer, None if done.returncode == status_for(answer) else f"exit status {done.returncode}"
    except (ValueError, KeyError):
        return {}, f"no JSON from {' '.join(str(part) for part in command)} (exit status {done.returncode}): {done.stderr.strip()[:300]}"


def status_for(answer):
    """1 where anything fails, else 2 where anything is not known or not read, else 0."""
    kinds = {o["outcome"] for file in answer.values() for m in file["modules"] for o in m.get("outcomes") or []}
    return 1 if "fails" in kinds else 2 if "unknown" in kinds or not kinds or any(file["problems"] for file in answer.values()) else 0


def outcomes_of(file):
    """kernel -> its outcomes, in the order of the modules."""
    found = {}
    for module in file.get("modules", []):
        for outcome in module.get("outcomes") or []:
            found.setdefault(outcome["kernel"], []).append(outcome)
    return found


def words(outcome):
    if outcome is None:
        return "nothing"
    if outcome["outcome"] == "fails":
        return f"error {outcome['error']['code']}" if outcome.get("error") else "fails"
    image = outcome.get("image")
    return outcome["outcome"] + (f" from {image['kind']} {image['arch']}" if image else "")


def depends_on_machine(env):
    """Whether a variable names GPUs by a number or UUID that only the recorded machine had or lacked."""
    first = recipe.settings(env).get("CUDA_VISIBLE_DEVICES", "").split(",")[0]
    return "{uuid" in env or re.match(r"[+]?[1-9]|GPU-|MIG-", first) is not None


def differs(outcome, error, taken):
    """Whether a prediction is not what was recorded; `taken` is the image known to have run, as 'sm_90', or None. A crash of the driver
    has no number: it is foreseen as `unknown`."""
    if outcome is None or (outcome["outcome"] == "unknown") != (error == CRASHED):
        return True
    if error == CRASHED:
        return False
    if outcome["confidence"] != "measured":
        return True
    if error:
        return outcome["outcome"] != "fails" or (outcome.get("error") or {}).get("code") != error
    if outcome["outcome"] not in ("sass", "jit"):
        return True
    if not taken:
        return False
    kind, arch = recipe.split(taken)
    image = outcome.get("image") or {}
    return (image.get("kind"), image.get("arch")) != ({"sm": "sass", "compute": "ptx"}.get(kind), arch)


def taken_image(unit, recorded):
    """The image that ran, where the record tells more than its target: the unit's own list says which image that number is."""
    if "image" in recorded and "fatbin" in unit:
        return unit["fatbin"][recorded["image"]]["image"]
    return None


def compare_program(asked, program, folder, gpu, driver):
    """(number of comparisons, differences) over every environment of a program that was built into `folder`."""
    folder, count, differences = Path(folder), 0, []
    files = [folder / "run"] + [folder / f"lib{name}.so" for name in program.get("libraries", {})]
    for recorded in program["outcomes"]:
        if depends_on_machine(recorded["env"]):
            continue
        answer, trouble = ask(asked, files, gpu, driver, recorded["env"])
        left = {path: outcomes_of(file) for path, file in answer.items()}
        for number, kernel in enumerate(recorded["kernels"]):
            unit = program["units"][kernel.get("unit", number)]
            path = folder / (f"lib{unit['in']}.so" if "in" in unit else "run")
            outcome = taken_from(left.get(str(path), {}), name_of(kernel, unit, number))
            count += 1
            if differs(outcome, kernel["error"], taken_image(unit, kernel)) or trouble:
                ran = f" from {taken_image(unit, kernel) or kernel['ran']}" if "ran" in kernel else ""
                happened = f"error {kernel['error']}" if kernel["error"] else "ran" + ran
                differences.append({"name": program["name"], "env": recorded["env"], "kernel": name_of(kernel, unit, number),
                                    "recorded": happened, "predicted": trouble or words(outcome)})
    return count, differences


def taken_from(outcomes, kernel):
    """The next outcome of that kernel; else of a module whose kernels have no names that can be read (LTO-IR, damage), which is for all."""
    for name in (kernel, ""):
        if outcomes.get(name):
            return outcomes[name].pop(0)
    return None


def name_of(kernel, unit, number):
    """The kernel's mangled name; records that do not say it have one kernel a unit."""
    if "kernel" in kernel:
        return kernel["kernel"]
    return "_Z2tkIiEvPT_" if "TEMPLATE" in unit["define"] else f"_Z2k{number}Pi"


def compare_load(asked, load, path, gpu, driver):
    count, differences, answers = 0, [], {}
    for recorded in load["outcomes"]:
        env = recorded["env"]
        if recorded.get("warm_cache"):  # JIT is forbidden, and was not needed: no prediction knows the cache
            continue
        if env not in answers:
            answers[env] = ask(asked, [path], gpu, driver, env)
        answer, trouble = answers[env]
        found = [o for file in answer.values() for os in outcomes_of(file).values() for o in os if o["kernel"] in ("_Z2k0Pi", "", None)]
        outcome = found[0] if found else None
        count += 1
        if not found and not any(file.get("problems") for file in answer.values()) and recorded.get("error") == 500 and recorded["step"] == "kernel":
            continue  # a kernel that no image has cannot be predicted for either
        error = recorded.get("error", CRASHED if "trouble" in recorded else 0)
        taken = load["fatbin"][recorded["image"]]["image"] if recorded.get("ran") and load["kind"] == "fatbin" else None
        if differs(outcome, error, taken) or trouble:
            happened = f"error {recorded['error']} at {recorded['step']}" if recorded.get("error") else recorded.get("trouble") or f"ran {taken or ''}"
            differences.append({"name": load["name"], "env": f"{env} ({recorded['api']})".strip(), "kernel": "_Z2k0Pi", "recorded": happened,
                                "predicted": trouble or words(outcome)})
    return count, differences
