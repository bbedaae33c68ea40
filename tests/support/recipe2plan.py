"""Random plans and logs for a kitchen with two recipes, most of whose commands are accepted."""

from __future__ import annotations

from hypothesis import strategies as st

from planoracle.instances.benchmarks.recipe2plan.language import Answers
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand

#: Recipe, step, seconds and start of commands, which are accepted in this order.
ROWS = """
Bread 0 600 0|Bread 1 200 0|Bread 1 100 200|Bread 2 120 300|Pie 1 180 420|Pie 2 60 600|Bread 3 1200 660|Pie 0 600 1860
"""


def command_of(row: str) -> StepCommand:
    recipe, *numbers = row.split()
    step, duration, start = map(int, numbers)
    return StepCommand(step, recipe, duration, start)


COMMANDS = [command_of(row) for row in ROWS.strip().split("|")]
UNKNOWN = (StepCommand(0, "Stew" * 60, 60, 60), StepCommand(9, "Pie", 60, 60))


@st.composite
def submissions(draw: st.DrawFn) -> Answers:
    """Draw a plan or a log: commands in order, of which some are missing, changed or repeated."""
    commands = [command for command in COMMANDS if draw(st.integers(0, 9))]
    for command in draw(st.lists(st.sampled_from([*COMMANDS, *UNKNOWN]), max_size=4)):
        delay = draw(st.sampled_from((-60, -1, 0, 0, 1, 60, 600)))
        duration = draw(st.sampled_from((0, command.duration // 2, command.duration, command.duration + 1)))
        changed = command._replace(start=max(command.start + delay, 0), duration=duration)
        commands.insert(draw(st.integers(0, len(commands))), changed)
    if draw(st.booleans()):
        return Answers((tuple(commands),))
    listed: list[tuple[StepCommand, ...]] = []
    while commands:
        size = draw(st.integers(0, 2))
        listed.append(tuple(commands[:size]))
        del commands[:size]
        if len(listed) > 20:
            break
    return Answers(tuple(listed), interactive=True)
