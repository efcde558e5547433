"""Wheels, packages, tar archives and trees: the same modules as from the unpacked files, and clear findings where one is hostile."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import random
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
ZSTD_FILE = os.environ["CUDA_ARCH_GUARD_ZSTD_FILE"]

# What the archives hold, by its name there. The text stands for the thousands of files that hold no device code.
LAYOUT = {"pkg/lib/libcomplete.so": "libcomplete.so", "pkg/lib/libgap.so": "libgap.so", "pkg/good.fatbin": "good.fatbin",
          "pkg/__init__.py": None, "pkg/data.npy": None}
TEXT = b"import os\n" * 50


class ArchiveTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([MAKE_INPUTS, cls.folder / "inputs"], check=True)
        cls.content = {name: (cls.folder / "inputs" / source).read_bytes() if source else TEXT for name, source in LAYOUT.items()}
        cls.tree = cls.folder / "tree"
        for name, data in cls.content.items():
            (cls.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.tree / name).write_bytes(data)
        cls.expected = {name: cls.modules_of(cls.inspect(cls.tree / name)[0]) for name in LAYOUT if LAYOUT[name]}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_program(cls, *arguments, stdin=subprocess.DEVNULL, environment=None):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, stdin=stdin, timeout=120, check=False,
                              env={**os.environ, **(environment or {})})

    @classmethod
    def inspect(cls, *paths, status=0, options=(), **more):
        done = cls.run_program("inspect", "--kernels", "--format", "json", *options, *paths, **more)
        assert done.returncode == status, (done.returncode, done.stderr.decode(), done.stdout.decode()[:2000])
        return json.loads(done.stdout)["files"]

    @staticmethod
    def modules_of(file):
        assert not file["problems"], file["problems"]
        return file["modules"]

    def codes(self, files):
        return [problem["code"] for file in files for problem in file["problems"]]

    def verdict(self, path, status, *options):
        done = self.run_program("verify", path, "--require-sass", "80", *options)
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())

    # Writers of the formats.

    def zip(self, name, members=None, method=zipfile.ZIP_DEFLATED):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", method) as archive:
            for member, data in (members or self.content).items():
                archive.writestr(member, data)
        return path

    def tar_bytes(self, members=None, prefix=""):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for member, data in (members or self.content).items():
                info = tarfile.TarInfo(prefix + member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return buffer.getvalue()

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def zstd(self, data):
        subprocess.run([ZSTD_FILE, self.write("plain", data), self.folder / "packed"], check=True)
        return (self.folder / "packed").read_bytes()


class Formats(ArchiveTest):
    def check(self, path, prefix="", **more):
        """The members in question, in the archive's order, with the modules that the unpacked files have."""
        files = self.inspect(path, **more)
        self.assertEqual({file["path"] for file in files}, {str(path)})
        self.assertEqual([file["member"] for file in files], [prefix + name for name in self.expected])
        self.assertEqual([self.modules_of(file) for file in files], list(self.expected.values()))

    def test_wheels(self):
        self.check(self.zip("a-1.0-py3-none-any.whl"))
        self.check(self.zip("stored.zip", method=zipfile.ZIP_STORED))
        self.check(self.zip("other.zip", method=zipfile.ZIP_BZIP2))
        self.check(self.zip("lzma.zip", method=zipfile.ZIP_LZMA))

    def test_wheel_behind_other_bytes(self):
        """A self-extracting archive: its offsets do not count the bytes in front."""
        self.check(self.write("self.zip", b"#!/bin/sh\nexit\n" + self.zip("plain.zip").read_bytes()))

    def test_tar_archives(self):
        tar = self.tar_bytes()
        for name, pack in (("a.tar", bytes), ("a.tar.gz", gzip.compress), ("a.tar.xz", lzma.compress), ("a.tar.bz2", bz2.compress),
                           ("a.tar.zst", self.zstd)):
            with self.subTest(name):
                self.check(self.write(name, pack(tar)))

    def test_one_compressed_file(self):
        (file,) = self.inspect(self.write("libgap.so.gz", gzip.compress(self.content["pkg/lib/libgap.so"])))
        self.assertEqual((file["member"], self.modules_of(file)), ("libgap.so", self.expected["pkg/lib/libgap.so"]))

    def test_conda(self):
        inner = self.zstd(self.tar_bytes())
        self.check(self.zip("a-1.0-0.conda", {"metadata.json": b"{}", "pkg-a-1.0-0.tar.zst": inner}, zipfile.ZIP_STORED),
                   "pkg-a-1.0-0.tar.zst!")
        self.check(self.write("a-1.0-0.tar.bz2", bz2.compress(self.tar_bytes())))

    def test_deb(self):
        members = {"debian-binary": b"2.0\n", "control.tar.gz": gzip.compress(self.tar_bytes({"control": TEXT})),
                   "data.tar.xz": lzma.compress(self.tar_bytes(prefix="./usr/"))}
        data = b"!<arch>\n"
        for name, content in members.items():
            data += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
        self.check(self.write("a_1.0_amd64.deb", data), "data.tar.xz!./usr/")

    def test_rpm(self):
        cpio = b""
        for number, (name, content) in enumerate([*self.content.items(), ("TRAILER!!!", b"")]):
            fields = [number + 1, 0o100644, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
            entry = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
            entry += b"\0" * (-len(entry) % 4) + content
            cpio += entry + b"\0" * (-len(content) % 4)
        lead = struct.pack(">4sBBhh66shh16x", b"\xed\xab\xee\xdb", 3, 0, 0, 1, b"a-1.0", 1, 5)
        header = struct.pack(">3sB4xII", b"\x8e\xad\xe8", 1, 0, 0)  # no tags
        self.check(self.write("a-1.0.rpm", lead + header + header + gzip.compress(cpio)))

    def test_nesting_and_its_limit(self):
        wheel = self.zip("inner.whl").read_bytes()
        outer = self.write("outer.tar.gz", gzip.compress(self.tar_bytes({"dist/inner.whl": wheel})))
        self.check(outer, "dist/inner.whl!")
        self.assertEqual(self.codes(self.inspect(outer, status=2, options=["--max-depth", "1"])), ["CAG404"])

    def test_standard_input(self):
        with open(self.zip("piped.whl"), "rb") as file:
            self.check("-", stdin=file)
        cat = subprocess.Popen(["cat", self.folder / "piped.whl"], stdout=subprocess.PIPE)
        self.check("-", stdin=cat.stdout)
        cat.wait()
        cat.stdout.close()

    def test_large_members_go_to_a_temporary_file(self):
        """--max-memory below the members' size: the same answer, from a file without a name in TMPDIR."""
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        for path in (self.zip("spilled.whl"), self.write("spilled.tar.gz", gzip.compress(self.tar_bytes()))):
            self.check(path, options=["--max-memory", "64K"], environment={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])
        files = self.inspect(path, status=2, options=["--max-memory", "64K"], environment={"TMPDIR": "/nonexistent"})
        self.assertIn("TMPDIR", " ".join(problem["message"] for file in files for problem in file["problems"]))

    def test_every_command_reads_them(self):
        wheel = self.zip("gate.whl")
        self.verdict(wheel, 0)
        done = self.run_program("verify", wheel, "--require-sass", "80,90", "--format", "json")
        (finding,) = json.loads(done.stdout)["findings"]
        self.assertEqual((done.returncode, finding["code"], finding["path"], finding["member"]),
                         (1, "CAG101", str(wheel), "pkg/lib/libgap.so"))
        done = self.run_program("predict", wheel, "--gpu", "9.0")
        self.assertEqual(done.returncode, 1)

    def test_nothing_in_there(self):
        empty = self.zip("empty.whl", {"pkg/__init__.py": TEXT})
        (file,) = self.inspect(empty)
        self.assertEqual((file["path"], file["member"], file["format"], file["modules"]), (str(empty), None, "zip", []))
        self.verdict(empty, 2)
        self.verdict(empty, 0, "--allow-empty")

    def test_threads_do_not_change_the_answer(self):
        paths = (self.tree, self.zip("threads.whl"))
        self.assertEqual(self.inspect(*paths, options=["--threads", "1"]), self.inspect(*paths, options=["--threads", "7"]))


class Trees(ArchiveTest):
    def test_tree(self):
        files = self.inspect(self.tree)
        self.assertEqual([file["path"] for file in files], sorted(str(self.tree / name) for name in self.expected))
        self.assertEqual([self.modules_of(file) for file in files], [self.expected[name] for name in sorted(self.expected)])

    def test_links_are_read_once(self):
        tree = self.folder / "links"
        (tree / "lib").mkdir(parents=True)
        shutil.copy(self.tree / "pkg/lib/libgap.so", tree / "lib/libgap.so.1.2")
        os.symlink("libgap.so.1.2", tree / "lib/libgap.so")
        os.link(tree / "lib/libgap.so.1.2", tree / "lib/again.so")
        os.symlink("..", tree / "lib/up")  # a loop
        os.symlink(self.tree / "pkg/good.fatbin", tree / "elsewhere.fatbin")
        os.symlink("nowhere", tree / "dangling.so")
        files = self.inspect(tree)
        self.assertEqual([os.path.relpath(file["path"], tree) for file in files], ["lib/again.so", "elsewhere.fatbin"])

    def test_copies_are_listed_with_what_the_original_holds(self):
        """Files with the same bytes are decoded once; one of the same size and name is no copy."""
        tree = self.folder / "copies"
        (tree / "again").mkdir(parents=True)
        gap, complete = [self.content[f"pkg/lib/lib{name}.so"].ljust(300 << 10, b"\1") for name in ("gap", "complete")]
        (tree / "liba.so").write_bytes(gap)
        (tree / "again/libb.so").write_bytes(gap)
        (tree / "again/liba.so").write_bytes(complete)
        self.zip("copies/wheel.whl", {"liba.so": gap, "../libb.so": gap, "libc.so": complete})
        found = [(os.path.relpath(file["path"], tree), file["member"], file["modules"]) for file in self.inspect(tree, status=2)]
        of_gap, of_complete = self.expected["pkg/lib/libgap.so"], self.expected["pkg/lib/libcomplete.so"]
        self.assertEqual(found, [("again/liba.so", None, of_complete), ("again/libb.so", None, of_gap), ("liba.so", None, of_gap),
                                 ("wheel.whl", "liba.so", of_gap), ("wheel.whl", "../libb.so", of_gap), ("wheel.whl", "libc.so", of_complete)])
        # What is wrong with one name is not wrong with the others.
        self.assertEqual(self.codes(self.inspect(tree, status=2)), ["CAG412"])

    def test_fifo_and_socket(self):
        tree = self.folder / "special"
        tree.mkdir()
        shutil.copy(self.tree / "pkg/good.fatbin", tree)
        os.mkfifo(tree / "fifo")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(tree / "socket"))
        files = self.inspect(tree, status=2)
        listener.close()
        found = {os.path.basename(file["path"]): [problem["code"] for problem in file["problems"]] for file in files}
        self.assertEqual(found, {"good.fatbin": [], "fifo": ["CAG408"], "socket": ["CAG408"]})
        self.verdict(tree, 2)

    def test_wheels_in_a_folder(self):
        dist = self.folder / "dist"
        dist.mkdir()
        self.zip("dist/one.whl")
        self.zip("dist/two.whl")
        files = self.inspect(dist)
        self.assertEqual([(os.path.basename(file["path"]), file["member"]) for file in files],
                         [(wheel, name) for wheel in ("one.whl", "two.whl") for name in self.expected])

    def test_fifteen_thousand_cubins(self):
        """More files than a process may have open."""
        tree = self.folder / "many"
        cubin = (self.folder / "inputs" / "good.cubin").read_bytes()
        for number in range(15000):
            if number % 1000 == 0:
                (tree / str(number)).mkdir(parents=True)
            (tree / str(number // 1000 * 1000) / f"{number}.cubin").write_bytes(cubin)
        files = self.inspect(tree)
        self.assertEqual(len(files), 15000)
        self.assertTrue(all(file["format"] == "cubin" and len(file["modules"]) == 1 for file in files))


class Images(ArchiveTest):
    """Container images, put together by hand as the formats document them."""

    def layers(self, pack):
        """The base holds three libraries; the second layer replaces one and removes two, one of them with its folder."""
        gap, complete = self.content["pkg/lib/libgap.so"], self.content["pkg/lib/libcomplete.so"]
        return [pack(self.tar_bytes({"usr/lib/libcomplete.so": complete, "usr/lib/libgap.so": gap, "usr/lib/libold.so": gap,
                                     "opt/old/deep/libgone.so": gap, "etc/os-release": TEXT})),
                pack(self.tar_bytes({"usr/lib/libgap.so": complete, "usr/lib/.wh.libold.so": b"", "opt/old/.wh..wh..opq": b"",
                                     "opt/old/new.so": gap}))]

    CONFIG = {"config": {"Env": ["PATH=/usr/bin", "NVIDIA_REQUIRE_CUDA=cuda>=12.8"]},
              "history": [{"created_by": "ADD rootfs"}, {"created_by": 'CMD ["bash"]', "empty_layer": True},
                          {"created_by": "RUN pip install ext"}]}

    def check_image(self, path, names):
        files = self.inspect(path)
        own, base = f"layer 2 of 2: RUN pip install ext", "layer 1 of 2 (base): ADD rootfs"
        found = [(file["member"], file["origin"], self.modules_of(file)) for file in files]
        gap, complete = self.expected["pkg/lib/libgap.so"], self.expected["pkg/lib/libcomplete.so"]
        self.assertEqual(found, [(f"{names[1]}!usr/lib/libgap.so", own, complete), (f"{names[1]}!opt/old/new.so", own, gap),
                                 (f"{names[0]}!usr/lib/libcomplete.so", base, complete)])

    def test_docker_save(self):
        names = [f"{digit * 64}/layer.tar" for digit in "ab"]
        parts = dict(zip(names, self.layers(bytes)))
        parts["config.json"] = json.dumps(self.CONFIG).encode()
        parts["manifest.json"] = json.dumps([{"Config": "config.json", "RepoTags": ["ext:1"], "Layers": names}]).encode()
        self.check_image(self.write("saved.tar", self.tar_bytes(parts)), names)
        self.check_image(self.write("saved.tar.gz", gzip.compress(self.tar_bytes(parts))), names)
        del parts[names[0]]
        path = self.write("incomplete.tar", self.tar_bytes(parts))
        self.assertEqual(self.codes(self.inspect(path, status=2)), ["CAG408"])

    def oci(self, pack):
        parts = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}'}
        layers = [self.blob(parts, layer) for layer in self.layers(pack)]
        config = self.blob(parts, json.dumps(self.CONFIG).encode())
        manifest = self.blob(parts, json.dumps({"schemaVersion": 2, "config": config, "layers": layers}).encode())
        platforms = self.blob(parts, json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode())
        parts["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [platforms]}).encode()
        return parts, ["blobs/" + layer["digest"].replace(":", "/") for layer in layers]

    def test_oci(self):
        for pack in (gzip.compress, self.zstd, bytes):
            parts, names = self.oci(pack)
            folder = self.folder / f"oci-{pack.__name__}"
            for name, data in parts.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
            self.check_image(folder, names)
            self.check_image(self.write("oci.tar", self.tar_bytes(parts)), names)

    def test_oci_with_a_manifest_that_is_not_there(self):
        """Of an index in the index, which has the platforms, those that nobody fetched are not there; anything else is a part not read."""
        parts, _ = self.oci(bytes)
        whole = self.inspect(self.write("oci-whole.tar", self.tar_bytes(parts)))
        absent = {"digest": "sha256:" + "0" * 64}
        listed = json.loads(parts["index.json"])["manifests"]
        platforms = self.blob(parts, json.dumps({"manifests": [*listed, absent]}).encode())
        for name, manifests, status in (("damaged", [*listed, absent], 2), ("platforms", [platforms], 0)):
            parts["index.json"] = json.dumps({"manifests": manifests}).encode()
            files = self.inspect(self.write(f"oci-{name}.tar", self.tar_bytes(parts)), status=status)
            self.assertEqual(self.codes(files), ["CAG408"] * (status // 2))
            self.assertEqual([file for file in files if file["modules"]], [{**file, "path": files[0]["path"]} for file in whole])

    def test_blobs_that_are_not_what_their_digests_say(self):
        def digest(data):
            return hashlib.sha256(data).hexdigest()

        parts, names = self.oci(bytes)
        config = next(name for name in parts if b'"history"' in parts[name])
        for name in (*names, config):
            other = parts[name][:-1] + bytes([parts[name][-1] ^ 1]) if name == config else parts[name] + bytes(512)
            files = self.inspect(self.write("changed.tar", self.tar_bytes({**parts, name: other})), status=2)
            self.assertEqual(self.codes(files), ["CAG403"])
            (message,) = [problem["message"] for file in files for problem in file["problems"]]
            for text in (name, digest(parts[name]), digest(other)):
                self.assertIn(text, message)

    def test_algorithms_of_digests(self):
        """Named by their digests or not, with SHA-256 or SHA-512; an algorithm that is not known is passed over."""
        layer = self.tar_bytes({"lib.so": self.content["pkg/lib/libgap.so"]})
        sha512 = hashlib.sha512(layer).hexdigest()
        wrong = "0" * 128
        for digest, codes in ((f"sha512:{sha512}", []), (f"sha512:{wrong}", ["CAG403"]), ("sha256:abc", ["CAG402"]),
                              ("sha256:" + sha512, ["CAG402"]), ("new+sum:abc", [])):
            parts = {"oci-layout": b"{}", "blobs/" + digest.replace(":", "/"): layer}
            manifest = self.blob(parts, json.dumps({"layers": [{"digest": digest}]}).encode())
            parts["index.json"] = json.dumps({"manifests": [manifest]}).encode()
            files = self.inspect(self.write("digests.tar", self.tar_bytes(parts)), status=2 if codes else 0)
            self.assertEqual((digest, self.codes(files)), (digest, codes))
            self.assertEqual([self.modules_of(file) for file in files if file["modules"]], [self.expected["pkg/lib/libgap.so"]])

    def test_docker_save_with_digests_in_the_configuration(self):
        layer = self.tar_bytes({"lib.so": self.content["pkg/lib/libgap.so"]})
        right = "sha256:" + hashlib.sha256(layer).hexdigest()
        for digest, stored, codes in ((right, layer, []), (right, layer + bytes(512), ["CAG403"]), (right, gzip.compress(layer), [])):
            parts = {"a/layer.tar": stored, "c.json": json.dumps({"rootfs": {"type": "layers", "diff_ids": [digest]}}).encode(),
                     "manifest.json": json.dumps([{"Config": "c.json", "Layers": ["a/layer.tar"]}]).encode()}
            self.assertEqual(self.codes(self.inspect(self.write("saved.tar", self.tar_bytes(parts)), status=2 if codes else 0)), codes)

    @staticmethod
    def blob(parts, data):
        digest = hashlib.sha256(data).hexdigest()
        parts[f"blobs/sha256/{digest}"] = data
        return {"digest": f"sha256:{digest}", "size": len(data)}


class Parts(ArchiveTest):
    """--shard and merge: the parts together are the whole, and a part that is missing is never fine."""

    def parts(self, count, *command):
        results = []
        for index in range(1, count + 1):
            done = self.run_program(*command, "--shard", f"{index}/{count}", "--format", "json")
            results.append(self.write(f"part-{count}-{index}.json", done.stdout))
        return results

    def merge(self, *results, status):
        done = self.run_program("merge", "--format", "json", *results)
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
        return json.loads(done.stdout)

    def test_the_parts_are_the_whole(self):
        whole = self.inspect(self.tree)
        for count in (1, 2, 5):
            results = self.parts(count, "inspect", "--kernels", self.tree)
            merged = self.merge(*results, status=0)
            self.assertEqual(merged["files"], sorted(whole, key=lambda file: file["path"]))
        one, two = [json.loads(result.read_text())["files"] for result in self.parts(2, "inspect", self.tree)]
        self.assertTrue(one and two)

    def test_verdicts(self):
        self.assertEqual(self.merge(*self.parts(3, "verify", self.tree, "--require-sass", "80"), status=0)["verdict"], "pass")
        merged = self.merge(*self.parts(3, "verify", self.tree, "--require-sass", "80,90"), status=1)
        self.assertEqual([(f["code"], os.path.basename(f["path"])) for f in merged["findings"]], [("CAG101", "libgap.so")])

    def test_modules_for_other_gpus_are_excused_where_any_part_serves(self):
        """As in one run: a part cannot know whether another one serves."""
        tree = self.folder / "special"
        tree.mkdir()
        special = (self.folder / "inputs/special.fatbin").read_bytes()
        for number in range(4):
            (tree / f"{number}.fatbin").write_bytes(special)
        command = ("verify", tree, "--runs-on", "8.0", "--require-sass", "90a")

        def findings(document):
            return sorted((f["code"], f["level"], f["path"]) for f in document["findings"])

        for served in (False, True):
            if served:
                (tree / "4.fatbin").write_bytes(self.content["pkg/good.fatbin"])
            whole = json.loads(self.run_program(*command, "--format", "json").stdout)
            merged = self.merge(*self.parts(3, *command), status=1)
            self.assertEqual((merged["verdict"], merged["requirements"], findings(merged)),
                             (whole["verdict"], whole["requirements"], findings(whole)))
            self.assertEqual({r["option"]: r["verdict"] for r in whole["requirements"]},
                             {"--runs-on 8.0": "pass" if served else "fail", "--require-sass 90a": "fail" if served else "pass"})
        # In the part that is missing something may serve.
        (tree / "4.fatbin").unlink()
        merged = self.merge(*self.parts(3, "verify", tree, "--runs-on", "8.0")[:2], status=2)
        self.assertEqual(merged["verdict"], "undecided")

    def test_what_is_missing_is_said(self):
        results = self.parts(4, "verify", self.tree, "--require-sass", "80")
        merged = self.merge(*results[:2], results[3], status=2)
        self.assertEqual((merged["verdict"], merged["merged"]["missing"]), ("undecided", [3]))
        self.write(results[1].name, results[1].read_bytes()[:100])
        merged = self.merge(*results, status=2)
        self.assertEqual((merged["verdict"], merged["merged"]["missing"]), ("undecided", [2]))
        self.assertEqual(len(merged["merged"]["unreadable"]), 1)
        self.assertIn(b"part 2 of 4", self.run_program("merge", *results).stdout)

    def test_nothing_in_any_part(self):
        empty = self.folder / "no-code"
        empty.mkdir(exist_ok=True)
        (empty / "x.py").write_bytes(TEXT)
        self.merge(*self.parts(2, "verify", empty, "--require-sass", "80"), status=2)

    def test_results_that_do_not_belong_together(self):
        one = self.parts(2, "verify", self.tree, "--require-sass", "80")
        other = self.parts(3, "verify", self.tree, "--require-sass", "80")
        self.assertEqual(self.run_program("merge", one[0], other[1]).returncode, 2)
        self.assertEqual(self.run_program("merge", one[0], one[0]).returncode, 2)
        first = one[0].read_bytes()
        asked = self.parts(2, "verify", self.tree, "--require-sass", "80,86")  # of which the first part would tell nothing
        done = self.run_program("merge", self.write("part-of-another.json", first), asked[1])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--require-sass 86", done.stderr.decode())
        self.assertEqual(self.run_program("inspect", self.tree, "--shard", "3/2").returncode, 2)


class Pyproject(ArchiveTest):
    """[tool.cuda-arch-guard] of the package's pyproject.toml."""

    def gate(self, table, status, *options):
        (self.folder / "project").mkdir(exist_ok=True)
        path = self.write("project/pyproject.toml", f"[project]\nname = 'ext'\n[tool.cuda-arch-guard]\n{table}".encode())
        done = subprocess.run([PROGRAM, "verify", self.zip("gated.whl"), *options], cwd=path.parent, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
        return done.stderr.decode()

    def test_requirements(self):
        self.gate("require-sass = '80'", 0)
        self.gate("require-sass = ['80', '90']", 1)
        self.gate("runs-on = ['8.6']\nno-jit = true", 0)
        self.gate("runs-on = ['8.6', '9.0']", 1)
        self.gate("require-sass = '90'\nscope = 'any'", 0)
        self.gate("claims = true", 0)
        self.write("project/README.md", b"For sm_80 and sm_75.")
        self.gate("claims-from = ['README.md']", 1)
        self.gate("require-sass = '90'", 0, "--require-sass", "80")  # what is asked for on the command line stands alone

    def test_mistakes_are_told(self):
        self.assertIn("require-sas", self.gate("require-sas = '80'", 2))
        self.assertIn("true or false", self.gate("require-sass = '80'\nstrict = 'yes'", 2))
        self.assertIn("line", self.gate("require-sass = [", 2))


class Packages(ArchiveTest):
    def package(self, *paths):
        done = self.run_program("inspect", "--package", "--format", "json", *paths)
        self.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())
        return json.loads(done.stdout)["packages"]

    def test_truth(self):
        """libgap.so lacks its second module on 9.0: a part runs there, all of it on 8.0, nothing on 12.0 but the PTX of the others."""
        (package,) = self.package(self.zip("truth.whl"))
        gpus = {gpu["gpu"]: gpu for gpu in package["gpus"]}
        self.assertEqual((gpus["8.0"]["runs"], gpus["8.0"]["kernels"], gpus["8.0"]["compiled"]), ("all", 8, 0))
        self.assertEqual((gpus["9.0"]["runs"], gpus["9.0"]["kernels"], gpus["9.0"]["of"]), ("part", 7, 8))
        self.assertEqual(gpus["9.0"]["lacking"], ["pkg/lib/libgap.so"])
        self.assertEqual((gpus["12.0"]["runs"], gpus["12.0"]["compiled"]), ("part", 7))
        self.assertEqual(package["files"], 3)

    def test_claims(self):
        wheel = self.zip("ext-1.0+cu128-cp311-cp311-win_amd64.whl", {
            **self.content,
            "ext-1.0.dist-info/METADATA": b"Name: ext\nVersion: 1.0+cu128\nClassifier: Environment :: GPU :: NVIDIA CUDA :: 12 :: 12.8\n\n",
            "ext-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_aarch64\n",
            "pkg/cpp_lib.json": json.dumps({"version": {"cuda": 1208}, "env": {"TORCH_CUDA_ARCH_LIST": "8.0 9.0+PTX 12.0"}}).encode(),
            "pkg/build_info.py": b"build_info = {'cuda_compute_capabilities': ['sm_80'], 'cuda_version': '12.5.1'}\n"})
        (package,) = self.package(wheel)
        results = {(claim["source"], claim["says"]): claim for claim in package["claims"]}
        archs = results["pkg/cpp_lib.json", "TORCH_CUDA_ARCH_LIST 8.0 9.0+PTX 12.0"]
        self.assertEqual(archs["result"], "contradicted")
        self.assertIn("SASS 120 is missing from 5 of 5 modules", archs["found"])
        self.assertIn("SASS 90 is missing from 1 of 5 modules", archs["found"])
        self.assertEqual(results["pkg/build_info.py", "cuda_compute_capabilities 'sm_80'"]["result"], "holds")
        self.assertEqual(results["file name", "platform win_amd64"]["result"], "holds")
        self.assertEqual(results["ext-1.0.dist-info/WHEEL", "platform aarch64"]["result"], "contradicted")

    def test_claims_as_a_requirement(self):
        def gate(status, record, *options):
            wheel = self.zip("said-1.0-py3-none-any.whl", {**self.content, "pkg/cpp_lib.json": json.dumps(
                {"env": {"TORCH_CUDA_ARCH_LIST": record}}).encode()})
            done = self.run_program("verify", "--claims", "--format", "json", wheel, *options)
            self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
            return json.loads(done.stdout)

        self.assertEqual(gate(0, "8.0")["findings"], [])
        (finding,) = gate(1, "8.0 12.0")["findings"]
        self.assertEqual((finding["code"], finding["level"], os.path.basename(finding["path"])), ("CAG110", "error", "said-1.0-py3-none-any.whl"))
        self.assertIn("SASS 120 is missing from 5 of 5 modules", finding["message"])
        self.assertEqual([f["level"] for f in gate(0, "8.0 9.0")["findings"]], ["note"])  # one module lacks it: the list may be meant otherwise
        self.assertEqual([r["verdict"] for r in gate(1, "12.0", "--require-sass", "80")["requirements"]], ["pass", "fail"])

    def test_claims_from_texts(self):
        """A README on disk and a description in the wheel are held against the modules: 80 everywhere, 90 in all but one, PTX 90, no 75."""
        wheel = self.zip("told-1.0-py3-none-any.whl", {
            **self.content, "told-1.0.dist-info/METADATA": b"Name: told\nVersion: 1.0\n\nNeeds CUDA 12.8.\n\nWheels for sm_80.\n",
            "pkg/NOTES.md": b"Python 3.10, CUDA 12.0 or newer\n"})
        readme = self.write("README.md", b"# Told\n\n## Supported GPUs\n\nCompute capability 8.0 and 8.6.\n\n"
                                         b"## Build\n\n    TORCH_CUDA_ARCH_LIST=\"7.5;8.0\" pip install .\n")

        def gate(status, *texts, options=()):
            done = self.run_program("verify", "--format", "json", wheel, *(f"--claims-from={text}" for text in texts), *options)
            self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
            return [(finding["level"], finding["message"]) for finding in json.loads(done.stdout)["findings"]]

        self.assertEqual(gate(0, "METADATA"), [])
        self.assertEqual(gate(0, f"{readme}#supported-gpus", "METADATA"), [])
        ((level, message),) = gate(1, readme)
        self.assertEqual(level, "error")
        self.assertIn("README.md:9: TORCH_CUDA_ARCH_LIST=\"7.5;8.0\" pip install .; not so: SASS 75 is missing from 5 of 5 modules", message)
        for silent in ("REDAME.md", "NOTES.md", f"{readme}#supported-gpu"):  # a gate that read nothing does not pass
            ((level, message),) = gate(2, silent, "METADATA")
            self.assertIn(silent, message)
            self.assertEqual(self.run_program("inspect", "--claims-from", silent, wheel).returncode, 2)
        self.assertEqual(self.run_program("verify", wheel, "--claims-from", self.folder).returncode, 2)
        cache = ("--cache-file", self.folder / "claims.sqlite")
        self.run_program("verify", "--claims", wheel, *cache)
        self.assertEqual(gate(0, "METADATA", options=cache), [])  # what was kept without the text is not taken for all there is

        (package,) = json.loads(self.run_program("inspect", "--format", "json", "--claims-from", readme, wheel).stdout)["packages"]
        told = {claim["line"]: claim for claim in package["claims"] if claim["line"]}
        self.assertEqual({line: claim["result"] for line, claim in told.items()}, {5: "holds", 9: "contradicted"})
        self.assertEqual(told[5]["found"], "everything runs on 8.0, 8.6")

    def test_variants_of_a_release(self):
        linux = self.zip("ext-1.0-cp311-cp311-linux_x86_64.whl")
        windows = self.zip("ext-1.0-cp311-cp311-win_amd64.whl", {"pkg/lib/libcomplete.so": self.content["pkg/lib/libcomplete.so"]})
        done = self.run_program("inspect", "--package", "--format", "json", linux, windows)
        (variant,) = json.loads(done.stdout)["variants"]
        self.assertEqual([os.path.basename(variant[side]) for side in ("first", "second")], [linux.name, windows.name])
        self.assertIn({"gpu": "9.0", "first": "part", "second": "all"}, variant["differences"])
        self.assertNotIn("8.0", [difference["gpu"] for difference in variant["differences"]])

    def test_environment(self):
        """Installed distributions are packages of their own."""
        site = self.folder / "site-packages"
        for name in ("one", "two"):
            (site / name).mkdir(parents=True)
            shutil.copy(self.tree / "pkg/good.fatbin", site / name)
            (site / f"{name}-1.0.dist-info").mkdir()
            (site / f"{name}-1.0.dist-info/METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        self.assertEqual([os.path.relpath(package["path"], site) for package in self.package(site)], ["one", "two"])

    def test_image(self):
        layers = Images.layers(self, bytes)
        parts = {"a.tar": layers[0], "b.tar": layers[1], "c.json": json.dumps(Images.CONFIG).encode(),
                 "manifest.json": json.dumps([{"Config": "c.json", "Layers": ["a.tar", "b.tar"]}]).encode()}
        (package,) = self.package(self.write("truth.tar", self.tar_bytes(parts)))
        self.assertEqual((package["files"], package["base_files"]), (3, 1))
        self.assertIn("NVIDIA_REQUIRE_CUDA=cuda>=12.8", [claim["says"] for claim in package["claims"]])


class Cache(ArchiveTest):
    def setUp(self):
        self.place = self.folder / "cache"
        shutil.rmtree(self.place, ignore_errors=True)
        self.kept = self.place / "scans.sqlite"
        self.data = self.folder / "cached"
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.tree, self.data)
        self.zip("cached/a.whl")
        time.sleep(3)  # what changed a moment ago is not kept

    def read(self, status=0):
        return self.inspect(self.data, status=status, options=["--cache-file", self.kept])

    def test_same_answer(self):
        fresh = self.inspect(self.data)
        self.assertEqual(self.read(), fresh)
        self.assertEqual(self.read(), fresh)
        self.assertEqual(os.stat(self.kept).st_mode & 0o777, 0o600)
        os.rename(self.data / "pkg/lib/libgap.so", self.data / "pkg/lib/librenamed.so")
        self.assertIn(str(self.data / "pkg/lib/librenamed.so"), [file["path"] for file in self.read()])

    def test_changed_content_with_the_same_times(self):
        self.read()
        path = self.data / "pkg/lib/libgap.so"
        times = os.stat(path)
        replacement = self.content["pkg/lib/libcomplete.so"]
        path.write_bytes(replacement.ljust(times.st_size, b"\0")[:max(times.st_size, len(replacement))])
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        found = {file["path"]: file for file in self.read()}
        self.assertEqual(self.modules_of(found[str(path)]), self.expected["pkg/lib/libcomplete.so"])

    def test_damaged_or_open_to_others(self):
        fresh = self.read()
        self.kept.chmod(0o666)
        done = self.run_program("inspect", "--kernels", "--format", "json", "--cache-file", self.kept, self.data)
        self.assertEqual((done.returncode, json.loads(done.stdout)["files"]), (0, fresh))
        self.assertIn(b"CAG408", done.stderr)
        self.kept.chmod(0o600)
        for name in self.place.iterdir():
            name.write_bytes(b"no database" * 1000)
        self.assertEqual(self.read(), fresh)

    def test_several_at_once(self):
        fresh = self.inspect(self.data)
        command = [PROGRAM, "inspect", "--kernels", "--format", "json", "--cache-file", str(self.kept), str(self.data)]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(6)]
        for run in runs:
            self.assertEqual(json.loads(run.communicate(timeout=60)[0])["files"], fresh)


class Hostile(ArchiveTest):
    def hostile(self, path, *codes, options=()):
        """Findings with these codes, exit status 2, with 300 MiB of memory at most, and no file left anywhere."""
        before = set(self.folder.rglob("*"))
        command = ["sh", "-c", 'ulimit -d 307200; exec "$@"', "sh", PROGRAM, "inspect", "--kernels", "--format", "json", *options, path]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr.decode() + done.stdout.decode()[:2000])
        files = json.loads(done.stdout)["files"]
        self.assertEqual(sorted(set(self.codes(files))), sorted(codes))
        self.assertEqual(set(self.folder.rglob("*")), before)
        self.verdict(path, 2)
        return files

    def bomb_member(self, size):
        """Looks like a library; all the rest is zeros."""
        return self.content["pkg/lib/libcomplete.so"][:4096] + b"\0" * (size - 4096)

    def test_bomb_of_what_holds_no_code_is_not_expanded(self):
        path = self.zip("zeros.zip", {"zeros.bin": b"\0" * (256 << 20), **self.content})
        self.assertEqual(len(self.inspect(path, options=["--max-member", "1M"])), len(self.expected))

    def test_bomb(self):
        bomb = self.zip("bomb.zip", {"libbomb.so": self.bomb_member(300 << 20)})
        files = self.hostile(bomb, "CAG404", options=["--max-member", "64M"])
        self.assertIn("--max-member", files[0]["problems"][0]["message"])
        tar = self.write("bomb.tar.gz", gzip.compress(self.tar_bytes({"libbomb.so": self.bomb_member(100 << 20)})))
        self.hostile(tar, "CAG404", options=["--max-member", "64M"])

    def test_nested_bombs(self):
        inner = self.zip("leaf.zip", {"libbomb.so": self.bomb_member(8 << 20)}).read_bytes()
        for level in range(6):
            inner = self.zip(f"level{level}.zip", {f"{copy}.zip": inner for copy in range(4)}).read_bytes()
        self.hostile(self.folder / "level5.zip", "CAG404")

    def test_members_that_share_bytes(self):
        """Many directory entries for one member's bytes: the better kind of zip bomb."""
        path = self.zip("shared.zip", {"libone.so": self.content["pkg/lib/libgap.so"]})
        data = path.read_bytes()
        end = data.rindex(b"PK\x05\x06")
        begin = struct.unpack_from("<I", data, end + 16)[0]
        entries = data[begin:end] * 50
        record = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 50, 50, len(entries), begin, 0)
        self.hostile(self.write("shared.zip", data[:begin] + entries + record), "CAG404")

    def test_names_that_lead_outside(self):
        data = self.content["pkg/lib/libgap.so"]
        for number, name in enumerate(("../../evil.so", "/tmp/evil.so", "a/../../evil.so", "C:\\evil.so")):
            with self.subTest(name):
                self.hostile(self.zip(f"outside{number}.whl", {name: data}), "CAG412")
                self.hostile(self.write(f"outside{number}.tar", self.tar_bytes({name: data})), "CAG412")

    def test_thin_archive_in_a_wheel_reads_nothing_beside_it(self):
        folder = self.folder / "thin"
        shutil.copytree(self.tree, folder)
        subprocess.run(["ar", "crT", "libthin.a", "pkg/lib/libcomplete.so"], cwd=folder, check=True)
        self.assertTrue(any(file["modules"] for file in self.inspect(folder / "libthin.a")))
        wheel = self.zip("thin/thin.whl", {"libthin.a": (folder / "libthin.a").read_bytes()})
        files = self.inspect(wheel, status=2)
        self.assertEqual(self.codes(files), ["CAG412"])
        self.assertFalse(any(file["modules"] for file in files))

    def test_hundred_thousand_empty_members(self):
        path = self.zip("empty-members.zip", {f"{number}": b"" for number in range(100_000)}, zipfile.ZIP_STORED)
        self.assertEqual(len(self.inspect(path)), 1)
        self.verdict(path, 2)
        self.assertEqual(self.codes(self.inspect(path, status=2, options=["--max-entries", "1000"])), ["CAG404"])

    def test_truncated(self):
        data = self.zip("whole.whl").read_bytes()
        self.hostile(self.write("cut.whl", data[:len(data) * 2 // 3]), "CAG401")
        tar = gzip.compress(self.tar_bytes())
        self.hostile(self.write("cut.tar.gz", tar[:len(tar) * 2 // 3]), "CAG401")
        plain = self.tar_bytes()
        self.hostile(self.write("cut.tar", plain[:len(plain) // 2]), "CAG401")

    def test_wrong_checksum(self):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            path = self.zip("crc.whl", method=method)
            data = bytearray(path.read_bytes())
            with zipfile.ZipFile(path) as archive:
                info = archive.getinfo("pkg/lib/libgap.so")
            if method == zipfile.ZIP_STORED:
                at = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
                data[at] ^= 0xff
            else:
                at = data.rindex(b"PK\x01\x02", 0, data.rindex(info.filename.encode())) + 16
                data[at] ^= 0xff
            files = self.hostile(self.write("crc.whl", bytes(data)), "CAG403")
            good = [file["member"] for file in files if not file["problems"]]
            self.assertEqual(good, [name for name in self.expected if name != "pkg/lib/libgap.so"])

    def test_checksum_of_gzip(self):
        for name, plain in (("crc.tar.gz", self.tar_bytes()), ("crc.so.gz", self.content["pkg/lib/libgap.so"])):
            data = bytearray(gzip.compress(plain))
            data[-8] ^= 1
            self.hostile(self.write(name, bytes(data)), "CAG403")

    def test_what_ends_a_tar(self):
        """A tar without its end may lack members, and what stands behind the end is not read."""
        one, two = (self.tar_bytes({name: self.content[name]}) for name in ("pkg/lib/libcomplete.so", "pkg/lib/libgap.so"))
        members = one.rstrip(b"\0")
        cut = members + b"\0" * (-len(members) % 512)
        for name, data, code in (("cut-between", cut, "CAG401"), ("two", one + two, "CAG402")):
            for suffix, pack in ((".tar", bytes), (".tar.gz", gzip.compress), (".tar.xz", lzma.compress)):
                with self.subTest(name + suffix):
                    files = self.hostile(self.write(name + suffix, pack(data)), code)
                    self.assertEqual([file["member"] for file in files if file["modules"]], ["pkg/lib/libcomplete.so"])

    def test_damaged_header_in_a_tar(self):
        """What stands in front of it is whole and is listed."""
        data = bytearray(self.tar_bytes({name: self.content[name] for name in ("pkg/lib/libcomplete.so", "pkg/lib/libgap.so")}))
        data[data.index(b"pkg/lib/libgap.so")] ^= 1
        for path in (self.write("header.tar", bytes(data)), self.write("header.tar.gz", gzip.compress(bytes(data)))):
            files = self.hostile(path, *({"CAG401", "CAG402"} & set(self.codes(self.inspect(path, status=2)))))
            self.assertEqual([file["member"] for file in files if file["modules"]], ["pkg/lib/libcomplete.so"])

    def test_archives_of_other_formats(self):
        """They may hold anything: passing them over would be a false fine."""
        data = b"7z\xbc\xaf\x27\x1c\0\4" + b"\0" * 100
        self.hostile(self.write("other.7z", data), "CAG408")
        for path in (self.zip("other.whl", {**self.content, "x.7z": data}), self.write("other.tar", self.tar_bytes({**self.content, "x.7z": data})),
                     self.write("other.tar.gz", gzip.compress(self.tar_bytes({**self.content, "x.7z": data})))):
            files = self.hostile(path, "CAG408")
            self.assertEqual(len([file for file in files if file["modules"]]), len(self.expected))

    def test_encrypted(self):
        path = self.zip("secret.whl")
        data = bytearray(path.read_bytes())
        data[data.rindex(b"PK\x01\x02", 0, data.rindex(b"pkg/lib/libgap.so")) + 8] |= 1
        self.hostile(self.write("secret.whl", bytes(data)), "CAG408")

    def test_header_that_contradicts_the_directory(self):
        """Installers that read from front to back would see another file."""
        data = bytearray(self.zip("two-names.whl").read_bytes())
        at = data.index(b"pkg/lib/libgap.so")
        data[at:at + 17] = b"pkg/lib/other.py_"
        self.hostile(self.write("two-names.whl", bytes(data)), "CAG402")

    def test_any_damage_is_never_fine(self):
        """Random damage anywhere: no crash, and never a clean answer that lacks a library."""
        data = self.zip("damaged.whl").read_bytes()
        dice = random.Random(1)
        for _ in range(60):
            broken = bytearray(data)
            for _ in range(dice.randint(1, 4)):
                broken[dice.randrange(len(broken))] = dice.randrange(256)
            done = self.run_program("inspect", "--format", "json", self.write("damaged.whl", bytes(broken)))
            self.assertIn(done.returncode, (0, 2))
            files = json.loads(done.stdout)["files"]
            if done.returncode == 0:
                self.assertEqual(len(files), len(self.expected))


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
