"""Plans of own problems in the forms that people, models and planners write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planoracle.instances.errors import PlanError
from planoracle.instances.model.builder import Model
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.run import Run
from tests.support.plan_formats import PlanSteps
from tests.support.wrappings import WRAPPINGS


def tea(*agents: str) -> Instance:
    model = Model("tea", unit="minute", agents=agents or ("cook1",))
    model = model.resource("stove").task("tea").action("boil", 5, attended=0, uses="stove")
    return model.action("warm the pot", 2).action("pour", 1).after("boil", maximum=1).after("warm the pot").build()


TEA = tea()
#: Starts and durations of an optimal plan.
OPTIMUM = {"boil": (0, 5), "warm the pot": (0, 2), "pour": (5, 1)}


def replayed(plan: object, problem: Instance = TEA) -> Run[Any, Any, Any]:
    return registry.get("generic").run(problem, {"id": "a", "plan": plan})


def rows(form: str, separator: str = "\n") -> str:
    """Write the optimal plan in lines with the fields name, plain, start, end, duration."""
    lines = []
    for name, (start, duration) in OPTIMUM.items():
        fields = {"name": name, "plain": name.replace(" ", "_"), "start": start, "end": start + duration}
        lines.append(form.format(**fields, duration=duration))
    return separator.join(lines)


#: Forms of a line with an action.
LINES = {
    "temporal planner": "{start}.000: ({name}) [{duration}.000]",
    "planner with task and object": "{start}.0: (tea_{plain} cook1)  [{duration}.0]",
    "planner in capitals": "{start}: (TEA-{plain}) [{duration}]",
    "planner with verb and object": "{start}.000: ({plain} tea) [{duration}.000]",
    "span after a colon": "{name}: {start}-{end}",
    "span with a dash": "**{name}**: {start}–{end}",
    "span in words": "{name} from {start} to {end}",
    "between": "{name} between {start} and {end}",
    "span with units": "{name}: {start} min - {end} min",
    "start after a colon": "{name}: {start}",
    "start with at": "{name} at {start}",
    "start with verb and unit": "Start {name} at minute {start}",
    "arrow": "tea/{name} -> {start}",
    "start and duration": "{name} {start} {duration}",
    "start and end": "{name} {start} {end}",
    "interval": "{name}: [{start}, {end}]",
    "half-open interval": "{name} [{start}, {end})",
    "fields": "{name} (start={start}, end={end})",
    "fields with agent": "{name}: start {start}, duration {duration}, agent cook1",
    "agent after by": "{name}: {start}-{end} (by Cook 1)",
    "span first": "{start}-{end}: {name}",
    "time first": "t={start}: {name}",
    "unit first": "Minute {start}: {name}",
}


@pytest.mark.parametrize("form", LINES)
def test_lines_are_read_in_every_wrapping(form: str) -> None:
    lines = rows(LINES[form]).split("\n")
    plan = PlanSteps(lines, lines, (), turns=False)
    for name, wrap in WRAPPINGS.items():
        run = replayed(wrap(plan))
        assert (name, run.success, run.verdict.makespan, run.plan.read) == (name, True, 6, 3)


def objects(form: str) -> Any:
    return json.loads(f"[{rows(form, ', ')}]")


def mapping(entry: str) -> Any:
    return json.loads("{" + rows(entry, ", ") + "}")


#: JSON values.
VALUES: dict[str, Any] = {
    "without duration": objects('{{"action": "tea/{name}", "start": {start}}}'),
    "start and end": objects('{{"task": "{name}", "start": {start}, "end": {end}}}'),
    "finish and duration": objects('{{"name": "{name}", "finish": {end}, "duration": {duration}}}'),
    "end alone": objects('{{"name": "{name}", "end_time": {end}}}'),
    "whole decimals": objects('{{"Activity": "{name}", "Start": {start}.0, "Finish": "{end}.000"}}'),
    "job and operation": objects('{{"job": "tea", "operation": "{name}", "start": {start}, "worker": "cook1"}}'),
    "lists with durations": objects('["{name}", {start}, {duration}]'),
    "lists with ends": objects('["{name}", {start}, {end}]'),
    "lists with starts": objects('["{name}", {start}]'),
    "mapping of starts": mapping('"{name}": {start}'),
    "mapping with a total": {**mapping('"{name}": {start}'), "makespan": 6},
    "mapping of spans": mapping('"tea/{name}": [{start}, {end}]'),
    "mapping of texts": mapping('"{name}": "{start} - {end}"'),
    "mapping of objects": mapping('"{name}": {{"start": {start}, "end": {end}}}'),
    "mapping by task": {"tea": mapping('"{name}": {start}')},
    "starts below a key": {"starts": mapping('"{name}": {start}')},
    "lists by agent": {"cook1": objects('{{"action": "{name}", "start": {start}}}')},
    "list of mappings": objects('{{"{name}": {start}}}'),
}


@pytest.mark.parametrize("form", VALUES)
def test_json_values_are_read_as_they_are_and_in_text(form: str) -> None:
    value = VALUES[form]
    written = json.dumps(value)
    chat = [{"role": "user", "content": "Plan!"}, {"role": "assistant", "content": f"Here: {written}"}]
    texts = [
        written,
        json.dumps(value, indent=1),
        f"So:\n```json\n{written}\n```\nDone.",
        f"I propose {written} as plan.",
    ]
    for plan in (value, {"plan": value}, {"schedule": value}, chat, *texts):
        run = replayed(plan)
        assert (run.success, run.verdict.makespan, run.plan.read) == (True, 6, 3)


TABLES = {
    "commas": "action,start,end\n" + rows("{name},{start},{end}"),
    "semicolons": "Task;Start;Duration;Worker\n" + rows("tea/{name};{start};{duration};cook1"),
    "tabs": "name\tstart\tfinish\n" + rows("{name}\t{start}\t{end}"),
    "quotes": 'action,start,end\n"tea/boil",0,5\n"warm the pot",0,2\npour,5,6',
    "machines": "job,operation,machine,start,end\ntea,boil,stove,0,5\ntea,warm the pot,,0,2\ntea,pour,-,5,6",
    "Markdown": "| Task | Start | End |\n|---|---|---|\n" + rows("| {name} | {start} | {end} |"),
    "Markdown with units": "| Job | Step | Start (min) | Duration |\n|:--|---|--:|---|\n"
    + rows("| tea | `{name}` | {start} | {duration} |"),
    "planoracle solve": "start   end   action             agent   resources\n" + "─" * 50 + "\n"
    "    0     5   tea/boil           cook1   stove\n    0     2   tea/warm the pot   cook1\n"
    "    5     6   tea/pour           cook1",
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_read_alone_in_blocks_and_in_messages(name: str) -> None:
    table = TABLES[name]
    chat = {"messages": [{"role": "assistant", "content": f"My schedule:\n\n{table}\n"}]}
    for plan in (table, table.replace("\n", "\r\n"), f"Here:\n\n```\n{table}\n```\nThat is all.", chat):
        run = replayed(plan)
        assert (run.success, run.verdict.makespan, run.plan.read) == (True, 6, 3)


@pytest.mark.parametrize(
    "text",
    [
        "First boil from 0 to 5, and at the same time warm the pot from 0 to 2. Then pour from 5 to 6.",
        "boil at 0; warm the pot at 0; pour at 5",
        "{boil: 0, warm the pot: 0, pour: 5}",
        "Final answer: boil: 0, warm the pot: 0, pour: 5",
        "Draft:\n- boil: 0\n- warm the pot: 5\n- pour: 7\n\nThat is wrong.\n\n"
        "Final answer:\n- boil: 0\n- warm the pot: 0\n- pour: 5",
        "; Time 0.02\n0.000: (boil) [5.000]\n0.000: (warm_the_pot) [2.000] ; by hand\n5.000: (pour) [1.000]\n; Cost 6",
    ],
)
def test_sentences_and_single_lines_are_read(text: str) -> None:
    assert replayed(text).success


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("0.000: (boil) [5.000]\n2.001: (pour) [1.000]", "start: must be a whole number of minutes; if it separates"),
        ({"boil": 0.5}, "plan[0].start: must be a whole number of minutes; if it separates"),
        ({"boil": "0 h"}, "plan[0].start: must be a whole number of minutes (got '0 h')"),
        ({"boil": True}, "plan[0].start: must be a whole number of minutes"),
        ([{"action": "boil", "start": -1}], "plan[0].start: must be a whole number from 0"),
        ({"boil": 0, "warm it": 0, "pour": 5}, "there is no such action (got 'warm it')"),
        ([{"action": "stir", "start": 0}], "plan[0].action: there is no such action (got 'stir')"),
        ([["boil", 0, 7]], "plan[0][2]: is neither the duration nor the end of the action"),
        ([{"action": "boil", "start": 0, "colour": "red"}], "plan[0].colour: unknown field"),
        ([{"action": "boil", "start": 0, "machine": "oven"}], "plan[0].machine: tea/boil uses stove (got 'oven')"),
        ([{"action": "boil", "start": 5, "end": 3}], "plan[0].end: must be start plus duration"),
        ([{"action": "boil", "start": 0, "duration": 5, "end": 7}], "plan[0].end: must be start plus duration, 0 + 5"),
        ([{"action": "boil"}], "plan[0]: must be an object with action, start, and duration or end"),
        ([{"action": "boil", "start": 0, "end": 4}, {"action": "pour", "start": 5, "end": 5}], "one tick early"),
        ("0: (boil)\n1: (warm the pot)\n2: (pour)", "3 of 3 lines that look like steps could not be read"),
    ],
)
def test_unclear_plan_is_refused_by_name(plan: object, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        replayed(plan)
    assert message in str(caught.value)


def test_faulty_plan_that_was_read_fails_by_the_rules() -> None:
    kinds = [violation.kind for violation in replayed({"boil": 0, "warm the pot": 0, "pour": 4}).verdict.violations]
    assert kinds == ["minimum_lag"]
    assert replayed("I cannot plan that.").verdict.fatal is not None


def test_agent_is_implied_only_where_one_is_eligible() -> None:
    plan = [{"action": name, "start": start} for name, (start, _) in OPTIMUM.items()]
    assert {piece.agent for piece in replayed(plan).plan.commands.pieces} == {"cook1"}
    with pytest.raises(PlanError, match="agent: is missing; the agent must be one of ann, bob"):
        replayed(plan, tea("ann", "bob"))
    assert replayed([{**row, "agent": "Bob"} for row in plan], tea("ann", "bob")).success


def test_duration_of_an_interruptible_action_is_implied_only_for_a_single_piece() -> None:
    ice = Model("ice", unit="minute").task("ice").action("crush", 4, interruptible=True).build()
    assert replayed({"crush": 3}, ice).verdict.makespan == 7
    assert replayed([["crush", 0, 2], ["crush", 5, 7]], ice).success
    assert replayed({"crush": [{"start": 0, "end": 2}, {"start": 5, "duration": 2}]}, ice).success
    with pytest.raises(PlanError, match="is interruptible and has 2 pieces"):
        replayed([["crush", 0], ["crush", 5]], ice)


def test_name_of_several_actions_needs_its_job() -> None:
    shop = Model("shop").task("J1").action("cut", 2).task("J2").action("cut", 3).build()
    with pytest.raises(PlanError, match="several actions have this name; write one of J1/cut, J2/cut"):
        replayed({"cut": 0}, shop)
    assert replayed("J1 cut: 0-2\nJ2 cut: 2-5", shop).verdict.makespan == 5
    assert replayed("job,operation,start,end\nJ1,cut,0,2\nJ2,cut,2,5", shop).verdict.makespan == 5


def test_machine_of_a_row_chooses_the_mode() -> None:
    bread = Model("bread").resource("knife").resource("slicer").task("bread").action("cut", 5)
    problem = bread.mode("hand").uses("knife").mode("machine").uses("slicer").build()
    for row in ({"machine": "slicer"}, {"mode": "machine"}, {"mode": 1}):
        [piece] = replayed([{"action": "cut", "start": 0, **row}], problem).plan.commands.pieces
        assert piece.mode == 1


@pytest.mark.parametrize(
    "form", ["do[{name}; {start}; {end}]", "({name} tick{start} tick{end})", "{start}, {end} => {name}!!"]
)
def test_lines_in_an_unknown_form_are_unscored_in_every_wrapping(form: str) -> None:
    lines = rows(form).split("\n")
    for wrap in WRAPPINGS.values():
        with pytest.raises(PlanError):
            replayed(wrap(PlanSteps(lines, lines, (), turns=False)))
