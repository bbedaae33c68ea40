"""Headless Chromium, driven through its debugging pipe with the standard library only."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import monotonic, sleep
from typing import Any

#: Path of the browser; ``None`` if it is not installed.
BINARY = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
    "--hide-scrollbars",
    "--disable-ipc-flooding-protection",  # which drops what comes too often, such as changes of the address
)
_KEYS = {
    "Enter": 13,
    "Tab": 9,
    "Escape": 27,
    "ArrowDown": 40,
    "ArrowUp": 38,
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "End": 35,
}


class Chromium:
    """Browser process, used as a context manager; `page` opens a page in it."""

    def __init__(self) -> None:
        assert BINARY is not None
        self._profile = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()

        def place() -> None:  # the browser reads commands from 3 and writes answers to 4
            ours = os.dup(commands), os.dup(answers)
            spare = [os.dup(end) for end in ours]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self._process = subprocess.Popen(
            [BINARY, *_FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=place,  # noqa: PLW1509
            pass_fds=(3, 4),
        )
        os.close(commands)
        os.close(answers)
        self._number = 0
        self._rest = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.send("Browser.close")
        except (OSError, RuntimeError, TimeoutError):
            self._process.kill()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def send(self, method: str, session: str | None = None, seconds: float = 60.0, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; store the events that arrive in the meantime."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        until = monotonic() + seconds
        while number not in self._answers:
            self.listen(until - monotonic())
            if monotonic() > until:
                raise TimeoutError(f"no answer to {method}")
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def listen(self, seconds: float) -> None:
        """Read the messages of the browser, waiting up to ``seconds`` for the first one."""
        if not select.select([self._read], [], [], max(0.0, seconds))[0]:
            return
        data = os.read(self._read, 2**20)
        if not data:
            raise RuntimeError("the browser closed its pipe")
        *whole, self._rest = (self._rest + data).split(b"\0")
        for message in map(json.loads, whole):
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.events.append(message)

    def page(self, width: int = 1280, height: int = 900, **media: str) -> Page:
        """Open an empty page of a size, with media features such as ``prefers_color_scheme="dark"``."""
        return Page(self, width, height, media)


class Page:
    """Page of the browser: opens files, runs scripts, sends keys, and records errors and requests."""

    def __init__(self, browser: Chromium, width: int, height: int, media: dict[str, str]) -> None:
        self._browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self.send("Emulation.setEmulatedMedia", features=features)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to the page."""
        return self._browser.send(method, self.session, **params)

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a report page and wait for the view that the fragment names."""
        self.send("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait("document.getElementById('main')?.dataset.view === location.hash")

    def run(self, script: str) -> Any:
        """Return the value of an expression; await promises."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 20.0) -> None:
        """Wait until an expression is true."""
        until = monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if monotonic() > until:
                raise TimeoutError(f"never true: {condition}")
            sleep(0.01)

    def press(self, key: str, times: int = 1) -> None:
        """Press and release a key."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        for _ in range(times):
            self.send("Input.dispatchKeyEvent", type="keyDown", **code, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        """Type a text into the focused element."""
        self.send("Input.insertText", text=text)

    def point(self, selector: str, *, click: bool = False) -> None:
        """Move the mouse to the first element of a selector."""
        node = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{node}.scrollIntoView({{block: 'center', inline: 'center'}})")
        box = self.run(
            f"(() => {{ const b = {node}.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] }})()"
        )
        place = {"x": box[0], "y": box[1]}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **place)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Write a screenshot of the page to a PNG file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        options: dict[str, Any] = {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png", **options)["data"]))

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """Return the parameters of all events of some methods so far."""
        self._browser.listen(0.05)
        return [
            event["params"]
            for event in self._browser.events
            if event.get("sessionId") == self.session and event["method"] in methods
        ]

    def complaints(self) -> list[str]:
        """Return errors and warnings of the console, exceptions and refusals of the browser."""
        logged = [
            str(entry["entry"]["text"])
            for entry in self.events("Log.entryAdded")
            if entry["entry"]["level"] in ("error", "warning")
        ]
        printed = [
            json.dumps(entry["args"])
            for entry in self.events("Runtime.consoleAPICalled")
            if entry["type"] in ("error", "warning", "assert")
        ]
        thrown = [json.dumps(entry["exceptionDetails"])[:500] for entry in self.events("Runtime.exceptionThrown")]
        return logged + printed + thrown

    def requests(self) -> list[str]:
        """Return the requested addresses, without files and blobs."""
        addresses = [str(entry["request"]["url"]) for entry in self.events("Network.requestWillBeSent")]
        return [address for address in addresses if not address.startswith(("file:", "blob:"))]

    def dialogs(self) -> int:
        """Return the number of opened dialogs."""
        return len(self.events("Page.javascriptDialogOpening"))
