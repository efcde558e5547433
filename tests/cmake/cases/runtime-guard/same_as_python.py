"""same_as_python.py CUDA_ARCH_GUARD FAKE_DRIVER_FOLDER PROGRAM...: the guard in Python says the same as the one in the program."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GPUS = ["7.5 Tesla T4", "8.6 RTX 3090", "8.7 Orin", "9.0 NVIDIA H200", "12.1 NVIDIA GB10", ""]
SETTINGS = [{"FAKE_CUDA_DRIVER": "13000"}, {"FAKE_CUDA_DRIVER": "13050"}, {"FAKE_CUDA_DRIVER": "12080"}, {"CUDA_DISABLE_PTX_JIT": "1"},
            {"CUDA_FORCE_PTX_JIT": "1"}]
ASK = "import runpy, sys; report = runpy.run_path(sys.argv[1])['check'](); print('outcome', report.outcome, 'error', report.error)"

compared = different = 0
for program in sys.argv[3:]:
    with tempfile.TemporaryDirectory() as folder:
        guard = pathlib.Path(folder) / "guard.py"
        subprocess.run([sys.argv[1], "guard", "--python", guard, program], check=True, stdout=subprocess.DEVNULL)
        for gpu in GPUS:
            for setting in SETTINGS:
                environment = {**os.environ, "LD_LIBRARY_PATH": sys.argv[2], "FAKE_CUDA_GPUS": gpu, **setting}
                answers = [re.search(r"outcome \w+ error \d+", subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True).stdout)
                           for command in ([program, "ask"], [sys.executable, "-c", ASK, guard])]
                compared += 1
                if answers[0] is None or answers[1] is None or answers[0][0] != answers[1][0]:
                    different += 1
                    print(program, gpu, setting, answers)
print(f"{compared} answers, {different} differ")
sys.exit(1 if different else 0)
