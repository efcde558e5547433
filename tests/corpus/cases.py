"""The corpus: for each file the command line that makes it, and what it must therefore hold."""
import collections
import itertools
import pathlib
import re

here = pathlib.Path(__file__).resolve().parent
Case = collections.namedtuple("Case", "name output flags images relocatable debug codec tool")
Image = collections.namedtuple("Image", "kind arch")


def sass(*archs):
    return [(a, f"sm_{a}", Image("sass", a)) for a in archs]


def ptx(*archs):
    return [(a, f"compute_{a}", Image("ptx", a)) for a in archs]


def lto(*archs):
    return [(a, f"lto_{a}", Image("ltoir", a)) for a in archs]


# Sets of (virtual architecture, code, the image that comes of it), by the first release that can build them. Those of 13.x come first and are
# not built with older ones where their architectures are missing there.
SETS = {
    "one": sass("80"),
    "all_plain": sass("75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"),
    "ptx_only": ptx("75"),
    "two_ptx": ptx("75", "90"),
    "fallback": sass("80", "90") + ptx("90"),
    "hopper": sass("90", "90a") + ptx("90a"),
    "blackwell_a": sass("100a", "103a", "110a", "120a", "121a"),
    "blackwell_f": sass("100f", "110f", "120f") + ptx("100f"),
    "order": sass("120", "75") + ptx("80"),
    "older": sass("50", "61", "70", "75", "86") + ptx("61"),
    "oldest": sass("35", "37", "52", "87", "89") + ptx("35"),
}
# What nvcc makes of the whole spellings. `all` comes from nvcc's own list.
DEFAULT = {"11": "52", "12": "52", "13": "75"}
MAJOR = {"11": ("35", "50", "60", "70", "80", "90"), "12": ("50", "60", "70", "80", "90"), "13": ("75", "80", "90", "100", "110", "120")}

# Compression: the flags, whether they compress release code too, and with what. 13.0 brought --compress-mode and zstd.
MODES = {
    "old": {"default": ([], False, "lz4"), "none": (["--no-compress"], None, None), "all": (["-Xfatbin", "-compress-all"], True, "lz4")},
    "new": {
        "default": ([], False, "zstd"),
        "none": (["--compress-mode=none"], None, None),
        "speed": (["--compress-mode=speed"], False, "lz4"),
        "balance": (["--compress-mode=balance"], False, "zstd"),
        "size": (["--compress-mode=size"], True, "zstd"),
        "all": (["-Xfatbin", "-compress-all"], True, "zstd"),
    },
}
OUTPUTS = ("object", "shared", "program", "fatbin", "archive")


def expected_codec(mode, image, debug, relocatable):
    """Release cubins stay as they are unless everything is compressed; PTX, LTO-IR, debug and relocatable code are compressed by default."""
    _, everything, codec = mode
    plain = image.kind == "sass" and not debug and not relocatable
    return "none" if codec is None or (plain and not everything) else codec


