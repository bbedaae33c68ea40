"""Reading and grading of answers in words like the released code."""

from __future__ import annotations

import json
import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import sample

from planoracle.instances.benchmarks.asynchow import released_grader
from planoracle.instances.benchmarks.asynchow.feedback import TOPICS
from planoracle.instances.benchmarks.asynchow.released_grader import candidates, grade, read
from planoracle.instances.errors import PlanError

MILLION = 10**6


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        ('"30 min"', 1800),
        ('The time is "30 Minutes".', 1800),
        ('"2 days, 4 hours, and 30 minutes"', 189000),
        ('"100 min + 20 min"', 7200),
        ('"30 min" "40 min"', 4200),  # one stretch, added up
        ('"20 min"\n"40 min"', 2400),  # two, the last one right
        ('"40 min"\n"20 min"', 2400),  # the first one right
        ('"1 hour"\n"30min"\n"40 min"', 3600),
        ('"30 min = 0.5 hours"', 1800),
        ('"1 hour = 20 min = 30 min"', 1800),
        ('"20 min = 10 min or 40 min or 30 min (40 min)"', 1800),
        ('"1,2000 min"', 120_000),
        ('"2 hours and a half = 2 hours and a half"', 9000),
        ('"20 min or 30 min"', 1800),
        ('"30 min (half an hour)"', 1800),
        ('"-30 min"', 1800),
        ('".5 hour"', 18000),
        ('"1/2 hour"', 7200),
        ('"1,5 hours"', 18000),
        ('"1,440 minutes"', 86400),
        ('"12,34,567 min"', 34567 * 60),
        ('"7 workdays"', 7 * 604800),
        ('"3 decades"', 259200),
        ('"2 hours and a half"', 9000),
        ('"an hour and a half"', 5400),
        ("It is thirty minutes and a half", 1830),
        ('"forty-five minutes and a half"', 2730),
        ('"٣ hours"', 10800),
        ('"1\u2003hour"', 3600),
        ('"1.033333 min"', 61.99998),
    ],
)
def test_right_answers_are_accepted(answer: str, seconds: float) -> None:
    result = grade(answer, (int(seconds), int(seconds) + (seconds % 1 > 0)))
    assert result == (True, (seconds, seconds), None)
    assert grade(answer, (int(seconds) + 2, int(seconds) + 2)).parsed == (0, 0)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("30 min", "no_time"),
        ("It is 30 min", "no_time"),
        ("“30 min”", "no_time"),
        ("'30 min' `30 min`", "no_time"),
        ('"30 min', "no_time"),
        ('"30\nmin"', "no_time"),
        ('"30 min to finish"', "range"),
        ('"20 to 30 min"', "range"),
        ('"30 min to finish"\n"30 min"', "range"),
        ('"30min"', "unreadable"),
        ('"0.5 hr"', "unreadable"),
        ('"1800 s"', "unreadable"),
        ('"30 min 5s"', "unreadable"),
        ('"99999999999 days"', "unreadable"),
        ('"thirty minutes"', "no_time"),  # number words are not read: there is no time that is too short
        ('"half an hour"', "no_time"),
        ('"one and a half hours"', "no_time"),
        ('"0 min"', "too_short"),
        ('"20 min"', "too_short"),
        ('"30 m"', "too_long"),
        ('"30 milliseconds"', "too_long"),
        ('"30 min or 3 days"', "too_long"),
        ('"3 days"\n"3 min"', "wrong"),
    ],
)
def test_wrong_answers_are_rejected_with_a_reason(answer: str, reason: str) -> None:
    assert grade(answer, (1800, 1800)) == (False, (0, 0), reason)
    assert any(reason in topic.kinds for topic in TOPICS)


@pytest.mark.parametrize(("low", "high"), [(28, 28), (31, 31), (20, 29), (30, 40)])
def test_one_end_inside_the_right_interval_suffices(low: int, high: int) -> None:
    result = grade('"1 month"', (low * 86400, high * 86400))
    assert result.success == (low <= 28 <= high or low <= 31 <= high)
    assert result.parsed == (28 * 86400, 31 * 86400)


def test_interval_containing_the_right_interval_is_wrong() -> None:
    assert grade('"1 month"', (29 * 86400, 30 * 86400)) == (False, (0, 0), "too_long")
    assert grade('"1 month"', (32 * 86400, 32 * 86400)).reason == "too_short"


def test_verdicts_equal_those_of_the_released_grader(shared: Path) -> None:
    count = 0
    for line in (shared / "verdicts" / "asynchow" / "asynchow.jsonl").read_text(encoding="utf-8").splitlines():
        verdict = json.loads(line)
        result = grade(verdict["answer"], tuple(verdict["gold"]))
        assert {"correct": result.success, "parsed": list(result.parsed)} == verdict["expected"], verdict["id"]
        count += 1
    assert count >= 146


