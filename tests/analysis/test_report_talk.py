"""Transcripts on the report page: what the page knows of them, and in a browser how they stand beside the chart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planoracle import environment
from planoracle.analysis.grade import Grader
from planoracle.analysis.optimum import optimum
from planoracle.analysis.report import talk
from planoracle.analysis.report.inputs import entries_of
from planoracle.analysis.report.page import Report, build
from planoracle.analysis.report.talk import Talks
from planoracle.analysis.submissions import Place
from planoracle.instances.catalogue import load, problem
from planoracle.instances.errors import InputError
from planoracle.instances.run import Step
from tests.support.chromium import BINARY, Chromium, Page
from tests.support.reports import HOUSE, MARKUP, ROGUE, chunks, live, sheet

BOTH = "timearena/household1+household2"
FAILURE = "openai:gpt-x: no answer within 60 s"
BARS = "[...document.querySelectorAll('.plot .bar.lit')].map((bar) => bar.getAttribute('aria-label'))"
LIT = "[...document.querySelectorAll('.message.lit .text')].map((text) => text.textContent)"
CLICK = "document.querySelectorAll('{}')[{}].dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"


def runs() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Submissions of live runs, the same plan twice, one that failed; and the transcripts by their names."""
    plan = optimum(load(HOUSE)).plan
    assert plan is not None
    first, *rest = plan.splitlines()
    said = [f"Thought: that first.\nAction: {first}", "dance", *rest]
    good, told = live(HOUSE, said, id="good", model="gpt-x")
    long, much = live(BOTH, [first, *rest, *["wait"] * 30], id="long", model="gpt-x")
    told[2]["raw"] = {"reasoning": "It boils.\n" * 30, "finish": "length"}
    again = [{**line, "content": f"{MARKUP}{ROGUE}"} if line["role"] == "assistant" else line for line in told]
    broken = {"id": "broken", "model": "gpt-x", "instance": HOUSE, "transcript": "x", "error": FAILURE}
    error = {"role": "error", "content": FAILURE, "turn": 2, "clock": 1}
    talks = {"good": told, "again": again, "long": much, "broken": [*told[:4], error], "gone": None, "none": []}
    rows = [good, {**good, "id": "again"}, long, broken, {**good, "id": "gone"}, {**good, "id": "none"}]
    return rows, talks


@pytest.fixture(scope="module")
def built() -> Report:
    rows, talks = runs()

    def transcripts(place: Place, submission: Any) -> Any:
        if (found := talks[submission["id"]]) is None:
            raise InputError("there is no such file", source="talk.jsonl")
        return found

    return build(entries_of(enumerate(rows, 1)), processes=1, regret_seconds=0, transcripts=transcripts)


def talks_of(page: str) -> dict[str, Any]:
    """The transcripts that a page has, with their texts, by the name of the submission."""
    index, *_ = data = chunks(page)
    found: dict[str, Any] = {}
    for name, where in zip(index["rows"]["id"], index["rows"]["talk"], strict=True):
        if where is None:
            continue
        texts, said = data[where[0]]
        one = said[where[1]]
        found[name] = one | {"said": [[role, texts[text], *rest] for role, text, *rest in one.get("said", [])]}
    return found


def test_messages_and_the_commands_that_they_led_to(built: Report) -> None:
    said = talks_of(built.html)["good"]["said"]
    assert [role for role, *_ in said[:5]] == ["system", "user", "assistant", "user", "assistant"]
    spoken = [(text, turn, clock, led) for role, text, turn, clock, led, _ in said if role == "assistant"]
    assert spoken[0] == ("Thought: that first.\nAction: activate kettle", 1, 0, [0])
    steps = {step.position: step for step in Grader().run(runs()[0][0]).steps}
    assert len(spoken) == len(steps) == 9
    for text, _, clock, [position] in spoken:
        assert text.endswith(steps[position].command)
        assert clock == steps[position].start
    assert all(led == [] for role, *_, led, _ in said if role != "assistant")


@pytest.mark.parametrize(
    "name",
    [
        "recipe2plan/timed/Cobbler_Pancakes",
        "timearena/household1+household2",
        "asynctool/files_2",
        "robotouille/multi_agent/1_lettuce_burger",
        "asynchow/async/0",
    ],
)
def test_the_messages_of_every_benchmark_lead_to_their_pieces(name: str) -> None:
    """A command that was carried out is among the pieces that are drawn, at the time that it was said to have."""
    run = environment(problem(name))
    chance, said = Random(7), list[str]()
    while not run.done and len(said) < 30:
        can = run.legal()
        text = chance.choice([one for one in can if one.kind == "act"] or can).text
        said.append(text if chance.random() < 0.8 else "dance")
        run.step(said[-1])
    row, lines = live(name, said, id="a")
    page = build(entries_of([(1, row)]), processes=1, regret_seconds=0, transcripts=lambda place, submission: lines)
    pieces = sheet(page.html, "a", name)[0]["pieces"]
    starts = {(position, start) for _, start, _, _, _, position, done in pieces if done}
    told = talks_of(page.html)["a"]["said"]
    found = 0
    for line, (*_, led, _) in zip(lines, told, strict=True):
        for outcome in line.get("outcomes", ()):
            if outcome["kind"] == "act":
                assert any((position, outcome["start"]) in starts for position in led)
                found += 1
    assert found > 2


