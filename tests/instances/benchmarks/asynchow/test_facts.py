"""Facts of AsyncHow's problems: recomputed released answers, of which eight are wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planoracle.instances.benchmarks.asynchow.bundled_data import (
    FEW_SHOT,
    KINDS,
    HowTo,
    how_to,
    names,
    seconds,
)
from planoracle.instances.benchmarks.asynchow.problems import covers
from planoracle.instances.errors import InputError, UnknownNameError

DAY, HOUR, MINUTE = 86400, 3600, 60

#: Released answer, right one, cause.
WRONG = {
    "async/163": (HOUR + 45 * MINUTE, 3 * HOUR + 45 * MINUTE, "misread"),
    "async/356": (47 * MINUTE, 2 * HOUR + 47 * MINUTE, "misread"),
    "async/589": (181 * DAY + 20 * HOUR, 184 * DAY + 20 * HOUR, "misread"),
    "async/594": (3 * DAY + 10 * HOUR + 30 * MINUTE, 4 * DAY + 10 * HOUR + 30 * MINUTE, "misread"),
    "async/829": (70 * DAY, 72 * DAY, "overwritten"),
    "async/1113": (336 * DAY + 11 * MINUTE, 336 * DAY + HOUR + 15 * MINUTE, "overwritten"),
    "sequential/99": (DAY + HOUR, 3 * DAY + HOUR, "misread"),
    "sequential/161": (2 * HOUR + 41 * MINUTE, 3 * HOUR + 41 * MINUTE, "misread"),
}

ALL = [how_to(name) for name in names()]


def paths(facts: HowTo) -> list[tuple[int, ...]]:
    """Return all paths from a step without predecessors to a step without successors, by enumeration."""
    steps = range(1, len(facts.durations) + 1)
    late = {after for _, after in facts.edges}
    partial = [(step,) for step in steps if step not in late]
    whole = []
    while partial:
        path = partial.pop()
        following = [after for before, after in facts.edges if before == path[-1]]
        partial += [(*path, after) for after in following]
        whole += [] if following else [path]
    return whole


def test_counts_of_bundled_problems() -> None:
    assert Counter(one.kind for one in ALL) == KINDS
    assert [one.name for one in ALL] == list(names())
    assert (min(len(one.durations) for one in ALL), max(len(one.durations) for one in ALL)) == (3, 17)
    assert (min(one.complexity for one in ALL), max(one.complexity for one in ALL)) == (9, 68)
    assert sum(one.released_answer[0] < one.released_answer[1] for one in ALL) == 67
    assert len({(one.durations, one.edges) for one in ALL if one.kind == "async"}) == 1563


def test_problems_match_their_kind_except_three() -> None:
    assert not any(one.edges for one in ALL if one.kind == "parallel")
    sequential = [one for one in ALL if one.kind == "sequential"]
    branching = [one.name for one in sequential if [len(path) for path in paths(one)] != [len(one.durations)]]
    assert branching == ["sequential/45", "sequential/87", "sequential/137"]


@pytest.mark.slow
def test_released_answers_equal_the_longest_path_except_eight() -> None:
    assert {one.name: one.fault for one in ALL if one.fault} == {name: cause for name, (_, _, cause) in WRONG.items()}
    assert sum(one.released_answer == one.answer() for one in ALL) == 1990


@pytest.mark.parametrize("name", WRONG)
def test_cause_of_each_wrong_released_answer(name: str) -> None:
    released, right, cause = WRONG[name]
    facts = how_to(name)
    assert (facts.released_answer[0], facts.answer()[0]) == (released, right)
    if cause == "misread":  # the last unit of "2 hours 30 minutes" only
        assert facts.answer(last_unit=True) == facts.released_answer
        return
    # The upper end is right. The lower one is of another path, whose upper end lies above the right lower end.
    assert facts.released_answer[1] == facts.answer()[1]
    spans = facts.seconds()
    ends = [tuple(sum(spans[step - 1][end] for step in path) for end in (0, 1)) for path in paths(facts)]
    assert any(low == released and high >= right for low, high in ends)


def test_misread_duration_off_the_longest_path_leaves_the_answer_right() -> None:
    facts = how_to("async/164")
    assert facts.durations[6] == "8 days 8 hours"
    assert facts.answer() == facts.answer(last_unit=True) == facts.released_answer


@pytest.mark.slow
def test_longest_path_equals_the_maximum_over_all_paths() -> None:
    for one in ALL:
        for end in (0, 1):
            spans = [span[end] for span in one.seconds()]
            assert one.answer()[end] == max(sum(spans[step - 1] for step in path) for path in paths(one))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=7), st.sets(st.tuples(st.integers(1, 7), st.integers(1, 7))))
def test_longest_path_of_random_graphs(durations: list[int], pairs: set[tuple[int, int]]) -> None:
    edges = tuple((a, b) for a, b in pairs if a < b <= len(durations))
    facts = HowTo("async/0", tuple(f"{time} sec" for time in durations), edges, (0, 0))
    assert facts.answer()[0] == max(sum(durations[step - 1] for step in path) for path in paths(facts))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0 sec", 0, 0),
        ("668 seconds", 668, 668),
        ("1 min", 60, 60),
        ("5 minutes", 300, 300),
        ("2 hour", 7200, 7200),
        ("1 days", DAY, DAY),
        ("2 week", 14 * DAY, 14 * DAY),
        ("3 month", 84 * DAY, 93 * DAY),
        ("1 year", 365 * DAY, 366 * DAY),
        ("1 days 16 hours", 40 * HOUR, 40 * HOUR),
    ],
)
def test_durations_as_written_in_prompts_are_read(text: str, low: int, high: int) -> None:
    assert seconds(text) == (low, high)


@pytest.mark.parametrize(
    "text", ["", "5", "min", "5min", "5 mins 3", "1.5 hours", "-5 min", "٣ min", "5 hourute", "5 min,"]
)
def test_invalid_duration_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match=r"duration: must be a text such as"):
        seconds(text)


@pytest.mark.parametrize(
    "name", ["async/1598", "async/-1", "async/01", "async/٣", "parallel/200", "other/0", "async", ""]
)
def test_unknown_names_are_rejected(name: str) -> None:
    assert not covers(f"asynchow/{name}")
    with pytest.raises(UnknownNameError):
        how_to(name)


@pytest.mark.slow
def test_bundled_facts_equal_the_released_files(shared: Path) -> None:
    for kind in KINDS:
        document = json.loads((shared / "benchmarks" / "asynchow" / f"{kind}.json").read_text(encoding="utf-8"))
        assert len(document["problems"]) == KINDS[kind]
        few_shot = document["few_shot_idxs"] or []
        assert [f"{kind}/{number}" for number in few_shot] == [name for name in FEW_SHOT if name.startswith(f"{kind}/")]
        for row in document["problems"]:
            facts = how_to(row["id"])
            assert facts.complexity == row["v_e"]
            assert list(facts.released_answer) == row["gold"]
            assert [list(span) for span in facts.seconds(last_unit=True)] == [d[:2] for d in row["durations"].values()]
            right = row.get("stated_longest_path", row.get("longest_path", row["gold"]))
            assert list(facts.answer()) == right
