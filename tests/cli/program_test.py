"""The program as a user meets it: what it prints, what it returns, and that its JSON is what the schema says."""

import json
import os
import shutil
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import jsonschema
except ImportError:  # bootstrap.sh installs it; without it the JSON's content is still checked
    jsonschema = None

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
SCHEMA = os.environ["CUDA_ARCH_GUARD_SCHEMA"]


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([MAKE_INPUTS, cls.folder.name], check=True)
        with open(SCHEMA, encoding="utf-8") as file:
            cls.schema = json.load(file)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_program(self, *arguments, **options):
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR", "LC_ALL", "LANG", "LC_CTYPE")}
        environment.update(options.pop("environment", {}))
        return subprocess.run([PROGRAM, *arguments], capture_output=True, env=environment, timeout=60, check=False, **options)

    def text(self, *arguments, status=0):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
        return done.stdout.decode()

    def document(self, *arguments, status=0):
        done = self.run_program(*arguments, "--format", "json")
        self.assertEqual(done.returncode, status, done.stderr.decode() + done.stdout.decode())
        document = json.loads(done.stdout)
        if jsonschema is not None:
            jsonschema.validate(document, self.schema, cls=jsonschema.Draft202012Validator)
        self.assertEqual(document["schema_version"], 1)
        return document


class Merge(ProgramTest):
    """What merge makes is a document of the command whose parts it joins."""

    def test_documents(self):
        for command in (["verify", "--require-sass", "80"], ["predict", "--gpu", "8.0"], ["inspect", "--package"]):
            with self.subTest(command[0]):
                part = self.path("part.json")
                with open(part, "w", encoding="utf-8") as file:
                    json.dump(self.document(*command, self.path("libcomplete.so"), "--shard", "1/1"), file)
                self.assertEqual(self.document("merge", part)["merged"], {"parts": 1, "missing": [], "unreadable": []})