def test_what_the_run_took(built: Report) -> None:
    good = talks_of(built.html)["good"]
    count = len([1 for role, *_ in good["said"] if role == "assistant"])
    spent = {"input tokens": 50 * count * (count + 1), "output tokens": 7 * count, "price": f"{0.0025 * count:g}"}
    assert dict(good["usage"]) == spent
    assert good["said"][2][5]["usage"] == [["input tokens", 100], ["output tokens", 7], ["price", "0.0025"]]
    assert good["said"][2][5]["finish"] == "length"


def test_equal_plans_have_their_own_transcripts_and_texts_are_kept_once(built: Report) -> None:
    data = chunks(built.html)
    rows = data[0]["rows"]
    assert (rows["chunk"][0], rows["place"][0]) == (rows["chunk"][1], rows["place"][1])
    told = talks_of(built.html)
    assert told["good"]["said"][4][1] == "dance"
    assert told["again"]["said"][4][1].startswith(MARKUP)
    texts = data[rows["talk"][0][0]][0]
    assert len(texts) == len(set(texts))


def test_a_run_whose_agent_failed_has_its_transcript(built: Report) -> None:
    assert chunks(built.html)[0]["rows"]["outcome"][3] == 2
    assert talks_of(built.html)["broken"]["said"][-1][:2] == ["error", FAILURE]


def test_a_transcript_that_cannot_be_read_stops_nothing(built: Report) -> None:
    assert built.untold == ((Place(5), "talk.jsonl: there is no such file"),)
    assert "no such file" in talks_of(built.html)["gone"]["fault"]
    assert "none" not in talks_of(built.html)


def test_pages_without_transcripts_say_nothing_of_them() -> None:
    page = build(entries_of([(1, {"id": "a", "instance": HOUSE, "actions": ["wait"]})]), processes=1, regret_seconds=0)
    assert "talk" not in chunks(page.html)[0]["rows"]


def read(*lines: Any) -> Any:
    """What the page knows of some lines, whatever they hold."""
    talks = Talks(lambda place, submission: lines)
    assert talks.add(Place(1), {}, ()) == 0
    return chunks_of(talks)


def chunks_of(talks: Talks) -> Any:
    import json

    texts, [found] = json.loads(talks.chunk())
    return found | {"said": [[role, texts[text], *rest] for role, text, *rest in found.get("said", [])]}


@pytest.mark.slow
def test_lines_of_any_shape_are_shown() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    call = {"function": {"name": "f", "arguments": "{}"}}
    odd = [
        {"role": "assistant", "content": None, "tool_calls": [call], "turn": True, "clock": 10**400},
        {"role": "\x1b[31m" + "x" * 99, "content": [{"text": "a"}], "outcomes": [7, {"kind": [], "start": 0}, {}]},
        {"role": "user", "content": deep, "usage": [1], "raw": "x", "purpose": 7},
        {},
    ]
    said = read(*odd)["said"]
    assert said[0][1:4] == ['{"function": {"name": "f", "arguments": "{}"}}', None, 2**53]
    assert said[1][0].startswith("\\x1b[31m")
    assert said[1][1] == '[{"text": "a"}]'
    assert said[2][1:] == ["…", None, None, [], None]


def test_long_transcripts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "MAX_MESSAGES", 3)
    monkeypatch.setattr(talk, "MAX_TEXT", 10)
    found = read(*[{"role": "user", "content": f"{i} line\nand another"} for i in range(5)])
    assert found["left"] == 2
    assert [text for _, text, *_ in found["said"]] == [f"{i} line\nand…" for i in range(3)]


def test_a_page_holds_no_more_than_a_browser_bears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "_PAGE", 5)
    talks = Talks(lambda place, submission: [{"role": "user", "content": "123456"}])
    assert [talks.add(Place(line), {}, ()) for line in (1, 2)] == [0, 1]
    assert "too long for a page" in talks.chunk()


def test_waits_before_a_command_are_not_the_command() -> None:
    steps = [
        Step(0, "a", "act", 0, 2),
        Step(1, "wait", "wait", 2, 3),
        Step(1, "b", "act", 3, 4),
        Step(2, "wait", "wait", 4, 5),
    ]
    assert talk.steps_of(steps) == (("act", 0, 2, 0), ("act", 3, 4, 1), ("wait", 4, 5, 2))


