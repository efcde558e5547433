"""The gates for packaging as their tools run them: the GitHub Action's steps, and the hook by pre-commit itself."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

try:
    import yaml
except ImportError:
    print("skipped: PyYAML is not installed: apt-get install python3-yaml, or pip install PyYAML")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["CUDA_ARCH_GUARD_PROGRAM"])
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]


class Gates(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        subprocess.run([MAKE_INPUTS, self.folder / "inputs"], check=True)
        self.dist = self.folder / "my dist"
        self.dist.mkdir()
        with zipfile.ZipFile(self.dist / "ext-1.0-py3-none-any.whl", "w") as wheel:
            wheel.write(self.folder / "inputs/libgap.so", "ext/libgap.so")  # 8.0 whole, 9.0 in one module of two
        self.environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}


class Action(Gates):
    """action.yml is for a runner of GitHub's; what a runner does with a composite action is done here by hand."""

    ACTION = yaml.safe_load((ROOT / "action.yml").read_text())

    def run_steps(self, status, **inputs):
        values = {name: str(known.get("default", "")) for name, known in self.ACTION["inputs"].items()}
        self.assertLessEqual({name.replace("_", "-") for name in inputs}, set(values))
        values.update({name.replace("_", "-"): value for name, value in inputs.items()})
        files = {name: self.folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        for step in self.ACTION["runs"]["steps"]:
            variables = {name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: values[match[1]], text)
                         for name, text in step.get("env", {}).items()}
            self.assertNotIn("${{", step["run"], "an input that is pasted into the script could be a command")
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.folder, text=True,
                                  capture_output=True, check=False,
                                  env={**self.environment, **variables, **{name: str(path) for name, path in files.items()},
                                       "GITHUB_ACTION_PATH": str(ROOT)})
            if step.get("id") == "verify":
                break
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(files["GITHUB_OUTPUT"].read_text(), f"status={status}\n")
        return done.stdout, files["GITHUB_STEP_SUMMARY"].read_text()

    def test_what_it_is(self):
        """The fields that GitHub asks of a composite action."""
        self.assertLessEqual({"name", "description", "inputs", "outputs", "runs"}, set(self.ACTION))
        self.assertEqual(self.ACTION["runs"]["using"], "composite")
        for step in self.ACTION["runs"]["steps"]:
            self.assertEqual(step["shell"], "bash")
        for known in self.ACTION["inputs"].values():
            self.assertTrue(known["description"])
            self.assertNotEqual("default" in known, known.get("required", False))
        for output in self.ACTION["outputs"].values():
            step, name = re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}", output["value"]).groups()
            self.assertIn(step, [each.get("id") for each in self.ACTION["runs"]["steps"]])
            self.assertIn(f'echo "{name}=', "".join(each["run"] for each in self.ACTION["runs"]["steps"]))

    def test_holds(self):
        annotations, summary = self.run_steps(0, paths="inputs/libcomplete.so inputs/libgap.so", runs_on="8.0, 8.6")
        self.assertNotIn("::error", annotations)
        self.assertIn("8.6", summary)

    def test_fails_with_annotations_and_a_summary(self):
        annotations, summary = self.run_steps(1, paths="inputs/libgap.so", require_sass="80,90", sarif="result.sarif")
        self.assertRegex(annotations, r"(?m)^::error .*title=CAG101")
        self.assertIn("CAG101", summary)
        self.assertTrue((self.folder / "result.sarif").exists())

    def test_undecided(self):
        (self.folder / "cut.whl").write_bytes(next(self.dist.iterdir()).read_bytes()[:300])
        annotations, _ = self.run_steps(2, paths="cut.whl", require_sass="80")
        self.assertIn("CAG401", annotations)

    def test_inputs_are_never_commands(self):
        self.run_steps(2, paths="$(touch${IFS}evil) ;touch evil", runs_on="9.0\"; touch evil; \"", arguments="`touch evil`")
        self.assertFalse((self.folder / "evil").exists())

    def test_requirements_of_the_project(self):
        (self.folder / "pyproject.toml").write_text("[tool.cuda-arch-guard]\nrequire-sass = '90'\n")
        self.run_steps(1, paths="inputs/libgap.so")
        self.run_steps(0, paths="inputs/libgap.so", arguments="--scope any --require-sass 90")


