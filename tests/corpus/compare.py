"""What cuobjdump lists of a file, and whether the listed differences explain where ours is not the same."""
import collections
import json
import pathlib
import re
import subprocess

here = pathlib.Path(__file__).resolve().parent
KNOWN = {d["name"] for d in json.loads((here / "differences.json").read_text())["differences"]}


def entries_of(files):
    """Ours, as (kind, arch): what an own listing of the vendor's tool could hold."""
    return collections.Counter((i["kind"], i["arch"]) for f in files for m in f["modules"] for i in m["images"])


def without_suffix_of_stubs(files):
    """The same, but the empty cubins that a host link leaves under their plain numbers."""
    images = [i for f in files for m in f["modules"] for i in m["images"]]
    return collections.Counter((i["kind"], i["arch"].rstrip("a") if i.get("empty") else i["arch"]) for i in images)


def listing(cuobjdump, path):
    """The tool's entries, and its exit status."""
    run = subprocess.run([cuobjdump, "-all", "--list-elf", "--list-ptx", str(path)], capture_output=True, text=True, errors="replace", check=False)
    found = collections.Counter()
    for kind, arch in re.findall(r"(ELF|PTX) file +\d+: \S+\.sm_(\d+[af]?)\.(?:cubin|ptx)", run.stdout):
        found[("sass" if kind == "ELF" else "ptx", arch)] += 1
    return found, run.returncode


def options_recorded(path):
    """The architectures in the options that ptxas left in the cubins of an uncompressed file."""
    return set(re.findall(rb"-arch (sm_\d+f)", path.read_bytes()))


class Comparison:
    """Counts, over a corpus, the files that agree and those that differ by a known difference."""

    def __init__(self, cuobjdump, of_the_toolkit=None):
        self.cuobjdump = cuobjdump
        self.of_the_toolkit = of_the_toolkit  # the cuobjdump of the release that built the files
        self.seen = collections.Counter()

    def explain(self, name):
        assert name in KNOWN, name
        self.seen[name] += 1

    def check(self, path, files, is_ptx=False):
        """Raises where the listings differ and no known difference says why."""
        ours = entries_of(files)
        theirs, status = listing(self.cuobjdump, path)
        if ours == theirs:
            self.seen["agree"] += 1
            return
        if ours != theirs and without_suffix_of_stubs(files) == theirs:
            return self.explain("link-stub")
        if is_ptx:
            text = path.read_text()
            assert not theirs and ".version" in text and ".target" in text, theirs
            return self.explain("raw-ptx")
        if any(kind in ("sass", "ptx") and 30 <= int(re.sub(r"\D", "", arch)) < 50 for kind, arch in ours) and status != 0:
            assert self.of_the_toolkit, "no cuobjdump of the toolkit at hand"
            theirs, _ = listing(self.of_the_toolkit, path)
            self.explain("old-targets")
        families = {arch for kind, arch in ours if kind == "sass" and arch.endswith("f")}
        if families:
            plain = collections.Counter()
            for (kind, arch), count in theirs.items():
                family = f"{arch}f"
                plain[(kind, family if kind == "sass" and family in families else arch)] += count
            theirs = plain
            recorded = {a.decode()[3:] for a in options_recorded(path)}
            assert not recorded or families <= recorded, f"ptxas recorded {recorded}, we list {families}"
            self.explain("family")
        if any(kind == "ltoir" for kind, _ in ours):
            ours = collections.Counter({key: count for key, count in ours.items() if key[0] != "ltoir"})
            self.explain("ltoir")
        assert ours == theirs, f"cuobjdump lists {dict(theirs)}, we list {dict(ours)}"

    def check_hidden(self, name, changed, original, files):
        """`changed` is `original` in a place where the tool does not look: it lists nothing there, and of the original what we list."""
        theirs, _ = listing(self.cuobjdump, changed)
        assert not theirs, f"{name}: cuobjdump finds {dict(theirs)} now: take the difference off the list"
        whole, _ = listing(self.cuobjdump, original)
        assert whole and entries_of(files) == whole, f"{name}: cuobjdump lists {dict(whole)} of the original, we list {dict(entries_of(files))}"
        self.explain(name)
