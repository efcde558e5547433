"""Checks a Dockerfile that builds CUDA code: check_dockerfile.py Dockerfile. Prints what is wrong; exit status 1 where something is."""
import re
import sys


def instructions(text):
    """(word, rest) of each instruction, comments and line continuations removed."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word.upper(), rest.strip()


def problems(text):
    found = list(instructions(text))
    images = [rest.split()[0] for word, rest in found if word == "FROM"]
    arguments = {rest.partition("=")[0]: rest.partition("=")[2] for word, rest in found if word == "ARG"}
    images = [re.sub(r"\$\{(\w+)\}", lambda name: arguments.get(name[1], ""), image) for image in images]
    runs = " && ".join(rest for word, rest in found if word == "RUN")
    for image in images:
        if not re.search(r":\d+\.\d+", image):
            yield f"FROM {image}: name the CUDA release, which decides what is built and which driver the host needs"
    if "native" in runs:
        yield "RUN: `native` asks for the GPU of the machine that builds the image, which has none: name the GPUs"
    if not re.search(r"CUDA_ARCH_GUARD_GPUS|CMAKE_CUDA_ARCHITECTURES=[^n]", runs):
        yield "RUN: no list of GPUs: the compiler's default would be built"
    if not re.search(r"cuda-arch-guard verify", runs):
        yield "RUN: what is shipped is never verified"
    if len(images) < 2 or "-devel-" in images[-1]:
        yield "FROM: ship a base or runtime image; the compiler stays in the build stage"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = list(problems(file.read()))
    print("\n".join(answers) or "as it should be")
    sys.exit(1 if answers else 0)