class Lab(ProgramTest):
    LAB = {"lab_version": 1,
           "machines": [{"name": "desk", "gpus": ["RTX 3090"], "driver": "580"}, {"name": "node", "gpus": [{"gpu": "H200", "count": 8}], "driver": "580"},
                        {"name": "robot", "gpus": ["Jetson AGX Orin"], "driver": "580"}],
           "groups": {"cluster": {"machines": ["node"], "jit": False}, "robots": {"machines": ["robot"], "requirement": "should"}}}

    def lab(self):
        with open(self.path("lab.json"), "w", encoding="utf-8") as file:
            json.dump(self.LAB, file)
        return self.path("lab.json")

    def test_show_names_the_smallest_list(self):
        text = self.text("lab", "show", "--lab", self.lab())
        self.assertIn("86-real;87-real;90\n", text)
        self.assertEqual(self.text("lab", "show", self.lab()), text, "the file by its place")
        document = self.document("lab", "show", "--lab", self.lab(), "--machine", "cluster")
        self.assertEqual(document["targets"], ["sm_90", "compute_90"])

    def test_check_and_gate_ask_every_machine_with_its_driver(self):
        text = self.text("lab", "check", self.path("libcomplete.so"), "--lab", self.lab(), "--symbols", "ascii")
        for machine in ("desk", "node", "robot"):
            self.assertIn(machine, text)
        self.text("lab", "check", self.path("libgap.so"), "--lab", self.lab(), status=1)
        document = self.document("lab", "check", self.path("libgap.so"), "--lab", self.lab(), status=1)
        self.assertEqual(document["verdict"], "fail")
        self.assertEqual([(m["machine"], m["need"], m["verdict"], m["worst"], m["with_worst"], m["kernels"]) for m in document["machines"]],
                         [("desk", "must", "pass", "sass", 3, 3), ("node", "must", "fail", "fails", 1, 3), ("robot", "should", "fail", "fails", 3, 3)], "SASS of desktop GPUs is not for Jetson")
        self.text("verify", self.path("libgap.so"), "--lab", self.lab(), status=1)
        self.text("verify", self.path("libgap.so"), "--lab", self.lab(), "--machine", "desk")
        self.text("verify", self.path("libcomplete.so"), "--lab", self.lab())
        done = self.run_program("verify", self.path("libgap.so"), "--lab", self.lab(), "--machine", "attic")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"found `attic`", done.stderr)
        self.assertIn(b"expected --lab FILE beside --machine desk", self.run_program("verify", self.path("libgap.so"), "--machine", "desk").stderr)

    def test_presets_are_for_machines_and_groups(self):
        presets = json.loads(self.text("lab", "presets", "--lab", self.lab()))
        self.assertEqual(presets["version"], 6)
        names = [preset["name"] for preset in presets["workflowPresets"]]
        self.assertEqual(names, ["lab-desk", "lab-node", "lab-robot", "lab-cluster", "lab-robots"])
        cluster = next(preset for preset in presets["configurePresets"] if preset["name"] == "lab-cluster")
        self.assertEqual(cluster["cacheVariables"], {"CMAKE_CUDA_ARCHITECTURES": "90-real;90-virtual", "CUDA_ARCH_GUARD_LAB": self.path("lab.json"), "CUDA_ARCH_GUARD_MACHINES": "cluster"})
        own = self.path("CMakePresets.json")
        with open(own, "w", encoding="utf-8") as file:
            file.write('{"version": 6}')
        self.text("lab", "presets", "--lab", self.lab(), "--write", own, status=2)
        with open(own, encoding="utf-8") as file:
            self.assertEqual(file.read(), '{"version": 6}')

    def test_dates_decide_what_is_required(self):
        lab = dict(self.LAB, machines=[{"name": "node", "gpus": ["H200"], "driver": "580"}, {"name": "next", "gpus": ["8.6"], "from": "2027-02-01"}])
        lab.pop("groups")
        with open(self.path("dated.json"), "w", encoding="utf-8") as file:
            json.dump(lab, file)
        check = ("lab", "check", self.path("libcomplete.so"), "--lab", self.path("dated.json"), "--date")
        before = self.document(*check, "2027-01-31")
        self.assertEqual([(m["machine"], m["gpu"], m["from"], m["verdict"]) for m in before["machines"]],
                         [("node", "9.0", None, "pass"), ("next", "8.6", "2027-02-01", "pass")])
        self.document("lab", "show", "--lab", self.path("dated.json"), "--stack")
        for no_day in ("soon", "2027-02-29", "0"):
            for command in (check, ("verify", self.path("libcomplete.so"), "--require-sass", "80", "--date")):
                done = self.run_program(*command, no_day)
                self.assertEqual(done.returncode, 2, f"{command} {no_day}: waivers and machines would count for no day")
                self.assertIn(b"expected a date such as 2027-01-31 for --date", done.stderr)
        done = self.run_program("verify", self.path("libcomplete.so"), "--lab", self.path("dated.json"), "--machine", "next", "--date", "2027-01-31")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"expected a machine that must run programs on 2027-01-31, found none", done.stderr)

    def test_import_and_drift(self):
        with open(self.path("node.txt"), "w", encoding="utf-8") as file:
            file.write("NodeName=node Arch=x86_64\n   Gres=gpu:h200:8\n")
        lab = json.loads(self.text("lab", "import", self.path("node.txt")))
        self.assertEqual(lab["machines"][0]["gpus"], [{"gpu": "h200", "count": 8}])
        with open(self.path("desk.csv"), "w", encoding="utf-8") as file:
            file.write("index, name, compute_cap, driver_version\n0, NVIDIA GeForce RTX 3090, 8.6, 580.95.05\n")
        self.assertIn("as declared", self.text("lab", "drift", "--lab", self.lab(), "--machine", "desk", "--from", self.path("desk.csv")))
        self.assertIn("GPUs declared", self.text("lab", "drift", "--lab", self.lab(), "--machine", "node", "--from", self.path("desk.csv"), status=1))
        init = json.loads(self.text("lab", "init", "--machine", "desk", "--from", self.path("desk.csv")))
        self.assertEqual((init["machines"][0]["name"], init["machines"][0]["driver"]), ("desk", "580.95.05"))


class Diff(ProgramTest):
    def test_a_lost_gpu(self):
        document = self.document("diff", self.path("libcomplete.so"), self.path("libgap.so"), status=1)
        self.assertTrue(document["loses_a_gpu"])
        changes = [change for file in document["files"] for change in file["changes"] if change["change"] == "lost"]
        self.assertTrue(any({"gpu": "9.0"}.items() <= pair.items() for change in changes for pair in change["on"]))
        text = " ".join(self.text("diff", self.path("libcomplete.so"), self.path("libgap.so"), "--gpu", "9.0", status=1).split())
        self.assertIn("no longer runs on 9.0", text)
        self.assertIn("no longer runs on 9.0",
                      self.text("diff", self.path("libcomplete.so"), self.path("libgap.so"), "--gpu", "9.0", "--format", "markdown", status=1))

    def test_the_other_way_round_wins(self):
        document = self.document("diff", self.path("libgap.so"), self.path("libcomplete.so"), "--gpu", "9.0")
        self.assertEqual([change["change"] for file in document["files"] for change in file["changes"]], ["won"])

    def test_equal_and_nothing(self):
        self.assertIn("no difference", self.text("diff", self.path("libgap.so"), self.path("libgap.so")))
        self.text("diff", self.path("libhost.so"), self.path("libhost.so"), status=2)


