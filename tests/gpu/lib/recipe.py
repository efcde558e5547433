"""Recipes: what the recorder builds. README.md explains every field; here they are read, completed and checked."""

import json
import re

PROGRAM_FIELDS = {
    "name", "shows", "toolkit", "units", "rdc", "link", "link_flags", "groups", "cudadevrt", "libraries", "cudart", "runtime", "shape",
    "warning", "envs",
}
UNIT_FIELDS = {"images", "flags", "compress", "toolkit", "rdc", "calls", "define", "fatbin", "damage", "in", "archive", "kernel"}
LOAD_FIELDS = {"name", "shows", "toolkit", "kind", "fatbin", "compress", "define", "rdc", "damage", "copies", "apis", "envs"}

ENVIRONMENTS = ["", "CUDA_FORCE_PTX_JIT=1", "CUDA_DISABLE_PTX_JIT=1", "CUDA_MODULE_LOADING=EAGER"]
APIS = ["module", "library-file", "runtime-library"]
SHAPES = {"guarded": ["BODY_FROM=1000"], "template": ["TEMPLATE"], "variable": ["VARIABLE"]}


class RecipeError(Exception):
    pass


def complete_program(given):
    """The recipe with every default written out that the builder needs."""
    check_fields(given, PROGRAM_FIELDS, "program")
    program = {"toolkit": "13.0", "rdc": False, "link": [], "link_flags": "", "cudart": "static", "envs": ENVIRONMENTS, **given}
    units = [complete_unit(unit, program) for unit in given["units"]]
    program.pop("shape", None)  # is in the units' definitions now
    return {**program, "units": units}


def complete_unit(given, program):
    check_fields(given, UNIT_FIELDS, f"unit of {program['name']}")
    unit = {"toolkit": program["toolkit"], "rdc": program["rdc"], "images": [], "flags": "", "compress": None, "calls": [], **given}
    if "fatbin" in unit:
        unit["fatbin"] = [complete_image(image, unit) for image in unit["fatbin"]]
    elif "flags" in given:
        unit["images"] = []  # the flags are a shorthand for them
    return {**unit, "define": given.get("define", []) + SHAPES.get(program.get("shape"), [])}


def complete_load(given):
    check_fields(given, LOAD_FIELDS, "load")
    load = {"toolkit": "13.0", "kind": "fatbin", "compress": None, "define": [], "rdc": False, "copies": 1, "apis": APIS, "envs": [""], **given}
    return {**load, "fatbin": [complete_image(image, load) for image in load["fatbin"]]}


def complete_image(given, owner):
    image = {"toolkit": owner["toolkit"], **(given if isinstance(given, dict) else {"image": given})}
    split(image["image"])
    return image


def check_fields(given, allowed, what):
    unknown = sorted(set(given) - allowed)
    if unknown:
        raise RecipeError(f"{what} {given.get('name', '')}: unknown field {', '.join(unknown)}; allowed: {', '.join(sorted(allowed))}")


def read(paths):
    """All programs and loads of some recipe files, names checked."""
    programs, loads = [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            recipes = json.load(file)
        programs += [complete_program(p) for p in recipes.get("programs", [])]
        loads += [complete_load(l) for l in recipes.get("loads", [])]
    for things in (programs, loads):
        names = [thing["name"] for thing in things]
        for name in names:
            if not re.fullmatch(r"[A-Za-z0-9_.-]+", name) or names.count(name) > 1:
                raise RecipeError(f"'{name}' is used twice or is no plain file name: give each recipe its own of letters, digits, '_', '-', '.'")
    return programs, loads


def settings(environment):
    """'A=1 B=2' as a dictionary; '' is no setting at all."""
    return dict(setting.split("=", 1) for setting in environment.split())


def toolkits_of(recipe):
    """The releases that compile, link or assemble any part of a program or load."""
    used = {recipe["toolkit"]}
    for part in recipe.get("units", [recipe]):
        used |= {part["toolkit"]} | {image["toolkit"] for image in part.get("fatbin", [])}
    return used


def split(image):
    """'sm_90a' as its kind and its architecture."""
    kind, _, arch = image.partition("_")
    if kind not in ("sm", "compute", "lto") or not re.fullmatch(r"\d+[af]?", arch):
        raise RecipeError(f"'{image}' is no image: give sm_NN, compute_NN or lto_NN")
    return kind, arch


def gencode(images):
    """One -gencode an image, each compiled for its own architecture."""
    return [f"-gencode=arch=compute_{split(image)[1]},code={image}" for image in images]


def brief(recipe, outer=None):
    """The recipe without what completing it adds again; `outer` has the toolkit and rdc that a part takes over."""
    defaults = {"link": [], "link_flags": "", "cudart": "static", "compress": None, "define": [], "copies": 1, "flags": "", "calls": [], "images": [],
                "toolkit": (outer or {"toolkit": "13.0"})["toolkit"], "rdc": outer["rdc"] if outer else False}
    short = {key: value for key, value in recipe.items() if key not in defaults or value != defaults[key]}
    if "units" in short:
        short["units"] = [brief(unit, recipe) for unit in short["units"]]
    if "fatbin" in short:
        images = [brief(image, {**recipe, "rdc": None}) for image in short["fatbin"]]
        short["fatbin"] = [image["image"] if list(image) == ["image"] else image for image in images]
    return short