@pytest.fixture(scope="module")
def file(built: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("talk") / "page.html"
    path.write_text(built.html, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("REPORT_PICTURES")
    return Path(folder) if folder else tmp_path_factory.mktemp("pictures")


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as found:
        yield found


in_browser = [pytest.mark.slow, pytest.mark.skipif(BINARY is None, reason="there is no chromium on the path")]


def opened(browser: Chromium, file: Path, name: str, width: int = 1400, **media: str) -> Page:
    page = browser.page(width, 900, **media)
    page.open(file, f"#{BOTH if name == 'long' else HOUSE}/{name}")
    return page


def assert_sound(page: Page) -> None:
    assert page.complaints() == []
    assert page.requests() == []
    assert page.dialogs() == 0


class TestInBrowser:
    pytestmark = in_browser

    def test_a_message_selects_its_commands(self, browser: Chromium, file: Path, pictures: Path) -> None:
        page = opened(browser, file, "good")
        page.wait("document.querySelector('.plot svg .bar')")
        chart, told = (
            page.run(f"document.querySelector('{each}').getBoundingClientRect().toJSON()")
            for each in (".chart", ".panel")
        )
        assert chart["right"] <= told["left"]
        assert abs(chart["top"] - told["top"]) < 150
        page.run(CLICK.format(".message.assistant button", 3))
        assert page.run(LIT) == ["pour kettle into cup"]
        lit = page.run(BARS)
        assert lit
        assert all(label.startswith("Submitted plan: pour kettle into") for label in lit)
        page.run(CLICK.format(".message.assistant button", 1))
        assert page.run(BARS) == []  # the fault of "dance" is no bar
        assert page.run("document.querySelectorAll('.fault.lit').length") == 1
        page.screenshot(pictures / "transcript.png")
        assert_sound(page)

    def test_a_command_selects_its_message(self, browser: Chromium, file: Path, pictures: Path) -> None:
        page = opened(browser, file, "long", prefers_color_scheme="dark", prefers_reduced_motion="reduce")
        page.wait("document.querySelector('.plot svg .bar')")
        assert page.run("document.querySelector('.panel').scrollTop") == 0
        page.run("document.querySelector('.plot .bar').focus()")
        page.press("ArrowRight", 4)
        label = page.run("document.activeElement.getAttribute('aria-label')")
        [text] = page.run(LIT)
        assert text.split()[0] in label
        page.run(CLICK.format(".faults button, .regret button, .plot .bar", 5))
        assert page.run("document.querySelector('.panel').scrollTop") > 0
        inside = (
            "(() => { const [a, b] = ['.message.lit', '.panel'].map((one) => document.querySelector(one)"
            ".getBoundingClientRect()); return a.top >= b.top && a.bottom <= b.bottom })()"
        )
        assert page.run(inside)
        page.screenshot(pictures / "transcript-dark.png", whole=False)
        assert_sound(page)

    def test_what_is_said_is_text(self, browser: Chromium, file: Path) -> None:
        page = opened(browser, file, "again")
        page.wait("document.querySelector('.message')")
        assert page.run("document.querySelectorAll('.message img, .message svg, .message script').length") == 0
        shown = page.run("document.querySelectorAll('.message.assistant')[1].querySelector('.text').textContent")
        assert shown.startswith(MARKUP)
        assert "\\u202e" in shown
        assert_sound(page)

    def test_a_failed_run_shows_what_was_said(self, browser: Chromium, file: Path, pictures: Path) -> None:
        page = opened(browser, file, "broken")
        page.wait("document.querySelector('.message.error')")
        assert FAILURE in page.run("document.querySelector('.message.error').textContent")
        assert page.run("document.querySelectorAll('.chart').length") == 0
        page.screenshot(pictures / "transcript-failed.png")
        page.run(f"location.hash = '#{HOUSE}/gone'")
        page.wait("document.querySelector('.talk .note')")
        assert "no such file" in page.run("document.querySelector('.talk .note').textContent")
        assert_sound(page)

    def test_narrow_screens_have_it_below(self, browser: Chromium, file: Path, pictures: Path) -> None:
        page = opened(browser, file, "good", 390)
        page.wait("document.querySelector('.plot svg .bar')")
        chart, told = (
            page.run(f"document.querySelector('{each}').getBoundingClientRect().toJSON()")
            for each in (".chart", ".panel")
        )
        assert chart["bottom"] <= told["top"]
        assert told["right"] <= 390
        assert page.run("document.documentElement.scrollWidth") == 390
        page.screenshot(pictures / "transcript-narrow.png")
        assert_sound(page)
