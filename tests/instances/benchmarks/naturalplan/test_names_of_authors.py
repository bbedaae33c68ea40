"""Names that the authors give to problems, in submissions of the Python functions."""

from __future__ import annotations

from planoracle import grade


def test_submissions_may_have_the_names_of_the_authors() -> None:
    slot = '{"time_range": "11:00:11:30", "day": "Monday"}'
    result = grade({"id": "a", "instance": "calendar_scheduling_example_304", "response": slot})
    assert (result.success, result.instance) == (True, "naturalplan/calendar/304")
    frame = grade([{"id": "a", "instance": "calendar_scheduling_example_304", "response": slot}]).to_frame()
    assert frame["set"].tolist() == ["naturalplan/calendar"]
