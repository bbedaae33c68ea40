"""Use of the report page in a browser: filters, shared links, history, downloads and printing."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.formulas import unescape_formulas

from planoracle.analysis.console import escape_formulas
from planoracle.analysis.report.build import build
from planoracle.analysis.report.work import entries_of
from tests.support.chromium import BINARY, Chromium, Page
from tests.support.reports import COBBLER, HOUSE, MARKUP, submissions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="there is no chromium on the path"),
]

ROWS = "#submissions ~ .table tbody tr"
NAMES = f"[...document.querySelectorAll('{ROWS} th a')].map((cell) => cell.textContent)"
SUMMARY = "document.querySelector('p.found').textContent"
FORMULAS = ["=1+1", "+cmd", "-2+3", "@sum", "\t=1", "\r=1", 'a "b", c\nd']


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Page of hostile submissions, names that are formulas, and four samples in mixed order."""
    rows = submissions()
    rows += [{"id": name, "model": "=model", "instance": HOUSE, "actions": ["wait"]} for name in FORMULAS]
    rows += [
        {"id": f"s{k}", "model": model, "sample": k, "instance": HOUSE, "actions": ["wash cup"] * k}
        for k in (2, 0, 3, 1)
        for model in ("red", "blue")
    ]
    rows.append(
        {"format": "planoracle/grade", "version": 3, "id": "read", "instance": HOUSE, "benchmark": "timearena"}
        | {"scored": True, "success": True, "makespan": 13, "main_score": 1.0, "read": 4, "ignored": 2}
        | {"read_from": "last block", "other_problem": f"names a {MARKUP}"}
        | {"optimum_status": "unknown", "optimum_bound": 7}
    )
    path = tmp_path_factory.mktemp("report") / "page.html"
    built = build(entries_of(enumerate(rows, 1)), day="2026-11-22", regret_seconds=5.0, processes=1)
    path.write_text(built.html, encoding="utf-8")
    return path


def choose(page: Page, name: str, label: str) -> None:
    page.run(f"""(() => {{
      const box = document.getElementById('filter-{name}');
      box.value = [...box.options].find((one) => one.text === {json.dumps(label)}).value;
      box.dispatchEvent(new Event('change'));
    }})()""")


def reload(page: Page, file: Path, fragment: str) -> None:
    page.send("Page.navigate", url="about:blank")
    page.open(file, fragment)


def test_address_has_filters_and_sorting(page: Page, file: Path) -> None:
    choose(page, "set", "timearena/household/1")
    choose(page, "model", "sloth")
    choose(page, "outcome", "Failure")
    page.run("document.getElementById('filter-text').focus()")
    page.type("tw")
    page.type("in")
    page.run("[...document.querySelectorAll('#submissions ~ .table thead button')][5].click()")
    fragment, names, summary = page.run("location.hash"), page.run(NAMES), page.run(SUMMARY)
    assert fragment == "#?set=timearena%2Fhousehold%2F1&model=sloth&outcome=failure&text=twin&rows=makespan"
    assert names == ["twin", "twin"]
    assert summary == "2 of 29 submissions; set timearena/household/1; model sloth; outcome Failure; with twin"
    reload(page, file, fragment)
    assert (page.run(NAMES), page.run(SUMMARY)) == (names, summary)
    assert page.run("document.getElementById('filter-text').value") == "twin"
    assert page.run("document.getElementById('filter-model').selectedOptions[0].text") == "sloth"
    assert page.run("[...document.querySelectorAll('#submissions ~ .table thead th')][5].ariaSort") == "ascending"


@pytest.mark.parametrize(
    "fragment",
    [
        "#?",
        "#?&&==%",
        "#?rows=__proto__&rows-page=constructor",
        "#?rows=-&models=toString&problems=-valueOf",
        "#?rows-page=-5&models-page=1e99&problems-page=NaN",
        "#?rows-page=99999999999",
        f"#?nothing={quote(MARKUP)}&outcome-page=3",
        "#?text=" + "%20" * 3000,
        "#?__proto__=1&constructor=2",
    ],
)
def test_hostile_addresses_are_ignored(browser: Chromium, file: Path, fragment: str) -> None:
    tab = browser.page()
    tab.open(file, fragment)
    assert len(tab.run(NAMES)) == 29
    assert tab.complaints() == []


def download(browser: Chromium, page: Page, folder: Path, selector: str, name: str) -> str:
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.run(f"document.querySelector({json.dumps(selector)}).click()")
    until = folder / name
    for _ in range(200):
        if until.exists() and until.stat().st_size:
            return until.read_bytes().decode()
        page.run("new Promise((done) => setTimeout(done, 25))")
    raise TimeoutError(name)