class Hook(Gates):
    """pre-commit takes the hook from a repository; here from this tree, committed into one."""

    def git(self, where, *arguments):
        return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always", *arguments],
                              cwd=where, check=True, capture_output=True, text=True).stdout.strip()

    def setUp(self):
        super().setUp()
        self.pre_commit = os.environ.get("PRE_COMMIT") or shutil.which("pre-commit")
        if not self.pre_commit:
            self.skipTest("pre-commit is not installed; take it from PyPI, and name it by PRE_COMMIT=... where it is not on PATH")
        hooks = self.folder / "hooks"
        hooks.mkdir()
        shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
        self.git(hooks, "init", "--quiet")
        self.git(hooks, "add", ".")
        self.git(hooks, "commit", "--quiet", "-m", "hooks")
        self.project = self.folder / "project"
        self.project.mkdir()
        (self.project / "pyproject.toml").write_text("[tool.cuda-arch-guard]\nrequire-sass = '80,90'\n")
        (self.project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(
            {"repos": [{"repo": str(hooks), "rev": self.git(hooks, "rev-parse", "HEAD"), "hooks": [{"id": "cuda-arch-guard"}]}]}))
        self.git(self.project, "init", "--quiet")
        self.environment["PRE_COMMIT_HOME"] = str(self.folder / "pre-commit")

    def commit_with(self, name):
        shutil.copy(self.folder / "inputs" / name, self.project)
        (self.project / "notes.txt").write_text("not looked at")
        self.git(self.project, "add", ".")
        return subprocess.run([self.pre_commit, "run", "--verbose"], cwd=self.project, env=self.environment, check=False, capture_output=True, text=True)

    def test_a_binary_that_holds_passes(self):
        done = self.commit_with("libcomplete.so")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Passed", done.stdout)

    def test_a_binary_that_falls_short_is_rejected(self):
        done = self.commit_with("libgap.so")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("CAG101", done.stdout)
        self.assertIn("libgap.so", done.stdout)


class Templates(unittest.TestCase):
    """What clusters are given is what they ask for."""

    def test_kubernetes(self):
        for name, kind in (("check-job", "Job"), ("survey-daemonset", "DaemonSet")):
            (document,) = yaml.safe_load_all((ROOT / f"example-projects/kubernetes/{name}.yaml").read_text())
            self.assertEqual(document["kind"], kind)
            spec = document["spec"]["template"]["spec"]
            volumes = {volume["name"] for volume in spec.get("volumes", [])}
            for container in spec["containers"]:
                self.assertLessEqual({mount["name"] for mount in container.get("volumeMounts", [])}, volumes)
                for script in container.get("args", []):
                    subprocess.run(["bash", "-n", "-c", script], check=True)

    def test_the_job_writes_the_parts_that_merge_reads(self):
        """The pods' own script, with the program and the volumes of this machine: four parts, one of which is lost."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            subprocess.run([MAKE_INPUTS, folder / "inputs"], check=True)
            (folder / "data").mkdir()
            for number in range(12):
                shutil.copy(folder / "inputs/good.cubin", folder / f"data/{number}.cubin")
            (folder / "results").mkdir()
            document = yaml.safe_load((ROOT / "example-projects/kubernetes/check-job.yaml").read_text())
            (script,) = document["spec"]["template"]["spec"]["containers"][0]["args"]
            script = script.replace("/results", str(folder / "results")).replace("/data", str(folder / "data")).replace("A100,H100", "8.0")
            for index in range(document["spec"]["completions"]):
                subprocess.run(["bash", "-c", script], check=True,
                               env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "JOB_COMPLETION_INDEX": str(index)})

            def merge():
                parts = sorted(map(str, (folder / "results").glob("part-*.json")))
                return subprocess.run([PROGRAM, "merge", *parts], check=False, capture_output=True, text=True)

            self.assertEqual(merge().returncode, 0)
            (folder / "results/part-2.json").unlink()
            self.assertEqual(merge().returncode, 2)
            self.assertIn("part 2 of 4", merge().stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=1)
