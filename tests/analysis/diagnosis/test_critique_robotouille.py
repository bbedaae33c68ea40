"""The critic on kitchens: every kind of refusal by itself, and goals."""

from __future__ import annotations

import pytest

from tests.support.critiques import TABLES, critique_actions, finding_kinds, single_finding
from tests.support.robotouille import CROWD


@pytest.mark.slow
def test_each_kind_of_rejection() -> None:
    assert finding_kinds(critique_actions(TABLES, "Dance")) == {"unknown_action"}
    assert (
        "there is no moon1"
        in single_finding(critique_actions(TABLES, "Move robot1 from table1 to moon1"), "unknown_object").text
    )
    finding = single_finding(critique_actions(TABLES, "Place bread1 on table1 using robot1"), "precondition")
    assert "has_item robot1 bread1" in finding.required
    assert "robot1 holding bread1" in finding.text
    waiting = CROWD.players[1]
    turn = single_finding(critique_actions(CROWD, f"Pick up patty1 from table1 using {waiting}"), "not_your_turn")
    assert f"it is {CROWD.players[0]}'s turn" in turn.text


def test_unmet_goal_is_reported() -> None:
    result = critique_actions(TABLES)
    assert result.sections[-1].status == "fault"
    assert [remark.violation.subject for remark in result.sections[-1].remarks] == ["item_on bread1 table2"]
    plan = [
        "Pick up bread1 from table1 using robot1",
        "Move robot1 from table1 to table2",
        "Do nothing",
        "Place bread1 on table2 using robot1",
    ]
    done = critique_actions(TABLES, *plan)
    assert {section.status for section in done.sections} == {"ok"}
    assert (done.efficiency.optimum, done.efficiency.gap, done.efficiency.idle) == (3, 1, ((2, 3),))
    assert "idle for 1 step: step 3." in done.prose()