def cases(toolkit, everything):
    """`toolkit` has release, real (architectures of --list-gpu-code) and virtual."""
    major = toolkit.release.split(".")[0]
    modes = MODES["new" if int(major) >= 13 else "old"]

    def case(name, output, flags, images, mode="default", relocatable=False, debug=False):
        codec = lambda image: expected_codec(modes[mode], image, debug, relocatable)  # noqa: E731
        return Case(name, output, flags + modes[mode][0], images, relocatable, debug, codec, "nvcc")

    def of_set(name, output="object", extra=(), mode="default", **kind):
        triples = SETS[name]
        flags = [f"-gencode=arch=compute_{virtual},code={code}" for virtual, code, _ in triples] + list(extra)
        label = "-".join([name, output, mode, *(re.sub(r"[^A-Za-z0-9]+", "_", e).strip("_") for e in extra)])
        return case(label, output, flags, [image for _, _, image in triples], mode, **kind)

    def buildable(name):
        return all(image.arch in (toolkit.real if image.kind == "sass" else toolkit.virtual) for _, _, image in SETS[name])

    def shorthand(name, flags, images):
        return case(f"short-{name}", "object", flags, images)

    default = DEFAULT[major]
    plain = sorted((a for a in toolkit.real if a.isdigit()), key=int)
    yield shorthand("default", [], [Image("sass", default), Image("ptx", default)])
    yield shorthand("sm_90", ["-arch=sm_90"], [Image("sass", "90"), Image("ptx", "90")])
    yield shorthand("compute_80", ["-arch=compute_80"], [Image("ptx", "80")])
    yield shorthand("all_major", ["-arch=all-major"], [Image("sass", a) for a in MAJOR[major]] + [Image("ptx", MAJOR[major][-1])])
    if everything:
        yield shorthand("all", ["-arch=all"], [Image("sass", a) for a in plain] + [Image("ptx", MAJOR[major][-1])])
    if "90a" in toolkit.real:
        # nvcc adds PTX of the plain target to an `a` shorthand.
        yield shorthand("sm_90a", ["-arch=sm_90a"], [Image("sass", "90a"), Image("ptx", "90a"), Image("ptx", "90")])

    names = [name for name in SETS if buildable(name)]
    chosen = names if everything else ["fallback"]
    yield from (of_set(name) for name in names)
    for name, mode, output in itertools.product(chosen, modes, OUTPUTS if everything else ("object",)):
        if (mode, output) != ("default", "object"):
            yield of_set(name, output, mode=mode)
    if not everything:
        yield from (of_set("fallback", output) for output in OUTPUTS if output != "object")
    for name in chosen:
        yield of_set(name, extra=("-G",), debug=True)
        yield of_set(name, extra=("-lineinfo",))
        for mode in modes if everything else ("default", "none"):
            yield of_set(name, extra=("-rdc=true",), relocatable=True, mode=mode)
    both = lto("80", "90")
    flags = ["-dc"] + [f"-gencode=arch=compute_{virtual},code={code}" for virtual, code, _ in both]
    yield case("lto", "object", flags, [image for _, _, image in both], relocatable=True)
    yield case("lto-and-sass", "object", ["-dc", "-gencode=arch=compute_90,code=lto_90", "-gencode=arch=compute_80,code=sm_80"],
               [Image("ltoir", "90"), Image("sass", "80")], relocatable=True)
    # -dlto replaces the SASS of an -arch shorthand and keeps its PTX; `-arch=lto_80` gives LTO-IR alone.
    yield case("dlto", "object", ["-dc", "-dlto", "-arch=sm_80"], [Image("ltoir", "80"), Image("ptx", "80")], relocatable=True)
    yield case("dlto-alone", "object", ["-dc", "-arch=lto_80"], [Image("ltoir", "80")], relocatable=True)
    wanted = ("52", "75", "90", "90a", "100f", "120a")
    yield from (case(f"cubin-{a}", "cubin", [f"-arch=sm_{a}"], [Image("sass", a)]) for a in wanted if a in toolkit.real)
    yield from (case(f"ptx-{a}", "ptx", [f"-arch=compute_{a}"], [Image("ptx", a)]) for a in wanted if a in toolkit.virtual)
    if toolkit.has_concat:
        # Groups of entries of one kind, compressed together whatever they are.
        for name in (n for n in chosen if len(SETS[n]) > 2):
            yield of_set(name, extra=("--concat",))._replace(codec=None)


def clang_cases(cuda_path):
    """Clang as the CUDA compiler, with the ptxas and fatbinary of a toolkit that it knows. It compresses nothing and embeds PTX beside each SASS."""
    for archs, rdc in itertools.product((("80",), ("70", "86")), (False, True)):
        flags = ["-x", "cuda", f"--cuda-path={cuda_path}", "-Wno-unknown-cuda-version", "-nocudainc", "-nocudalib", "-include",
                 str(here / "clang_cuda.h"), *(f"--cuda-gpu-arch=sm_{a}" for a in archs)]
        images = [Image(kind, a) for a in archs for kind in ("sass", "ptx")]
        yield Case(f"clang-{'-'.join(archs)}{'-rdc' if rdc else ''}", "object", flags + (["-fgpu-rdc"] if rdc else []), images, rdc, False, None, "clang")