# --- comparison with simpler patterns, which take too long for some texts --------------------------

TIME = re.compile(r"\b(\d+(?:,\d{3})*(?:\.\d+)?)(\s*)(min|hr|hour|sec|week|day|month|year|s|h|m|d|w)")
DAYS = {"month": (28, 31), "m": (28, 31), "year": (365, 366), "week": (7, 7), "w": (7, 7), "day": (1, 1), "d": (1, 1)}
FRACTIONS = {"hour": 3600, "h": 3600, "min": 60, "sec": 1}


def plainly(text: str) -> tuple[timedelta, timedelta] | None:
    total = [timedelta(), timedelta()]
    for number, blanks, unit in TIME.findall(text):
        if not blanks or unit not in DAYS | FRACTIONS:
            return None
        for end in (0, 1):
            value = float(number.replace(",", ""))
            days = unit in DAYS
            total[end] += (
                timedelta(days=value * DAYS[unit][end]) if days else timedelta(seconds=value * FRACTIONS[unit])
            )
    return total[0], total[1]


@given(
    st.lists(
        st.sampled_from(["1", "23", "456", ",", ",789", ".", " ", "\t", "min", "hr", "day", "s", "x", "٣", "²", "_"])
    )
)
def test_numbers_are_read_like_a_single_regular_expression(parts: list[str]) -> None:
    text = "".join(parts)
    assert read(text) == plainly(text)


@given(
    st.lists(
        st.sampled_from(["one", "a", "an", "five", "-", " ", "é", "5", "_", "hundred", "half", "xy", "A"]), max_size=12
    )
)
def test_word_pattern_equals_a_simpler_regular_expression(parts: list[str]) -> None:
    text = "".join(parts)
    assert released_grader._WORD.findall(text) == re.findall(r"\b(?:[a-zA-Z]+-?)+\b", text)


@given(st.text(st.sampled_from('"1٣ \nmindayhour.,=(or) to a half-é\u2028\ud800'), max_size=80), st.integers(0, 10**10))
def test_random_text_is_graded(text: str, low: int) -> None:
    result = grade(text, (low, 2 * low))
    assert result.success == (result.reason is None)
    assert result.success or result.parsed == (0, 0)


HOSTILE = {
    "digits": '"' + "1" * MILLION + ' min"',
    "groups": '"1' + ",111" * (MILLION // 4) + '"',
    "groups with a unit": '"1' + ",111" * (MILLION // 4) + ' min"',
    "dots": '"' + "1." * (MILLION // 2) + '"',
    "blanks": '"1' + " " * MILLION + '"',
    "numbers": '"' + "1 " * (MILLION // 2) + '"',
    "quotes": '"' * MILLION,
    "lines": '"\n' * (MILLION // 2),
    "one word": '"' + "x" * MILLION + '"',
    "times": '"' + "1 min " * (MILLION // 6) + '"',
    "separators": '"' + "= or (" * (MILLION // 6) + '"',
    "is": "is " * (MILLION // 3),
    "unicode digits": '"' + "٣" * MILLION + ' min"',
    "number words": '"' + "one " * 12_000 + 'x and a half"',
    "hyphens": '"' + "a-" * 20_000 + '1 and a half"',
    "a word that ends in a digit": '"' + "a" * 49_000 + '1 and a half"',
    "halves": '"' + "x and a half " * 3_800 + '"',
}


@pytest.mark.slow
@pytest.mark.parametrize("text", sample(HOSTILE.values(), 3), ids=HOSTILE)
def test_long_texts_are_graded_fast(text: str) -> None:
    began = time.process_time()
    assert not grade(text, (1800, 1800)).success
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ['"' + "one " * 250_000 + 'and a half"', "is " + "x and a half " * 80_000])
def test_too_long_lines_with_number_words_are_rejected(text: str) -> None:
    with pytest.raises(PlanError, match="answer: has a line of more than 50000 characters"):
        candidates(text)


@pytest.mark.parametrize(
    ("answer", "read_as"),
    [
        ('"One hour and a half"', '"1.5 hour"'),
        ('"ten hours and a half"', '"10.5 hours"'),
        ('"one and a half hours"', '"1 1nd a half hours"'),  # the first letter a is that of "and"
        ('"half a day and a half"', '"0.5and half day"'),
        ('"one hour"', '"one hour"'),
    ],
)
def test_number_words_are_rewritten_only_before_and_a_half(answer: str, read_as: str) -> None:
    assert candidates(answer) == (read_as,)