class Survey(ProgramTest):
    RECORDED = "index, name, compute_cap, driver_version\n0, NVIDIA H200, 9.0, 580.159.04\n1, NVIDIA GeForce RTX 3090, 8.6, 580.159.04\n"

    def recorded(self):
        with open(self.path("smi.csv"), "w", encoding="utf-8") as file:
            file.write(self.RECORDED)
        return self.path("smi.csv")

    def test_a_recorded_machine(self):
        document = self.document("survey", "--from", self.recorded())
        self.assertEqual([gpu["capability"] for gpu in document["machine"]["gpus"]], ["9.0", "8.6"])
        self.assertEqual(document["machine"]["gpus"][0]["sources"]["capability"], "nvidia-smi")
        self.assertEqual(document["build_lists"]["torch"], "8.6;9.0+PTX")
        with open(self.path("machine.json"), "w", encoding="utf-8") as file:
            json.dump(document, file)
        again = self.document("survey", "--from", self.path("machine.json"))
        self.assertEqual(again["machine"]["gpus"], document["machine"]["gpus"])

    def test_an_empty_root_has_no_gpu(self):
        root = self.path("empty-root")
        os.makedirs(root, exist_ok=True)
        self.assertTrue(self.text("survey", "--root", root).startswith("No NVIDIA GPU on this machine; no driver found."))
        self.assertEqual(self.document("survey", "--root", root)["machine"]["gpus"], [])
        self.assertIn("CAG408", self.run_program("survey", "--root", self.path("no-such-folder")).stderr.decode())

    def test_what_is_no_recording_is_refused(self):
        self.assertEqual(self.document("survey", "--from", self.path("libgap.so"), status=2)["error"]["code"], "CAG508")


class Doctor(ProgramTest):
    """An environment of this folder on GPUs that are elsewhere: nothing of the test's machine is in the answer."""

    def root(self):
        root = self.path("root")
        site = os.path.join(root, "venv/lib/python3.12/site-packages")
        if not os.path.isdir(site):
            os.makedirs(os.path.join(site, "kit-1.0.dist-info"))
            with open(os.path.join(site, "kit-1.0.dist-info/METADATA"), "w", encoding="utf-8") as file:
                file.write("Name: kit\nVersion: 1.0\n")
            with open(os.path.join(site, "kit-1.0.dist-info/RECORD"), "w", encoding="utf-8") as file:
                file.write("libgap.so,,\n")
            with open(self.path("libgap.so"), "rb") as source, open(os.path.join(site, "libgap.so"), "wb") as copy:
                copy.write(source.read())
        return ["--root", root, "--python", "/venv"]

    def test_a_program_and_what_its_run_path_leads_to(self):
        root = self.path("program-root")
        os.makedirs(os.path.join(root, "app/inner"))
        source = self.path("nothing.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int nothing;\n")
        link = ["cc", "-shared", "-fPIC", "-nostdlib", source, "-Wl,--no-as-needed"]
        library = os.path.join(root, "app/inner/libkernels.so")
        subprocess.run([*link, "-o", library, "-Wl,-soname,libkernels.so"], check=True)
        subprocess.run([*link, "-o", os.path.join(root, "app/main.so"), library, "-Wl,-rpath,$ORIGIN/inner"], check=True)
        shutil.copy(self.path("libgap.so"), library)
        ask = ["doctor", "--root", root, "--python", "/none", "/app/main.so", "--driver", "580", "--gpu"]
        self.assertIn("app/main.so has code for compute capability 9.0 in", self.text(*ask, "9.0", status=1))
        os.remove(library)
        text = self.text(*ask, "9.0", status=2)
        self.assertIn("Not known", text)
        self.assertIn("libkernels.so", text)

    def test_the_verdict_comes_first(self):
        text = self.text("doctor", *self.root(), "--gpu", "7.5", "--driver", "580", status=1)
        self.assertTrue(text.splitlines()[0].endswith("kit 1.0 has no code for compute capability 7.5: take an older kit: newer ones do not bring this GPU back"))
        self.assertIn("fails (209)", text)
        self.assertIn("No fault found", self.text("doctor", *self.root(), "--gpu", "8.0", "--driver", "580"))

    def test_json(self):
        document = self.document("doctor", *self.root(), "--gpu", "8.0,7.5", "--driver", "580", status=1)
        self.assertEqual(document["status"], "problems")
        (package,) = document["packages"]
        self.assertEqual([cell["answer"] for cell in package["gpus"]], ["runs", "fails"])
        self.assertEqual(package["sass"], ["80", "90"])
        self.assertEqual(self.document("doctor", *self.root(), status=2)["status"], "undecided")

    def test_what_changed(self):
        with open(self.path("recorded.csv"), "w", encoding="utf-8") as file:
            file.write("name, compute_cap, driver_version\nNVIDIA H200, 9.0, 580.159.04\n")
        with open(self.path("recorded-later.csv"), "w", encoding="utf-8") as file:
            file.write("name, compute_cap, driver_version\nNVIDIA H200, 9.0, 595.45.04\n")
        done = self.run_program("doctor", *self.root(), "--from", self.path("recorded.csv"), "--save", self.path("good.json"))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        same = self.text("doctor", *self.root(), "--from", self.path("recorded.csv"), "--compare", self.path("good.json"))
        self.assertTrue(same.startswith("Nothing has changed"))
        changed = self.text("doctor", *self.root(), "--from", self.path("recorded-later.csv"), "--compare", self.path("good.json"), status=1)
        self.assertIn("driver: 580.159.04 -> 595.45.04", changed)

    def test_the_matrix(self):
        matrix = {row["capability"]: row for row in self.document("doctor", "--matrix", "--gpu", "6.1,12.0")["matrix"]}
        self.assertEqual(matrix["6.1"]["newest_driver"], 580)
        self.assertEqual(matrix["6.1"]["newest_toolkit"], "12.9")
        self.assertEqual(matrix["12.0"]["oldest_driver"], 570)
        self.assertEqual(matrix["12.0"]["oldest_toolkit"], "12.8")
        self.assertTrue(matrix["6.1"]["frameworks"]["pytorch"]["gone"])
        self.assertIn("driver ends with R580", self.text("doctor", "--matrix", "--gpu", "6.1"))

    def test_a_log(self):
        with open(self.path("run.log"), "w", encoding="utf-8") as file:
            file.write("step 1\nRuntimeError: CUDA error: no kernel image is available for execution on the device\n")
        text = " ".join(self.text("explain-log", self.path("run.log")).split())
        self.assertIn("Error 209", text)
        self.assertIn("[CAG103]", text)
        self.assertIn("CUDA_LAUNCH_BLOCKING=1", text)
        (finding,) = self.document("explain-log", self.path("run.log"))["findings"]
        self.assertEqual((finding["code"], finding["line"]), ("CAG103", 2))
        self.assertEqual(self.document("explain-log", self.path("libhost.so"), status=2)["findings"], [])