def test_downloads_contain_filtered_rows(browser: Chromium, page: Page, tmp_path: Path) -> None:
    choose(page, "model", "=model")
    chosen = "[aria-label='Download these submissions as {}']".format
    text = download(browser, page, tmp_path, chosen("CSV"), "submissions.csv")
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert len(rows) == len(FORMULAS)
    assert {row["model"] for row in rows} == {"'=model"}
    assert [row["id"] for row in rows[:4]] == ["'=1+1", "'+cmd", "'-2+3", "'@sum"]
    assert all(escape_formulas(unescape_formulas(cell)) == cell for row in rows for cell in row.values() if cell)
    assert rows[-1]["id"] == FORMULAS[-1]
    assert {row["success"] for row in rows} == {"false"}
    records: list[dict[str, Any]] = json.loads(download(browser, page, tmp_path, chosen("JSON"), "submissions.json"))
    assert [row["id"] for row in records[:4]] == FORMULAS[:4]
    assert {row["instance"] for row in records} == {HOUSE}
    assert all(row["makespan"] == 1 and row["optimal_makespan"] == 13 and row["unit"] == "minute" for row in records)
    assert {row["ratio_to_optimum"] for row in records} == {None}
    models = json.loads(download(browser, page, tmp_path, "[aria-label='Download the models as JSON']", "models.json"))
    assert {"model", "success", "score", "ratio", "missing"} <= models[0].keys()


def test_samples_of_a_model_are_adjacent_and_sorted(page: Page) -> None:
    names = page.run(f"[...document.querySelectorAll('{ROWS} th')].map((cell) => cell.textContent)")
    samples = [name.partition("sample ")[2][:1] for name in names if "sample " in name]
    assert samples == ["0", "1", "2", "3"] * 2
    page.run(f"[...document.querySelectorAll('{ROWS} a')].find((one) => one.textContent === 's2').click()")
    page.wait("document.querySelector('.samples')")
    assert page.run("document.querySelector('.samples p').textContent") == "0 of 4 samples of this model succeed:"
    assert page.run("document.querySelectorAll('.samples a').length") == 3
    assert page.run("document.querySelector('.samples [aria-current]').textContent").startswith("2 ")


def test_remarks_on_reading_and_unproved_optimum_are_shown(page: Page) -> None:
    page.run("document.getElementById('filter-text').focus()")
    page.type("probably for another problem")
    assert page.run(NAMES) == ["read"]
    page.run("location.hash = '#" + HOUSE + "/read'")
    page.wait("document.querySelector('p.reason')")
    text = page.run("document.querySelector('p.reason').textContent")
    unread = "4 steps read (last block); 2 lines that look like steps were ignored"
    assert text == f"{unread}; probably for another problem: names a {MARKUP}."
    assert "not proved, at least 7 min" in page.run("document.querySelector('.figures').textContent")


OUTSIDE = """(() => {
  const paper = document.querySelector('main').getBoundingClientRect();
  const outside = (box) => box.width && (box.right > paper.right + 1 || box.left < paper.left - 1);
  return [...document.querySelectorAll('.chart svg, .chart svg *, table, td')]
    .filter((one) => !one.closest('defs') && outside(one.getBoundingClientRect()))
    .map((one) => one.outerHTML.slice(0, 80));
})()"""


@pytest.mark.parametrize("width", [560, 690, 1000])
def test_print_view_shows_whole_charts_and_unfolded_sections(browser: Chromium, file: Path, width: int) -> None:
    tab = browser.page(width, 900)
    tab.open(file, f"#{COBBLER}/late")
    tab.wait("document.querySelector('.plot svg .bar')")
    tab.run("document.querySelector('.tools button:last-child').click()")  # wider than the screen
    tab.send("Emulation.setEmulatedMedia", media="print")
    tab.run("dispatchEvent(new Event('beforeprint'))")
    assert tab.run(OUTSIDE) == []
    assert tab.run("[...document.querySelectorAll('details')].every((one) => one.open)")
    assert tab.run("[...document.querySelectorAll('.plot text.row')].map((one) => one.textContent)")[:2] == [
        "violations",
        "agent",
    ]
    tab.send("Emulation.setEmulatedMedia", media="screen")
    tab.run("dispatchEvent(new Event('afterprint'))")
    assert not tab.run("[...document.querySelectorAll('details')].some((one) => one.open)")
    assert tab.run("document.querySelector('.plot').scrollWidth > document.querySelector('.plot').clientWidth")
    assert tab.complaints() == []
