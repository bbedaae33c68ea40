"""Ranges of starts, compared with all starts one by one."""

from __future__ import annotations

from random import Random

from planoracle.solver.exact.start_ranges import PauseRange, Ranges, pause_ranges, starts_in_windows, starts_outside

CASES = 400
#: Last tick of the drawn spans.
HORIZON = 12


def drawn_spans(random: Random) -> Ranges:
    """Return up to three sorted spans that do not touch."""
    ticks = sorted(random.sample(range(HORIZON + 1), 2 * random.randint(0, 3)))
    return list(zip(ticks[::2], ticks[1::2], strict=True))


def starts(ranges: Ranges) -> list[int]:
    """Return all starts of some ranges, none of which may be empty."""
    listed: list[int] = []
    for first, last in ranges:
        assert first <= last
        listed += range(first, last + 1)
    return listed


def is_inside(span: tuple[int, int], spans: Ranges) -> bool:
    return any(begin <= span[0] and span[1] <= end for begin, end in spans)


def pause_of(start: int, off: Ranges, windows: Ranges, duration: int) -> int | None:
    """Return the ticks of all pauses after a start; ``None`` if it is not allowed."""
    off_ticks = set(starts([(begin, end - 1) for begin, end in off]))
    worked = [tick for tick in range(start, HORIZON) if tick not in off_ticks][:duration]
    if len(worked) < duration or worked[0] != start:
        return None
    begin = start
    for tick, following in zip(worked, [*worked[1:], None], strict=True):
        if following != tick + 1:
            if not is_inside((begin, tick + 1), windows):
                return None
            begin = following or 0
    return worked[-1] + 1 - start - duration


def test_ranges_are_those_of_all_allowed_starts() -> None:
    random = Random(1)
    paused = 0
    for _ in range(CASES):
        off, windows, duration = drawn_spans(random), drawn_spans(random), random.randint(1, 4)
        if random.random() < 0.5:
            windows = [(0, HORIZON)]
        every_start = range(HORIZON + 1)
        expected = [start for start in every_start if is_inside((start, start + duration), windows)]
        assert starts(starts_in_windows(windows, duration)) == expected
        free = [s for s in every_start if all(s + duration <= begin or end <= s for begin, end in off)]
        assert starts(starts_outside(off, duration, HORIZON)) == free
        pauses = {}
        for start in every_start:
            pause = pause_of(start, off, windows, duration)
            if pause is not None:
                pauses[start] = pause
        actual = {}
        for pause_range in pause_ranges(off, windows, duration, HORIZON):
            assert isinstance(pause_range, PauseRange)
            for start in starts([pause_range[:2]]):
                assert start not in actual
                actual[start] = pause_range.pause
        assert actual == pauses, (off, windows, duration)
        paused += any(pauses.values())
    assert paused > CASES / 10
