"""The report page in a real browser: loading, sorting, filters, links, charts, mouse and keyboard.

Pictures are kept in the folder of the test run (see ``--basetemp``), or in the one that ``REPORT_PICTURES`` names.
"""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from planoracle.analysis.grading.oracle import optimum
from planoracle.analysis.intake.path_names import SourceLine
from planoracle.analysis.report.build import build
from planoracle.analysis.report.work import entries_of
from planoracle.instances.files.catalog import load
from tests.support.chromium import BINARY
from tests.support.reports import COBBLER, HOUSE, MARKUP, submissions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BINARY is None, reason="there is no chromium on the path"),
]

ROWS = "#submissions ~ .table tbody tr"
HEADS = "#submissions ~ .table thead th"
NAMES = f"[...document.querySelectorAll('{ROWS} th a')].map((cell) => cell.textContent)"
MANY = 120
# For each section with a table: title, position of the table, and fully visible headers and rows.
LAID_OUT = """[...document.querySelectorAll('section')].map((section) => {
  const box = section.querySelector('.table').getBoundingClientRect();
  const cells = [...section.querySelectorAll('thead button, tbody th > *')].filter((cell) => {
    const own = cell.getBoundingClientRect();
    return own.left >= 0 && own.right <= Math.min(box.right, innerWidth) && own.width;
  });
  return [section.querySelector('h2').innerText, box.left, box.right, box.bottom, cells.map((cell) => cell.innerText)];
})"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page of some hostile submissions and many harmless ones."""
    rows = submissions()
    rows += [{"id": f"wait {i}", "model": "many", "instance": HOUSE, "actions": ["wait"] * i} for i in range(MANY)]
    path = tmp_path_factory.mktemp("report") / "page.html"
    built = build(entries_of(enumerate(rows, 1)), title=MARKUP, regret_seconds=60.0, processes=1)
    path.write_text(built.html, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """A page of two models, one of which fails more often than it succeeds."""
    names = [HOUSE, "timearena/household2", "timearena/cooking1", COBBLER]
    plans = [str(optimum(load(name)).plan) for name in names]
    answers = {"good": plans, "bad": ["wait", "wait", "I cannot help.", plans[3]]}
    entries = [
        (SourceLine(i, f"{model}.jsonl"), {"id": f"{model} {i}", "model": model, "instance": name, "plan": plan})
        for model, texts in answers.items()
        for i, (name, plan) in enumerate(zip(names, texts, strict=True), 1)
    ]
    path = tmp_path_factory.mktemp("ranked") / "page.html"
    path.write_text(build(entries_of(entries), regret_seconds=0.0, processes=1).html, encoding="utf-8")
    return path


def link(instance, name):
    return f"#{instance}/{quote(name, safe='')}"


def heading(page):
    return page.run("document.querySelector('h1 bdi').textContent")


def go(page, fragment):
    page.run(f"location.hash = {json.dumps(fragment)}")
    page.wait(f"document.getElementById('main').dataset.view === {json.dumps(fragment)}")


def drawn(page):
    page.wait("document.querySelector('.plot svg .bar')")


def test_first_view_lists_submissions(page, pictures):
    assert heading(page) == page.run("document.title") == MARKUP
    assert page.run(f"document.querySelectorAll('{ROWS}').length") == 50
    assert page.run("document.querySelector('#submissions ~ .table .range').textContent") == f"1–50 of {13 + MANY}"
    page.screenshot(pictures / "overview.png")


@pytest.mark.parametrize("width", [1280, 390])
def test_first_view_shows_leaderboard_without_overflow(browser, ranked, pictures, width):
    tab = browser.page(width, 844)
    tab.open(ranked)
    tab.screenshot(pictures / f"first-{width}.png", whole=False)
    assert tab.run("document.documentElement.scrollWidth") == width
    first = tab.run(LAID_OUT)
    assert [title for title, *_ in first][:4] == ["Models", "Models in pairs", "Causes of failure", "Models by set"]
    _, left, right, bottom, cells = first[0]
    assert (0 <= left < right <= width, bottom <= 844) == (True, True)  # the whole leaderboard
    wide = {"Score ×\u00a0100", "Makespan ÷\u00a0optimum"} if width > 1000 else set()
    assert {"Model", "Success", "good", "bad"} | wide <= set(cells)  # whole, without scrolling
    beyond = [title for title, left, right, *_ in first if left < 0 or right > width]
    assert beyond == []
    heads = tab.run("[...document.querySelectorAll('thead')].map((head) => head.textContent)")
    assert all("Regret" not in head for head in heads)
    assert sum("optimum" in head for head in heads[:1]) == 1
    assert tab.complaints() == []


def test_first_view_has_pairs_and_causes_of_failure(browser, ranked):
    tab = browser.page()
    tab.open(ranked)
    cells = "[...document.querySelectorAll('[aria-label=\"{}\"] tbody tr')].map((row) => row.innerText)"
    pair, _ = tab.run(cells.format("Models in pairs"))
    assert pair.split() == ["good", "bad", "success", "+75.0", *pair.split()[4:-3], "3", "1", "0"]
    assert "not significant" in pair
    causes = tab.run(cells.format("Causes of failure"))
    assert [cause.split("\t")[:4] for cause in causes] == [
        ["unfinished", "2", "–", "2\n50.0 %"],
        ["nothing read", "1", "–", "1\n25.0 %"],
    ]
    assert "good.jsonl, line\u00a02" in tab.run(f"document.querySelectorAll('{ROWS}')[1].innerText")
    tab.run("document.querySelector('[aria-label=\"Causes of failure\"] tbody button').click()")
    assert tab.run("document.querySelector('[role=status].found').textContent") == "2 of 8 submissions; with unfinished"
    go(tab, link(HOUSE, "bad 1"))
    assert "by bad, bad.jsonl, line\u00a01" in tab.run("document.querySelector('.lead').textContent")


def test_tables_sort_by_each_column(page):
    count = page.run(f"document.querySelectorAll('{HEADS}').length")
    for i in range(count):
        cells = f"[...document.querySelectorAll('{ROWS}')].map((row) => row.children[{i}].textContent)"
        texts = []
        for _ in range(2):
            page.run(f"document.querySelectorAll('{HEADS} button')[{i}].click()")
            texts.append(
                (page.run(f"document.querySelectorAll('{HEADS}')[{i}].getAttribute('aria-sort')"), page.run(cells))
            )
        assert {way for way, _ in texts} == {"ascending", "descending"}
        assert page.run(f"document.querySelectorAll('{HEADS}:not([aria-sort=none])').length") == 1
        assert texts[0][1] != texts[1][1]
    go(page, link(HOUSE, "slow"))
    page.run("document.querySelector('.crumbs a').click()")
    page.wait("document.querySelector('#submissions')")
    assert page.run(f"document.querySelectorAll('{HEADS}')[{count - 1}].getAttribute('aria-sort')") != "none"


def test_plan_view_opens_and_goes_back(page, pictures):
    page.point(f"{ROWS}:nth-child(3) td:last-child", click=True)  # anywhere in the row
    page.wait("document.querySelector('.plot svg .bar')")
    assert heading(page) == "late"
    assert page.run("location.hash") == link(COBBLER, "late")
    titles = page.run("[...document.querySelectorAll('.labels .heading')].map((one) => one.textContent)")
    assert [title.partition(",")[0] for title in titles] == ["Submitted plan", "Optimal plan"]
    assert page.run("document.querySelectorAll('.ghost').length") > 0
    assert page.run("document.querySelectorAll('.plot .fault').length") > 0
    page.screenshot(pictures / "plan.png")
    page.run("history.back()")
    page.wait("document.querySelector('#submissions')")
    assert page.run("location.hash") == ""
    page.run("history.forward()")
    drawn(page)
    assert heading(page) == "late"
    page.run("document.querySelectorAll('.crumbs a')[1].click()")
    page.wait("document.querySelector('h1 bdi').textContent !== 'late'")
    assert heading(page) == COBBLER
    drawn(page)
    assert page.run("document.querySelectorAll('tbody tr').length") == 5


def test_keyboard_navigates_views(page):
    page.press("Tab")
    assert page.run("document.activeElement.id") == "skip"
    assert page.run("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.press("Enter")
    assert page.run("document.activeElement.id") == "main"
    for _ in range(120):
        page.press("Tab")
        if page.run(f"document.activeElement.matches('{ROWS} a')"):
            break
    first = page.run("document.activeElement.textContent")
    page.press("ArrowDown", 2)
    page.press("ArrowUp")
    assert page.run("document.activeElement.textContent") != first
    page.press("Enter")
    drawn(page)
    for _ in range(20):
        page.press("Tab")
        if page.run("document.activeElement.matches('.plot .bar')"):
            break
    before = page.run("document.activeElement.getAttribute('aria-label')")
    page.press("ArrowRight")
    assert page.run("document.activeElement.getAttribute('aria-label')") != before
    assert page.run("document.getElementById('tip').hidden") is False
    page.run("scrollBy(0, 40)")
    page.press("ArrowRight")
    page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert page.run("document.getElementById('tip').hidden") is False  # scrolling does not hide it
    page.press("Escape")
    assert page.run("document.getElementById('tip').hidden")
    page.press("End")
    page.press("Tab")
    assert not page.run("document.activeElement.closest('.plot svg')")  # the chart is one stop


@pytest.mark.parametrize(
    ("fragment", "title"),
    [
        (link(COBBLER, "late"), "late"),
        (f"#{COBBLER}/", COBBLER),
        (f"#{COBBLER}", COBBLER),
        (f"#{quote(COBBLER, safe='')}/late", "late"),
        (f"#{HOUSE}/{quote('a/b~c #%', safe='').replace('~', '%7E')}", "a/b~c #%"),
        (f"#{HOUSE}/twin~11", "twin"),
        (f"#{HOUSE}/twin", "twin"),
        (link(COBBLER, MARKUP), MARKUP),
    ],
)
def test_links_open_named_view(browser, file, fragment, title):
    tab = browser.page()
    tab.open(file, fragment)
    assert heading(tab) == title
    assert tab.complaints() == []


@pytest.mark.parametrize(
    "fragment", ["#nothing/here", "#%", "#%E0%A4%A/x", "#/", f"#{COBBLER}/none", "#constructor/__proto__", "#~"]
)
def test_unknown_links_show_not_found(browser, file, fragment):
    tab = browser.page()
    tab.open(file, fragment)
    assert tab.run("document.querySelector('h1').textContent") == "Not found"
    assert tab.complaints() == []


def test_content_security_policy_is_enforced(browser, file):
    tab = browser.page()
    tab.open(file)
    refused = "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)>')"
    with pytest.raises(RuntimeError, match="TrustedHTML"):
        tab.run(refused)
    tab.run(
        "document.body.append(Object.assign(document.createElement('img'), { src: 'https://example.invalid/x.png' }))"
    )
    tab.run("fetch('https://example.invalid/').catch(() => 0)")
    assert any("Content Security Policy" in complaint for complaint in tab.complaints())


@pytest.mark.parametrize("width", [390, 768, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_views_fit_widths_and_colour_schemes(browser, file, pictures, width, scheme):
    tab = browser.page(width, 800, prefers_color_scheme=scheme)
    for name, fragment in (("overview", ""), ("plan", link(COBBLER, "late")), ("problem", f"#{HOUSE}/")):
        tab.open(file, fragment)
        if fragment:
            drawn(tab)
        assert tab.run("document.documentElement.scrollWidth") <= width
        is_visible = "document.querySelector('{}').checkVisibility()"
        assert all(tab.run(is_visible.format(each)) for each in VISIBLE[name])
        assert tab.run(CONTRAST) == []
        tab.screenshot(pictures / f"{name}-{width}-{scheme}.png")
    assert tab.complaints() == []


VISIBLE = {
    "overview": (
        "h1",
        "#filter-text",
        "#filter-set",
        "#filter-model",
        "#filter-outcome",
        f"{ROWS} a",
        f"{ROWS} .badge",
    ),
    "plan": ("h1", ".figures", ".plot .bar", ".labels .heading", ".tools button", ".faults li", ".neighbours a"),
    "problem": ("h1", "tbody a", "tbody .badge", ".plot .bar"),
}

# Texts whose contrast with their background is below WCAG AA.
CONTRAST = """(() => {
  const lightness = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (!/^rgba.*, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const element of document.querySelectorAll("main *:not(svg *)")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest(":disabled, .hidden, option")) continue;
    const [a, b] = [lightness(getComputedStyle(element).color), lightness(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(`${element.tagName}.${element.className} ${element.textContent}`);
  }
  return poor;
})()"""