class Verify(ProgramTest):
    def test_second_source_lacks_an_architecture(self):
        """The message names the module, its kernels, the architecture, and the flag for nvcc and for CMake."""
        text = self.text("verify", self.path("libgap.so"), "--require-sass", "80,90", status=1)
        flat = " ".join(text.split())
        for part in ("module 1", "reduce(float const*, float*)", "sm_90", "-gencode=arch=compute_90,code=sm_90", "90-real",
                     "CMAKE_CUDA_ARCHITECTURES"):
            self.assertIn(part, flat)
        self.assertNotIn("module 0", flat)

        document = self.document("verify", self.path("libgap.so"), "--require-sass", "80,90", status=1)
        self.assertEqual(document["verdict"], "fail")
        self.assertEqual([r["verdict"] for r in document["requirements"]], ["pass", "fail"])
        (finding,) = document["findings"]
        self.assertEqual((finding["code"], finding["level"], finding["module"], finding["arch"]), ("CAG101", "error", 1, "90"))
        self.assertEqual(finding["kernels"], ["_Z6reducePKfPf"])
        self.assertEqual(finding["path"], self.path("libgap.so"))

    def test_everything_is_there(self):
        self.assertIn("pass", self.text("verify", self.path("libcomplete.so"), "--require-sass", "80,90", "--require-ptx", "90"))
        document = self.document("verify", self.path("libcomplete.so"), "--require-sass", "80,90", "--runs-on", "8.6,12.0")
        self.assertEqual((document["verdict"], document["findings"]), ("pass", []))
        self.assertEqual(len(document["requirements"]), 4)

    def test_cut_short_is_not_decided(self):
        document = self.document("verify", self.path("libcut.so"), "--require-sass", "80", status=2)
        self.assertEqual(document["verdict"], "undecided")
        self.assertTrue(any(finding["code"].startswith("CAG4") for finding in document["findings"]))

    def test_kernel_missing_from_one_image(self):
        document = self.document("verify", self.path("libpartial.so"), "--require-sass", "90", status=1)
        self.assertEqual([(f["code"], f["kernels"]) for f in document["findings"]], [("CAG104", ["_Z6only80v"])])

    def test_runs_on(self):
        self.text("verify", self.path("libgap.so"), "--runs-on", "8.6")
        document = self.document("verify", self.path("libgap.so"), "--runs-on", "8.6,9.0", status=1)
        self.assertEqual([r["verdict"] for r in document["requirements"]], ["pass", "fail"])
        self.text("verify", self.path("libcomplete.so"), "--runs-on", "12.0", "--no-jit", status=1)

    def test_specialised_modules_and_strict(self):
        document = self.document("verify", self.path("libspecialised.so"), "--require-sass", "90")
        self.assertEqual([(f["code"], f["level"]) for f in document["findings"]], [("CAG105", "note")])
        self.text("verify", self.path("libspecialised.so"), "--require-sass", "90", "--strict", status=1)

    def test_reports_are_written_all_or_none(self):
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "a.json")
            old.write_text("old")
            missing = pathlib.Path(folder, "missing", "b.html")
            for command in (["inspect"], ["predict", "--gpu", "9.0"], ["verify", "--require-sass", "80"]):
                done = subprocess.run([PROGRAM, *command, self.path("libcomplete.so"), "--report", f"json={old}", "--report", f"html={missing}"],
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 2, command)
                self.assertIn(b"CAG506", done.stderr)
                self.assertEqual(old.read_text(), "old")
                self.assertEqual(os.listdir(folder), ["a.json"])
            good = pathlib.Path(folder, "c.csv")
            done = subprocess.run([PROGRAM, "inspect", self.path("libcomplete.so"), "--report", f"json={old}", "--report", f"csv={good}"],
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(old.read_text())["command"], "inspect")
            self.assertTrue(good.read_text().startswith("file,member,"))

    def test_a_policy_is_found_upwards_and_holds_what_it_says(self):
        with tempfile.TemporaryDirectory() as folder:
            deep = pathlib.Path(folder, "a", "b")
            deep.mkdir(parents=True)

            def guard(*arguments):
                return subprocess.run([PROGRAM, *arguments], cwd=deep, capture_output=True, check=False, text=True)

            file = pathlib.Path(folder, "cuda-arch-guard.json")
            self.assertEqual(guard("policy", "init", self.path("libgap.so"), "--output", str(file)).returncode, 0)
            self.assertEqual(guard("policy", "init", self.path("libgap.so"), "--output", str(file)).returncode, 2, "it exists")
            done = guard("verify", self.path("libgap.so"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(guard("policy", "check").returncode, 0)
            file.write_text('{"policy_version": 1,\n "requires": []}')
            done = guard("policy", "check")
            self.assertEqual(done.returncode, 2)
            self.assertIn("cuda-arch-guard.json:2:14:", done.stdout.replace("\n  ", " "))
            self.assertIn("did you mean `require`?", done.stdout.replace("\n  ", " "))
            self.assertIn("CAG508", guard("verify", self.path("libgap.so")).stderr)

    def test_options_have_twins_in_the_environment(self):
        environment = {**os.environ, "CUDA_ARCH_GUARD_REQUIRE_SASS": "80", "CUDA_ARCH_GUARD_FORMAT": "json"}
        done = subprocess.run([PROGRAM, "verify", self.path("libcomplete.so")], env=environment, capture_output=True, check=False)
        self.assertEqual(json.loads(done.stdout)["requirements"][0]["text"], "80")

    def test_completion_and_the_manual_page(self):
        script = subprocess.run([PROGRAM, "completion", "bash"], capture_output=True, check=True, text=True).stdout
        for words, wanted in ((["ver"], "verify"), (["verify", "--requ"], "--require-sass"), (["verify", "--format", "sa"], "sarif"),
                              (["policy", "ch"], "check"), (["policy", "init", "--fo"], "--force")):
            line = " ".join(["cuda-arch-guard", *words])
            run = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _cuda_arch_guard; echo ${{COMPREPLY[@]}}"
            done = subprocess.run(["bash", "-c", script + run], capture_output=True, check=True, text=True)
            self.assertIn(wanted, done.stdout.split(), done.stderr)
        for shell in ("zsh", "fish"):
            self.assertIn("require-sass", subprocess.run([PROGRAM, "completion", shell], capture_output=True, check=True, text=True).stdout)
        page = subprocess.run([PROGRAM, "manual"], capture_output=True, check=True, text=True).stdout
        self.assertTrue(page.startswith(".TH"))
        self.assertIn("CUDA_ARCH_GUARD_REQUIRE_SASS", page)

    def test_the_version_as_json_says_what_the_tables_know(self):
        done = subprocess.run([PROGRAM, "--version", "--format", "json"], capture_output=True, check=True)
        tables = json.loads(done.stdout)["tables"]
        self.assertIn("newest_toolkit", tables)
        self.assertRegex(tables["checked"]["toolkits"], r"^20\d\d-\d\d-\d\d$")

    def test_scope_any(self):
        self.text("verify", self.path("libgap.so"), "--require-sass", "90", "--scope", "any")

    def test_nothing_to_judge(self):
        for name in ("libhost.so", "stub.fatbin"):
            with self.subTest(name):
                document = self.document("verify", self.path(name), "--require-sass", "90", status=2)
                self.assertEqual(document["verdict"], "undecided")
        self.text("verify", self.path("libhost.so"), "--require-sass", "90", "--allow-empty")

    def test_no_requirement_and_missing_file(self):
        done = self.run_program("verify", self.path("libcomplete.so"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--require-sass", done.stderr)
        document = self.document("verify", self.path("no-such-file"), "--require-sass", "80", status=2)
        self.assertIn("CAG408", [finding["code"] for finding in document["findings"]])


class Reports(ProgramTest):
    def verify(self, name, *arguments, status):
        return self.text("verify", self.path(name), "--require-sass", "80,90", *arguments, status=status)

    def test_several_from_one_scan(self):
        files = {name: self.path("report." + name) for name in ("json", "sarif", "junit", "github", "markdown", "text")}
        arguments = [part for name, path in files.items() for part in ("--report", f"{name}={path}")]
        self.assertIn("CAG101", self.verify("libgap.so", *arguments, status=1))
        content = {}
        for name, path in files.items():
            with open(path, encoding="utf-8") as file:
                content[name] = file.read()
        self.assertEqual(json.loads(content["json"])["verdict"], "fail")
        self.assertTrue(content["github"].startswith("::error title=CAG101,file="))
        self.assertIn("| --require-sass 90 | ❌ fail |", content["markdown"])
        self.assertIn("CAG101", content["text"])
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.endswith(".tmp")], [])

    def test_sarif(self):
        document = json.loads(self.verify("libgap.so", "--format", "sarif", "--sarif-anchor", "src/CMakeLists.txt:7", status=1))
        self.assertEqual(document["version"], "2.1.0")
        (run,) = document["runs"]
        (result,) = run["results"]
        self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        (location,) = result["locations"]
        self.assertEqual(location["physicalLocation"], {"artifactLocation": {"uri": "src/CMakeLists.txt"}, "region": {"startLine": 7}})
        self.assertIn("_Z6reducePKfPf", [logical.get("decoratedName") for logical in location["logicalLocations"]])

    def test_junit(self):
        suites = xml.etree.ElementTree.fromstring(self.verify("libgap.so", "--format", "junit", status=1))
        cases = {case.get("name"): [child.tag for child in case] for case in suites.iter("testcase")}
        self.assertEqual(cases, {"--require-sass 80": [], "--require-sass 90": ["failure"]})
        suites = xml.etree.ElementTree.fromstring(self.verify("libcomplete.so", "--format", "junit", status=0))
        self.assertEqual([len(case) for case in suites.iter("testcase")], [0, 0])
        suites = xml.etree.ElementTree.fromstring(self.verify("libcut.so", "--format", "junit", status=2))
        self.assertEqual({child.tag for case in suites.iter("testcase") for child in case}, {"error"})

    def test_report_that_cannot_be_written(self):
        done = self.run_program("verify", self.path("libcomplete.so"), "--require-sass", "80", "--report", "json=/no/such/folder/x.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"CAG506", done.stderr)
        self.assertIn(b"pass", done.stdout)
        done = self.run_program("verify", self.path("libcomplete.so"), "--require-sass", "80", "--report", "yaml=x")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"sarif", done.stderr)


class Inspect(ProgramTest):
    def test_contract(self):
        document = self.document("inspect", "--kernels", self.path("libgap.so"))
        (file,) = document["files"]
        self.assertEqual((file["path"], file["member"], file["format"], file["machine"]), (self.path("libgap.so"), None, "elf", "x86_64"))
        self.assertEqual([module["kind"] for module in file["modules"]], ["registered", "registered"])
        first, second = file["modules"]
        self.assertEqual([(image["kind"], image["arch"], image["ptx_isa"]) for image in first["images"]],
                         [("sass", "80", None), ("sass", "90", None), ("ptx", "90", "9.0")])
        self.assertEqual([kernel["demangled"] for kernel in first["images"][0]["kernels"]].sort(), ["scale(float*, float)", "add(float*, float*)"].sort())
        self.assertEqual([(kernel["name"], kernel["code_size"]) for kernel in second["images"][0]["kernels"]], [("_Z6reducePKfPf", 48)])
        self.assertEqual(first["images"][2]["kernels"][0]["code_size"], 0)

    def test_matrix(self):
        text = self.text("inspect", self.path("libgap.so"), "--symbols", "ascii")
        self.assertIn("sm_90 is missing from 1 of 2 modules: module 1", " ".join(text.split()))
        self.assertLess(text.index("missing"), text.index("module 0"))
        for line in text.splitlines():
            self.assertLessEqual(len(line), max(80, len(self.path("libgap.so")) + 20))

    def test_kernel_rows_and_sizes(self):
        text = self.text("inspect", "--kernels", "--sizes", self.path("libgap.so"), "--symbols", "ascii")
        self.assertIn("reduce(float const*, float*)", text)
        self.assertIn("unexplained", text)

    def test_sizes_add_up(self):
        file = self.document("inspect", "--sizes", self.path("libgap.so"))["files"][0]
        sizes = file["sizes"]
        self.assertEqual(sizes["unexplained"], 0)
        self.assertEqual(sum(i["stored"] for i in sizes["images"]) + sizes["headers"] + sizes["padding"], sizes["total"])
        of_arch = sum(i["size"] for m in file["modules"] for i in m["images"] if i["arch"] == "90")
        self.assertEqual([w["saved"] for w in sizes["without"] if w["arch"] == "90"], [of_arch])

    def test_damaged_bytes_are_unexplained_and_not_lost(self):
        sizes = self.document("inspect", "--sizes", self.path("libcut.so"), status=2)["files"][0]["sizes"]
        self.assertEqual(sum(i["stored"] for i in sizes["images"]) + sum(sizes[k] for k in ("headers", "padding", "unexplained")), sizes["total"])

    def test_no_device_code(self):
        self.assertIn("no device code", self.text("inspect", self.path("libhost.so")))
        self.assertEqual(self.document("inspect", self.path("libhost.so"))["files"][0]["modules"], [])

    def test_damage(self):
        document = self.document("inspect", "--kernels", self.path("libcut.so"), status=2)
        self.assertTrue(document["files"][0]["problems"])

    def test_names_cannot_command_the_terminal(self):
        text = self.text("inspect", "--kernels", self.path("escape.fatbin"), "--color", "never")
        self.assertNotIn("\x1b", text)
        self.assertIn("evil\\x1b[31mname", text)
        self.assertIn("not-utf8-\\xff", text)
        kernels = self.document("inspect", "--kernels", self.path("escape.fatbin"))["files"][0]["modules"][0]["images"][0]["kernels"]
        self.assertIn("not-utf8-\ufffd", [kernel["name"] for kernel in kernels])


class Predict(ProgramTest):
    def outcomes(self, *arguments, status):
        document = self.document("predict", *arguments, status=status)
        return [outcome for file in document["files"] for module in file["modules"] for outcome in module.get("outcomes", [])]

    def test_contract(self):
        outcomes = self.outcomes(self.path("libgap.so"), "--gpu", "9.0", "--driver", "580", status=1)
        by_kernel = {outcome["kernel"]: outcome for outcome in outcomes}
        self.assertEqual(set(by_kernel), {"_Z5scalePff", "_Z3addPfS_", "_Z6reducePKfPf"})
        runs = by_kernel["_Z5scalePff"]
        self.assertEqual((runs["outcome"], runs["image"], runs["error"]), ("sass", {"kind": "sass", "arch": "90"}, None))
        fails = by_kernel["_Z6reducePKfPf"]
        self.assertEqual((fails["outcome"], fails["image"]), ("fails", None))
        self.assertEqual(fails["error"], {"code": 209, "name": "cudaErrorNoKernelImageForDevice"})
        self.assertEqual((fails["gpu"], fails["driver"], fails["env"], fails["confidence"]), ("9.0", "580", {}, "measured"))
        self.assertTrue(fails["reasons"])
        self.assertTrue(fails["fixes"])

    def test_pairs_and_environment(self):
        outcomes = self.outcomes(self.path("libcomplete.so"), "--gpu", "8.6,9.0", "--driver", "570", "--driver", "580", "--env",
                                 "CUDA_FORCE_PTX_JIT=1", status=1)
        self.assertEqual({(outcome["gpu"], outcome["driver"]) for outcome in outcomes},
                         {("8.6", "570"), ("8.6", "580"), ("9.0", "570"), ("9.0", "580")})
        self.assertEqual({outcome["env"]["CUDA_FORCE_PTX_JIT"] for outcome in outcomes}, {"1"})

    def test_text_tells_failures_first(self):
        text = self.text("predict", self.path("libgap.so"), "--gpu", "8.6", "--gpu", "9.0", "--driver", "580", "--symbols", "ascii", status=1)
        flat = " ".join(text.split())
        self.assertLess(flat.index("error 209"), flat.index("runs, SASS"))
        self.assertIn("fix:", flat)

    def test_text_json_and_exit_status_agree(self):
        """Every input with several GPUs and drivers: one verdict, told three times."""
        names = sorted(name for name in os.listdir(self.folder.name) if os.path.isfile(self.path(name)))
        self.assertGreater(len(names), 5)
        for name in names:
            for gpu, driver in (("7.5", "580"), ("8.6,9.0", "570"), ("9.0", "580"), ("12.0", "595")):
                asked = ("predict", self.path(name), "--gpu", gpu, "--driver", driver)
                json_run = self.run_program(*asked, "--format", "json")
                text_run = self.run_program(*asked, "--symbols", "ascii")
                self.assertEqual(json_run.returncode, text_run.returncode, name)
                document = json.loads(json_run.stdout)
                files = document["files"]
                kinds = {o["outcome"] for file in files for module in file["modules"] for o in module.get("outcomes", [])}
                damaged = any(file["problems"] for file in files)
                expected = 1 if "fails" in kinds else 2 if "unknown" in kinds or not kinds or damaged else 0
                self.assertEqual(text_run.returncode, expected, f"{name} {gpu} {driver}")
                if kinds:
                    mark = "X" if "fails" in kinds else "?" if "unknown" in kinds else "+"
                    self.assertTrue(text_run.stdout.decode().startswith(mark + " "), f"{name}: {text_run.stdout.decode()[:200]}")

    def test_nothing_to_predict(self):
        self.text("predict", self.path("libhost.so"), "--gpu", "9.0", status=2)

    def test_unknown_gpu_is_a_document_too(self):
        document = self.document("predict", self.path("libgap.so"), "--gpu", "Voodoo 3", status=2)
        self.assertEqual(document["error"]["code"], "CAG501")


class Gencode(ProgramTest):
    def test_flags_alone_on_standard_output(self):
        text = self.text("gencode", "80-real", "90")
        self.assertEqual(len(text.splitlines()), 1)
        for part in ("arch=compute_80,code=sm_80", "arch=compute_90,code=sm_90", "code=compute_90"):
            self.assertIn(part, text)
        self.assertNotIn("code=compute_80", text)

    def test_document(self):
        document = self.document("gencode", "90a", "--style", "cmake")
        self.assertEqual(document["style"], "cmake")
        self.assertIn({"arch": "90a", "code": "sass"}, document["targets"])

    def test_unsupported_by_the_toolkit(self):
        document = self.document("gencode", "120", "--toolkit", "12.4", status=2)
        self.assertEqual(document["error"]["code"], "CAG504")


class Guard(ProgramTest):
    def test_document(self):
        with tempfile.TemporaryDirectory() as folder:
            written = os.path.join(folder, "_cuda_guard.py")
            document = self.document("guard", "--python", written, self.path("libgap.so"), self.path("libcomplete.so"))
            self.assertEqual(document["python"], written)
            self.assertEqual([(file["modules"], file["kernels"], file["named"]) for file in document["files"]], [(2, 3, 3), (2, 3, 3)])
            self.assertIn("def check(", pathlib.Path(written).read_text(encoding="utf-8"))

    def test_without_room(self):
        document = self.document("guard", self.path("libgap.so"), status=2)
        self.assertEqual(document["error"]["code"], "CAG506")


class Rule(ProgramTest):
    def test_one_and_all(self):
        self.assertIn("SASS is missing", self.text("rule", "CAG101"))
        self.assertIn("CAG401", self.text("rule"))
        (rule,) = self.document("rule", "cag101")["rules"]
        self.assertEqual(rule["code"], "CAG101")
        self.assertGreater(len(self.document("rule")["rules"]), 20)

    def test_unknown_code(self):
        done = self.run_program("rule", "CAG1O1")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"CAG101", done.stderr)


class Manners(ProgramTest):
    def error_of(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def test_mistyped_option_and_command(self):
        message = self.error_of("verify", "x.so", "--requre-sass", "80")
        for part in ("--requre-sass", "did you mean `--require-sass`", "cuda-arch-guard verify --help"):
            self.assertIn(part, message)
        self.assertIn("did you mean `verify`", self.error_of("verfy", "x.so"))
        self.assertIn("expected a command", self.error_of())

    def test_bad_values_say_what_is_allowed(self):
        message = self.error_of("inspect", "x.so", "--format", "yaml")
        for part in ("text, json", "`yaml`"):
            self.assertIn(part, message)
        self.assertIn("--gpu", self.error_of("predict", "x.so"))

    def test_help_and_version(self):
        for command in ("inspect", "predict", "verify", "gencode", "rule"):
            self.assertIn(command, self.text("--help"))
            self.assertIn("Examples:", self.text(command, "--help"))
        self.assertRegex(self.text("--version"), r"^cuda-arch-guard \d+\.\d+\.\d+\n$")

    def test_result_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "verify", self.path("libcomplete.so"), "--require-sass", "80"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"CAG506", done.stderr)

    def test_closed_standard_output(self):
        done = subprocess.run(["sh", "-c", '"$0" verify "$1" --require-sass 80 >&-', PROGRAM, self.path("libcomplete.so")],
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)

    def test_reader_that_went_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            done = subprocess.run([PROGRAM, "rule"], stdout=pipe, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)

    def test_colour_and_symbols(self):
        arguments = ("inspect", self.path("libgap.so"))
        self.assertNotIn("\x1b", self.text(*arguments))
        self.assertIn("\x1b[31m", self.text(*arguments, "--color", "always"))
        utf8 = self.run_program(*arguments, environment={"LC_ALL": "C.UTF-8"}).stdout.decode()
        self.assertIn("●", utf8)
        self.assertTrue(self.run_program(*arguments, environment={"LC_ALL": "C"}).stdout.isascii())

    def test_options_may_stand_before_and_behind_paths(self):
        self.text("verify", "--require-sass", "80", self.path("libgap.so"), self.path("libcomplete.so"))

    def test_limits(self):
        document = self.document("inspect", "--kernels", self.path("libgap.so"), "--max-images", "1", status=2)
        self.assertIn("CAG404", [problem["code"] for file in document["files"] for problem in file["problems"]])

    def test_threads_do_not_change_the_answer(self):
        arguments = ("inspect", "--kernels", "--format", "json", *(self.path(name) for name in ("libgap.so", "libmany.so", "libcut.so")))
        self.assertEqual(self.run_program(*arguments, "--threads", "1").stdout, self.run_program(*arguments, "--threads", "4").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
