"""Report pages and figures of hostile texts in a real browser: no text runs, opens or fetches.

The browser records every request, dialog, navigation and policy violation, and the elements of the page.
Pictures are kept in the folder of the test run, or in the one that ``REPORT_PICTURES`` names.
"""

from __future__ import annotations

import csv
import io
import json
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planoracle.analysis.cli import app
from planoracle.analysis.console import escape_formulas
from tests.support.chromium import BINARY, Chromium, Page
from tests.support.payloads import MARKUP, hostile_problem
from tests.support.reports import COBBLER, FILES, HOUSE, KITCHEN
from tests.support.runner import CliRunner

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BINARY is None, reason="there is no chromium on the path")]

NAMED = MARKUP[3]

#: Script that runs before the page: records policy violations, dialogs, windows and foreign elements.
WATCH = """
globalThis.events = [];
addEventListener("securitypolicyviolation", (event) => events.push(`refused ${event.effectiveDirective}`));
for (const name of ["alert", "confirm", "prompt", "open", "print"]) globalThis[name] = () => events.push(name);
const KNOWN = new Set(`html head meta title style script body noscript div p a main h1 h2 h3 header footer nav section
  table thead tbody tr th td caption button input select option label span strong bdi wbr details summary ol ul li dl dt
  dd pre code small em figure svg g rect line path text tspan circle polygon polyline pattern defs clipPath use desc
  metadata RDF Work type format creator Agent date`.split(/\\s+/));
const LINKS = /^(href|src|srcset|action|formaction|data|poster|ping|background|xlink:href)$/;
const PAINTS = /^(style|fill|stroke|filter|mask|clip-path|cursor|marker.*)$/;
globalThis.foreign = (all) => [...all].flatMap((one) => [
  ...(KNOWN.has(one.localName) ? [] : [`<${one.localName}>`]),
  ...(one.localName === "script" && one.id !== "" && !/^chunk-\\d+$/.test(one.id) ? ["<script>"] : []),
  ...[...one.attributes].filter(({ name, value }) =>
    /^on/.test(name) || (LINKS.test(name) && !/^(#|blob:)/.test(value))
      || (PAINTS.test(name) && /url\\((?!["']?#)/i.test(value))).map(({ name, value }) =>
    `${one.localName} ${name}=${value}`),
]);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes)
      if (node.nodeType === 1) events.push(...foreign([node, ...node.querySelectorAll("*")]));
}).observe(document, { childList: true, subtree: true });
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hostile problem, and submissions of every text in every place."""
    path: Path = tmp_path_factory.mktemp("attack")
    shop = path / "shop.json"
    shop.write_text(json.dumps(hostile_problem(MARKUP[:8], f"shop {NAMED}")), encoding="utf-8")
    rows: list[dict[str, Any]] = []
    for number, text in enumerate(MARKUP):
        row: dict[str, Any] = {"id": text, "model": MARKUP[number // 4], "sample": text}
        rest = list(MARKUP[number : number + 5])
        match number % 6:
            case 0:
                row |= {"instance": HOUSE, "actions": ["wash cup", *rest]}
            case 1:
                row |= {
                    "instance": COBBLER,
                    "plan": f"Step(0, Cobbler, 10 min, 0:00) Step(1, {text}, 5 min, 0:10) {text}",
                }
            case 2:
                row |= {"instance": FILES, "turns": [*rest, {"id": text, "func_name": text, "params": {text: text}}]}
            case 3:
                row |= {"instance": KITCHEN, "actions": ["Do nothing", *rest]}
            case 4:
                pieces = [{"action": f"t0{MARKUP[0]}/a{text}", "start": 0, "duration": 2, "agent": text}]
                row |= {"instance": str(shop), "plan": pieces}
            case _:
                row |= {"instance": text, "plan": text}
        rows.append(row)
    (path / "plans.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _planoracle(*args: object) -> Any:
    return CliRunner().invoke(app, list(map(str, args)), catch_exceptions=False)


@pytest.fixture(scope="module")
def page(folder: Path) -> Path:
    """The page of the submissions."""
    path = folder / "plans.html"
    options = ("--title", NAMED, "--regret-seconds", "0.1", "--instances", folder)
    done = _planoracle("report", folder / "plans.jsonl", "-o", path, *options)
    assert path.exists(), done.output
    return path


def watched(browser: Chromium) -> Page:
    tab = browser.page()
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    return tab


def nothing_happened(tab: Page, file: Path) -> None:
    """Check for no requests, dialogs, windows, policy violations or foreign elements."""
    own = file.resolve().as_uri()
    requests = [str(one["request"]["url"]) for one in tab.events("Network.requestWillBeSent")]
    assert [url for url in requests if url.partition("#")[0] != own] == []
    assert tab.dialogs() == 0
    assert tab.events("Page.windowOpen") == []
    assert tab.complaints() == []
    assert set(tab.run("events")) == set()
    assert tab.run("foreign(document.querySelectorAll('*'))") == []
    assert tab.run("location.href.split('#')[0]") == own


def test_views_show_hostile_texts_as_texts(browser: Chromium, page: Path, pictures: Path) -> None:
    tab = watched(browser)
    tab.open(page)
    scripts = tab.run("document.scripts.length")
    nothing_happened(tab, page)
    tab.screenshot(pictures / "attack.png", whole=False)
    tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    seen, queue = {""}, [""]
    while queue:  # every link of every view, so every problem and every submission
        fragment = queue.pop()
        tab.run(f"location.hash = {json.dumps(fragment)}")
        tab.wait(f"document.getElementById('main').dataset.view === {json.dumps(fragment)}")
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        for _ in range(10):  # all pages of all tables
            links = tab.run("[...document.querySelectorAll('main a')].map((one) => one.hash)")
            queue += [one for one in dict.fromkeys(links) if one not in seen and one != "#"]
            seen.update(links)
            if not tab.run(
                "[...document.querySelectorAll('.pages button:last-child:not(:disabled)')]"
                ".map((one) => one.click()).length"
            ):
                break
        tab.run(
            "[...document.querySelectorAll('.plot [tabindex], main button')].slice(0, 12).forEach((one) => one.focus())"
        )
        assert tab.run("events") == [], fragment
        assert tab.run("document.scripts.length") == scripts
        assert tab.run("foreign(document.querySelectorAll('*'))") == [], fragment
    assert len(seen) > len(MARKUP)
    tab.screenshot(pictures / "attack-view.png")
    nothing_happened(tab, page)


def test_checks_detect_scripts_that_run(browser: Chromium, tmp_path: Path) -> None:
    for number, (text, seen) in enumerate(
        {
            "<svg onload=alert(1)>": "alert",
            "<img src='data:,x'>": "<img>",
            "<a href='javascript:alert(1)'>x</a>": "a href=javascript:alert(1)",
            "<a onclick=x()>x</a>": "a onclick=x()",
        }.items()
    ):
        page = tmp_path / f"{number}.html"
        page.write_text(f"<!DOCTYPE html><body>{text}", encoding="utf-8")
        tab = watched(browser)
        tab.send("Page.navigate", url=page.as_uri())
        tab.wait(f"location.href === {json.dumps(page.as_uri())} && events.includes({json.dumps(seen)})")
        with pytest.raises(AssertionError):
            nothing_happened(tab, page)


def test_csv_cells_agree_with_command_line(browser: Chromium) -> None:
    source = (files("planoracle.analysis.report") / "assets" / "download.js").read_text("utf-8")
    chance = Random(3)
    parts = [
        *"=+-@＝＋－＠'\"“”‘’ ;,\n\t\r1.5eEax\u00a0\ufeff\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u3000\u180e\u200b²１",
        "-1",
        "1e5 ",
    ]
    texts = ["".join(chance.choices(parts, k=chance.randint(0, 12))) for _ in range(2_000)]
    texts += ['"-1', "'+2.5", " -1e3", "-1\n=1", "- 5", "\ufeff=1", "\x1c=1", "\u0085@x", "=1;-1;@x", "＝1", "-1 ;=2"]
    tab = browser.page()
    cells = tab.run(f"(() => {{ {source}\nreturn {json.dumps(texts)}.map((text) => csv([{{ a: text }}])) }})()")
    for text, written in zip(texts, cells, strict=True):
        head, row = csv.reader(io.StringIO(written, newline="")) if text else (["a"], [""])
        assert (head, row) == (["a"], [escape_formulas(text)])
    assert sum(escape_formulas(text) != text for text in texts) > 500


def test_figures_show_hostile_texts_as_texts(browser: Chromium, tmp_path: Path, pictures: Path) -> None:
    for number in range(0, len(MARKUP) - 8, 8):
        shop = tmp_path / f"{number}.json"
        shop.write_text(json.dumps(hostile_problem(MARKUP[number : number + 8], MARKUP[number])), encoding="utf-8")
        picture = tmp_path / f"{number}.svg"
        done = _planoracle("gantt", shop, "-o", picture)
        assert picture.exists(), done.output
        tab = watched(browser)
        tab.send("Page.navigate", url=picture.as_uri())
        tab.wait(f"location.href === {json.dumps(picture.as_uri())} && document.readyState === 'complete'")
        assert tab.run("document.documentElement.localName") == "svg"
        if number == 0:
            tab.screenshot(pictures / "attack-gantt.png", whole=False)
        nothing_happened(tab, picture)
