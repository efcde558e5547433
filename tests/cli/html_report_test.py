#!/usr/bin/env python3
"""The HTML report in Chromium: with scripts and without, by keyboard, for accessibility, and with 10,000 kernels.

With a folder as argument it also writes the screenshots of docs/reports.md there.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

PROGRAM = os.environ["CUDA_ARCH_GUARD_PROGRAM"]
MAKE_INPUTS = os.environ["CUDA_ARCH_GUARD_MAKE_INPUTS"]
SCREENSHOTS = os.environ.get("CUDA_ARCH_GUARD_SCREENSHOTS")


def axe():
    """The accessibility checker axe-core, from the package axe-core-python, or None."""
    package = importlib.util.find_spec("axe_core_python")
    return next(pathlib.Path(package.origin).parent.glob("**/axe*.js")).read_text() if package else None


def report(folder, name, *arguments):
    path = pathlib.Path(folder, name)
    done = subprocess.run([PROGRAM, *arguments, "--report", f"html={path}"], cwd=folder, capture_output=True, check=False, text=True)
    if not path.exists():
        raise RuntimeError(done.stderr)
    return path.as_uri()


def ptx(kernels):
    lines = [".version 8.7", ".target sm_80", ".address_size 64"]
    return "\n".join(lines + [f".visible .entry {name}() {{ ret; }}" for name in kernels]) + "\n"


@unittest.skipUnless(browser.find(), "no Chromium: apt-get install chromium")
class HtmlReport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([MAKE_INPUTS, cls.folder.name], check=True)
        gap = "libgap.so"
        cls.failed = report(cls.folder.name, "failed.html", "verify", gap, "--require-sass", "80,90", "--runs-on", "8.6,H100", "--no-jit")
        cls.predicted = report(cls.folder.name, "predicted.html", "predict", gap, "--gpu", "8.6,9.0,12.0")
        cls.inspected = report(cls.folder.name, "inspected.html", "inspect", gap)
        cls.large = pathlib.Path(cls.folder.name, "large")
        cls.large.mkdir()
        for i in range(100):
            (cls.large / f"part{i:03}.ptx").write_text(ptx(f"_Z{len(f'kernel_{i}_{k}')}kernel_{i}_{k}Pf" for k in range(100)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def quiet(self, page, url):
        self.assertEqual(page.messages, [], "console")
        self.assertEqual(set(page.requests), {url}, "nothing else is fetched")

    def shoot(self, page, name):
        if SCREENSHOTS:
            page.screenshot(pathlib.Path(SCREENSHOTS, name))

    def test_the_verdict_stands_first_and_the_findings_have_their_fixes(self):
        with browser.Page(self.failed) as page:
            self.assertIn("fail", page.evaluate("document.getElementById('verdict').textContent"))
            self.assertTrue(page.is_rendered("#verdict"))
            findings = page.evaluate("[...document.querySelectorAll('.finding')].map(f => f.textContent)")
            self.assertTrue(any("CAG101" in text and "-gencode" in text for text in findings), findings)
            self.shoot(page, "report-light.png")
            self.quiet(page, self.failed)

    def test_without_scripts_everything_is_there(self):
        with browser.Page(self.failed, scripts=False) as page:
            self.assertIn("CAG101", page.html())
            self.assertIn('class="k', page.html())
            self.assertTrue(page.is_rendered(".finding"))
            self.assertFalse(page.is_rendered(".controls"), "a filter that cannot filter")

    def test_sorting_by_the_keyboard(self):
        with browser.Page(self.predicted) as page:
            column = "[...document.querySelector('table.bars').tBodies[0].rows].map(r => Number(r.cells[3].dataset.value))"
            page.evaluate("document.querySelectorAll('table.bars th button')[3].focus()")
            page.key("Enter", text="\r", number=13)
            once = page.evaluate(column)
            self.assertEqual(once, sorted(once))
            page.key("Enter", text="\r", number=13)
            self.assertEqual(page.evaluate(column), sorted(once, reverse=True))
            self.assertEqual(page.evaluate("document.querySelectorAll('table.bars th')[3].getAttribute('aria-sort')"), "descending")
            self.quiet(page, self.predicted)

    def test_a_prediction_says_first_why_kernels_fail_and_what_helps(self):
        with browser.Page(self.predicted) as page:
            causes = page.evaluate("[...document.querySelectorAll('section[aria-labelledby=causes] .finding')].map(f => f.textContent)")
            self.assertEqual(len(causes), 1, "one cause on two GPUs")
            for said in ("error 209", "9.0, 12.0 with driver", "reduce(float const*, float*)", "SASS 80 and no PTX", "code=sm_90", "code=sm_120",
                         "confidence: documented"):
                self.assertIn(said, causes[0])
            self.assertTrue(page.evaluate("document.getElementById('causes').getBoundingClientRect().top < "
                                          "document.getElementById('overview').getBoundingClientRect().top"))

    def test_a_cell_leads_to_its_reason(self):
        with browser.Page(self.predicted) as page:
            page.evaluate("document.querySelector('tr.k a[href^=\"#why\"]').click()")
            page.evaluate("new Promise(done => setTimeout(done, 50))")
            self.assertTrue(page.evaluate("document.querySelector(location.hash).checkVisibility()"))
            self.assertGreater(page.evaluate("document.querySelector(location.hash).querySelectorAll('ol li').length"), 0)

    def test_dark_mode(self):
        with browser.Page(self.failed, dark=True) as page:
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(13, 17, 23)")
            self.shoot(page, "report-dark.png")

    def test_the_matrix_has_symbols_beside_its_colours(self):
        with browser.Page(self.predicted) as page:
            cells = page.evaluate("[...document.querySelectorAll('tr.k td.c')].map(cell => [cell.className, cell.textContent])")
            self.assertEqual({name for name, symbol in cells if symbol == "✗"}, {"c m"})
            self.assertTrue(all(symbol for name, symbol in cells))
            page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true; }); document.getElementById('overview').scrollIntoView()")
            self.shoot(page, "report-matrix.png")

    def test_printing_shows_what_is_folded(self):
        with browser.Page(self.predicted) as page:
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(page.evaluate("document.querySelectorAll('details:not([open])').length"), 0)

    def test_accessibility(self):
        if not axe():
            self.skipTest("no axe-core: pip install axe-core-python")
        for url in (self.failed, self.predicted, self.inspected):
            for dark in (False, True):
                with browser.Page(url, dark=dark) as page:
                    page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true; })")
                    page.evaluate(axe() + "; 0")
                    found = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html + ' ' + n.failureSummary)]))")
                    self.assertEqual(found, [], url)

    def test_ten_thousand_kernels(self):
        url = report(self.folder.name, "large.html", "predict", "large", "--gpu", "7.5,8.0,9.0,12.0")
        with browser.Page(url) as page:
            self.assertEqual(page.evaluate("document.querySelectorAll('tr.k').length"), 10000)
            # By keyboard: / goes to the filter, and what is typed is filtered.
            page.key("/", text="/", code="Slash", number=191)
            self.assertEqual(page.evaluate("document.activeElement.id"), "search")
            page.type("kernel_42_7(")
            page.evaluate("new Promise(done => setTimeout(done, 300))")
            self.assertEqual(page.evaluate("document.getElementById('count').textContent"), "1 of 10000 kernels")
            shown = page.evaluate("[...document.querySelectorAll('tr.k')].filter(r => r.checkVisibility()).map(r => r.cells[0].textContent)")
            self.assertEqual(shown, ["kernel_42_7(float*)"])
            files = page.evaluate("[...document.querySelectorAll('details.file')].filter(f => f.checkVisibility()).map(f => f.id)")
            self.assertEqual(files, ["file42"], "files without a match are hidden")
            self.shoot(page, "report-filter.png")
            page.key("Escape", number=27)
            self.assertEqual(page.evaluate("document.getElementById('count').textContent"), "10000 of 10000 kernels")
            # No task of the page may block it: the longest is far below what a person notices as a stop on a slow machine.
            print("filter over 10,000 kernels:", page.evaluate("""(() => { const from = performance.now();
                document.getElementById('failing').click(); document.getElementById('failing').click(); return performance.now() - from; })()"""),
                  "ms for on and off", file=sys.stderr)
            self.quiet(page, url)


if __name__ == "__main__":
    unittest.main()
