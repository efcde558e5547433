"""Drives Chromium by its DevTools protocol, through the pipe that it offers for this: no driver program and no library is needed."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
LIMIT = 60  # seconds for one answer


def find():
    """The path of the browser, or None."""
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Page:
    """A page in a browser of its own. `messages` is what went to the console, `requests` what was fetched."""

    def __init__(self, url, scripts=True, dark=False, width=1280, height=900):
        # Its processes end one by one, and the last may still write while the folder is removed.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.send_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        # The browser reads commands on descriptor 3 and answers on 4.
        command = [find(), "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--hide-scrollbars", f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *command],
                                        pass_fds=(to_browser, from_browser), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.pending, self.number, self.session = b"", 0, None
        self.messages, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.receive()

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)  # with its helpers, which would go on writing into the folder
        self.process.wait()
        os.close(self.send_end)
        os.close(self.read_end)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def receive(self):
        while b"\0" not in self.pending:
            ready = select.select([self.read_end], [], [], LIMIT)[0]
            data = os.read(self.read_end, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self.pending += data
        text, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(text)
        method, parameters = message.get("method"), message.get("params", {})
        if method:
            self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.messages.append(parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.messages.append(str(parameters["args"]))
        elif method == "Log.entryAdded":
            self.messages.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        return message

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.write(command)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def write(self, command):
        data = memoryview(json.dumps(command).encode() + b"\0")
        while data:
            data = data[os.write(self.send_end, data):]

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key, text=None, code=None, number=0):
        common = {"key": key, "code": code or key, "windowsVirtualKeyCode": number}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def is_rendered(self, selector):
        """Works without scripts as well."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        if not node:
            return False
        try:
            return self.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 0
        except RuntimeError:
            return False

    def html(self):
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        return self.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
