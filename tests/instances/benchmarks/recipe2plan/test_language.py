"""Forms of submitted Recipe2Plan plans: steps, texts, logs, lists, JSON and hostile text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import examples

from planoracle.instances.benchmarks.recipe2plan import language, problems
from planoracle.instances.benchmarks.recipe2plan.language import parse, written
from planoracle.instances.benchmarks.recipe2plan.rules import PROFILES, RULE_SET
from planoracle.instances.benchmarks.recipe2plan.step_grammar import StepCommand
from planoracle.instances.errors import PlanError
from planoracle.instances.model.schedule import Piece, Schedule
from planoracle.instances.protocol.plan import Plan

PAIR = problems.load("recipe2plan/timed/Tacos_Smore-Bars")
PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
NOMINAL = {action.id: action.duration for action in PAIR.actions}


def commands(submission, rules=PAPER):
    return list(parse(submission, PAIR, rules).commands)


def tacos(duration, start, step=3):
    return StepCommand(step, "Tacos", duration, start)


# --- one command as text -------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Step(3, Tacos, 5 min, 00:10:00)", tacos(300, 600)),
        ("Step(3, Tacos, 00:05:00, 01:10:30)", tacos(300, 4230)),
        ("Step(3, Tacos, 05:00, 10:30)", tacos(300, 630)),
        ("Step(3, Tacos, 90 sec, 1 hour)", tacos(90, 3600)),
        ("Step(3, Tacos, 99:99:99, 0:99)", tacos(99 * 3661, 99)),
        ("Step(3, 'Tacos', \"5 min\", '00:10:00')", tacos(300, 600)),
        ("Step(007, Smore-Bars, 0:01, 0:02)", StepCommand(7, "Smore-Bars", 1, 2)),
        ("Step(3, Tacos, 00:10:00)", tacos(NOMINAL["Tacos/3"], 600)),
        ("Step(3, Tacos, 5 min)", tacos(NOMINAL["Tacos/3"], 300)),
        ("Step(99, Tacos, 00:10:00)", tacos(0, 600, step=99)),
        ("Step(3, Stew, 00:10:00)", StepCommand(3, "Stew", 0, 600)),
    ],
)
def test_both_profiles_read_released_step_forms(text, expected, rules):
    assert commands(text, rules) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Step(3,Tacos,5 min,00:10:00)", tacos(300, 600)),
        ("step ( 3 , Tacos ,  5 min , 00:10:00 )", tacos(300, 600)),
        ("STEP(3, Tacos, 5 MIN, 0)", tacos(300, 0)),
        ("Step(3, Tacos, 300, 600)", tacos(300, 600)),
        ("Step(3, Tacos, 600)", tacos(NOMINAL["Tacos/3"], 600)),
        ("Step(3, Tacos, 5 minutes, 90 seconds)", tacos(300, 90)),
        ("Step(3, Tacos, 5min, 90s)", tacos(300, 90)),
        ("Step(3, Tacos, 5m, 2h)", tacos(300, 7200)),
        ("Step(3, Tacos, 1 hour, 2 hours)", tacos(3600, 7200)),
        ("`Step(3, **Tacos**, 300, 600)`", tacos(300, 600)),
        ("Step(\n3,\nTacos,\n300,\n600)", tacos(300, 600)),
        (f"Step(3, Tacos, 300, {10**30})", tacos(300, 10**30)),
    ],
)
def test_only_the_paper_profile_reads_other_step_forms(text, expected):
    assert commands(text, PAPER) == [expected]
    assert commands(text, RELEASED) == []


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would rather order a pizza.",
        "Step 3: Tacos, 5 min, 00:10:00",
        "Step(x, Tacos, 5 min, 00:10:00)",
        "Step(-3, Tacos, 5 min, 00:10:00)",
        "Step(3, Tacos, -5 min, 00:10:00)",
        "Step(3, Tacos)",
        "Step(3, Tacos, 5 parsecs, 00:10:00)",
        "Step(3, Tacos, 1.5 min, 00:10:00)",
        "Step(3, Tacos, 1:2:3:4, 00:10:00)",
        "Step(3, Tacos, 5 min, 00:10:00, 7)",
        "Step(3, Two Tacos, 5 min, 00:10:00)",
        "Missstep(3; Tacos; 5 min; 00:10:00)",
    ],
)
def test_malformed_steps_are_ignored(text, rules):
    assert commands(text, rules) == []


def test_step_inside_a_longer_word_is_ignored_by_the_paper_profile():
    text = "Misstep(3, Tacos, 5 min, 00:10:00)"
    assert commands(text, PAPER) == []
    assert commands(text.replace("step", "Step"), RELEASED) == [tacos(300, 600)]


def test_released_short_form_counts_only_without_full_forms():
    text = "Step(3, Tacos, 00:10:00) Step(1, Tacos, 1 min, 00:20:00)"
    assert commands(text, RELEASED) == [StepCommand(1, "Tacos", 60, 1200)]
    assert commands(text, PAPER) == [tacos(NOMINAL["Tacos/3"], 600), StepCommand(1, "Tacos", 60, 1200)]


def test_released_profile_removes_quotes_and_no_other_decoration():
    assert commands("Step(3, *Tacos*, 5 min, 00:10:00)", RELEASED) == []
    assert commands("Step(3,  Tacos, 5 min, 00:10:00)", RELEASED) == []
    assert commands("step(3, Tacos, 5 min, 00:10:00)", RELEASED) == []
    assert commands("Step(3, Tacos, 5 minutes, 00:10:00)", RELEASED) == []


# --- several commands in a text ------------------------------------------------------------------

THREE = [StepCommand(0, "Tacos", 60, 0), StepCommand(1, "Tacos", 60, 60), StepCommand(0, "Smore-Bars", 600, 60)]


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
@pytest.mark.parametrize(
    "layout",
    [", {}", "\n- {}", "\n* {};", "\n12. {}", "\n[{}],", "\n`{}`\n", '\n"{}",', "\n\n\n{}  # then go on", "{}"],
)
def test_layout_between_commands_does_not_matter(layout, rules):
    assert commands("".join(layout.format(command.text) for command in THREE), rules) == THREE


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_commands_are_ordered_by_start_and_ties_keep_their_order(rules):
    listed = [StepCommand(k, "Tacos", 60, start) for k, start in enumerate([120, 0, 120, 60, 0, 120, 60])]
    expected = [1, 4, 3, 6, 0, 2, 5]
    text = " ".join(command.text for command in listed)
    assert [command.step for command in commands(text, rules)] == expected
    assert [command.step for command in commands([list(command) for command in listed], rules)] == expected


PROSE = """First I thought of
Step(5, Tacos, 1 min, 00:00:00)
but that is too early. So my answer is
Step(0, Tacos, 1 min, 00:00:00), then Step(1, Tacos, 1 min, 00:01:00)
---
Step(0, Smore-Bars, 10 min, 00:01:00)
which takes a while."""


def test_retracted_steps_are_not_part_of_the_plan():
    assert commands(PROSE, PAPER) == THREE


def test_parse_scope_everywhere_reads_every_step():
    assert commands(PROSE, RELEASED) == [StepCommand(5, "Tacos", 60, 0), *THREE]
    assert commands(PROSE, RULE_SET.profile("paper", parse_scope="everywhere")) == [
        StepCommand(5, "Tacos", 60, 0),
        *THREE,
    ]


# --- thinking and logs ---------------------------------------------------------------------------

DECOY = "<think>perhaps Step(5, Tacos, 1 min, 00:00:00), or Step(6, Stew, 9 min, 00:01:00)?</think>"
ANSWER = ", ".join(command.text for command in THREE)


@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_thinking_in_an_open_loop_log_is_ignored(rules):
    assert commands({"response": DECOY + ANSWER}, rules) == THREE
    assert commands({"response": DECOY + DECOY + ANSWER}, rules) == THREE
    assert commands({"response": DECOY}, rules) == []


def test_thinking_outside_open_loop_logs_counts_in_the_released_profile_only():
    thought = [StepCommand(5, "Tacos", 60, 0), StepCommand(6, "Stew", 540, 60)]
    assert commands(DECOY) == []
    assert commands(DECOY + ANSWER) == THREE
    assert commands([{"response": DECOY + ANSWER}]) == THREE
    assert commands(DECOY, RELEASED) == thought
    assert commands([{"response": DECOY}], RELEASED) == thought


def test_open_loop_log_is_one_answer():
    plan = parse({"response": ANSWER, "msg": "Step(7, Tacos, 1 min, 00:00:00)", "complete": True}, PAIR)
    assert not plan.interactive
    assert plan.answers == (tuple(THREE),)


def test_react_log_has_one_answer_per_entry():
    texts = [f"Thought: now.\nAction: {command.text}" for command in reversed(THREE)] + ["Nothing yet.", ANSWER]
    plan = parse([{"response": text, "success": True} for text in texts], PAIR)
    assert plan.interactive
    assert plan.answers == (*((command,) for command in reversed(THREE)), (), tuple(THREE))
    assert list(plan.commands) == [*reversed(THREE), *THREE]  # not ordered across answers


def test_finish_is_an_answer_without_step_in_the_released_profile_only():
    log = [{"response": f"Action: {THREE[0].text}"}, {"response": "All done. Action: Finish"}]
    assert parse(log, PAIR).answers == ((THREE[0],),)
    assert parse(log, PAIR, PROFILES["released"]).answers == ((THREE[0],), ())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1 hour 30 min", 5400), ("1h 5m 10s", 3910), ("10 MIN", 600), ("2 hrs", 7200), ("90 sec", 90), ("1:00:00", 3600)],
)
def test_durations_with_units_are_read(text, seconds):
    assert parse(f"Step(1, Tacos, {text}, 0:00)", PAIR).commands[0].duration == seconds
    assert parse([[1, "Tacos", text, 0]], PAIR).commands[0].duration == seconds


def test_unit_with_lookalike_letter_is_ignored():
    assert parse("Step(1, Tacos, 5 \u017fec, 0)", PAIR).commands == ()


def test_mixed_lists_keep_every_command():
    mixed = [list(THREE[0]), THREE[1].text]
    assert parse(mixed, PAIR).commands == parse(json.dumps(mixed), PAIR).commands == tuple(THREE[:2])
    assert parse({"response": json.dumps(mixed)}, PAIR).commands == tuple(THREE[:2])
    assert parse(json.dumps("\n".join(command.text for command in THREE)), PAIR).commands == tuple(THREE)


def test_step_shapes_and_parse_scope_are_independent_rules():
    text = "First Step(0, Tacos, 60, 0).\nBut this is better:\nStep(1, Tacos, 60, 60)"
    assert len(parse(text, PAIR).commands) == 1
    assert len(parse(text, PAIR, RULE_SET.profile("paper", parse_scope="everywhere")).commands) == 2
    assert parse(text, PAIR, RULE_SET.profile("paper", parse_scope="everywhere", step_shapes="released")).commands == ()


# --- lists and JSON ------------------------------------------------------------------------------

LISTS = {
    "lists": [list(command) for command in THREE],
    "clock times": [
        [0, "Tacos", "1 min", "00:00"],
        [1, "Tacos", "00:01:00", " 60 "],
        [0, "Smore-Bars", "10m", "1 min"],
    ],
    "objects": [command._asdict() for command in THREE],
    "texts": [command.text for command in THREE],
    "decorated texts": [f"  - `{command.text}`" for command in THREE],
    "mixed": [list(THREE[0]), THREE[1]._asdict(), THREE[2].text],
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_commands_are_read(name):
    assert commands(LISTS[name]) == THREE
    assert not parse(LISTS[name], PAIR).interactive


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["lists", "clock times", "objects", "texts"])
def test_lists_of_commands_are_read_from_json_text(name, indent):
    assert commands("\n " + json.dumps(LISTS[name], indent=indent)) == THREE


def test_logs_are_read_from_json_text():
    react = [{"response": DECOY + command.text} for command in THREE]
    assert parse(json.dumps(react), PAIR) == parse(react, PAIR)
    assert parse(json.dumps(react), PAIR).interactive
    assert commands(json.dumps({"response": DECOY + ANSWER})) == THREE


def test_other_json_is_read_as_text():
    assert commands(json.dumps({"plan": ANSWER})) == THREE
    assert commands("[" + ANSWER + "]") == THREE
    assert commands("[]") == []
    assert commands([]) == []


def test_missing_duration_in_a_list_is_nominal():
    nominal = [tacos(NOMINAL["Tacos/3"], 60)]
    assert commands([[3, "Tacos", 60]]) == nominal
    assert commands([[3, "Tacos", None, 60]]) == nominal
    assert commands([{"step": 3, "recipe": "Tacos", "start": "1 min"}]) == nominal
    assert commands(["Step(3, Tacos, 1 min)"]) == nominal
    assert commands([[99, "Tacos", 60]]) == [tacos(0, 60, step=99)]


@pytest.mark.parametrize(
    ("submission", "field"),
    [
        (None, "plan"),
        (3, "plan"),
        (True, "plan"),
        ({}, "plan.response"),
        ({"response": None}, "plan.response"),
        ({"response": ["x"]}, "plan.response"),
        ([{"response": "x"}, {"response": 3}], "plan[1].response"),
        ([None], "plan[0]"),
        ([[]], "plan[0]"),
        ([[1, "Tacos"]], "plan[0]"),
        ([[1, "Tacos", 60, 0, 0]], "plan[0]"),
        ([[0, "Tacos", 60, 0], ["1", "Tacos", 60, 0]], "plan[1].step"),
        ([[True, "Tacos", 60, 0]], "plan[0].step"),
        ([[1.0, "Tacos", 60, 0]], "plan[0].step"),
        ([[1, 2, 60, 0]], "plan[0].recipe"),
        ([[1, None, 60, 0]], "plan[0].recipe"),
        ([[1, "Tacos", -1, 0]], "plan[0].duration"),
        ([[1, "Tacos", 1.5, 0]], "plan[0].duration"),
        ([[1, "Tacos", "soon", 0]], "plan[0].duration"),
        ([[1, "Tacos", "1:2:3:4", 0]], "plan[0].duration"),
        ([[1, "Tacos", "9" * 5000, 0]], "plan[0].duration"),
        ([[1, "Tacos", 60, -1]], "plan[0].start"),
        ([[1, "Tacos", 60, None]], "plan[0].start"),
        ([[1, "Tacos", 60, False]], "plan[0].start"),
        ([[1, "Tacos", 60, float("nan")]], "plan[0].start"),
        ([{"step": 1, "recipe": "Tacos", "duration": 60}], "plan[0].start"),
        ([{"step": 1, "recipe": "Tacos", "start": 0, "speed": 3}], "plan[0]"),
        ([["x"], "Step(0, Tacos, 60, 0)"], "plan[0]"),
        (["wait"], "plan[0]"),
        (["Step(0, Tacos, 60, 0) Step(1, Tacos, 60, 60)"], "plan[0]"),
    ],
)
def test_malformed_submissions_raise_plan_errors_with_the_field(submission, field):
    with pytest.raises(PlanError) as caught:
        parse(submission, PAIR)
    assert caught.value.field == field
    assert str(caught.value).startswith(field + ": ")


# --- repair of late stamps -----------------------------------------------------------------------


def test_timestamp_repair_delays_commands_that_start_before_the_clock():
    pair = problems.load("recipe2plan/timed/Cobbler_Pancakes")  # steps 1, 4, 5 occupy the cook, step 0 does not
    written = [(1, 120, 0), (4, 180, 60), (5, 180, 200), (0, 600, 300)]
    # 1 ends at 120, so 4 moves by 60 to 120, and all after it; the clock follows the stamp before the
    # push, 60 + 180 = 240, so 5 stays at 260 although 4 now ends at 300. 5 ends at 440, so 0, now at
    # 360, moves to 440.
    submission = [[step, "Cobbler", duration, start] for step, duration, start in written]
    repaired = parse(submission, pair, RULE_SET.profile("paper", timestamp_repair=True)).commands
    assert [(c.step, c.duration, c.start) for c in repaired] == [
        (1, 120, 0),
        (4, 180, 120),
        (5, 180, 260),
        (0, 600, 440),
    ]
    assert [c.start for c in parse(submission, pair).commands] == [0, 60, 200, 300]


def test_timestamp_repair_does_not_wait_for_autonomous_steps():
    pair = problems.load("recipe2plan/timed/Cobbler_Pancakes")
    submission = [[0, "Cobbler", 600, 50], [1, "Cobbler", 120, 60], [4, "Cobbler", 180, 180]]
    repaired = parse(submission, pair, RULE_SET.profile("paper", timestamp_repair=True)).commands
    assert [command.start for command in repaired] == [50, 60, 180]


def test_timestamp_repair_lets_unknown_steps_occupy_the_cook():
    rules = RULE_SET.profile("paper", timestamp_repair=True)
    assert [c.start for c in commands([[0, "Stew", 100, 0], [0, "Tacos", 60, 10]], rules)] == [0, 100]


# --- hostile text --------------------------------------------------------------------------------

MEGABYTE = 10**6
HOSTILE = {
    "digits": "7" * MEGABYTE,
    "digits and a unit": "7" * MEGABYTE + " min",
    "digits beside a unit": "7" * MEGABYTE + "; 5 min, 5 sec, 5 hour",
    "colons": "1:" * (MEGABYTE // 2),
    "step and spaces": "step" + " " * MEGABYTE,
    "many steps and spaces": "step   (   " * (MEGABYTE // 11),
    "open commands": "Step(" * (MEGABYTE // 5),
    "endless number": "Step(" + "1" * MEGABYTE,
    "endless recipe": "Step(1, " + "a-" * (MEGABYTE // 2),
    "endless time": "Step(1, Tacos, " + "1:" * (MEGABYTE // 2),
    "nested lists": "[" * MEGABYTE,
    "nested lists closed": "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
    "nested logs": '{"response":' * (MEGABYTE // 12),
    "nested lists of logs": '[{"response":' * (MEGABYTE // 13),
    "thoughts": "</think>" * (MEGABYTE // 8),
    "quotes": "\"'`*" * (MEGABYTE // 4),
    "controls": "\0\r\n\t\x1b\ud800\u2028" * (MEGABYTE // 7),
}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [PAPER, RELEASED], ids=["paper", "released"])
def test_command_after_a_megabyte_of_hostile_text_is_read(rules):
    text = "Step(" * (MEGABYTE // 5) + "\n" + THREE[0].text
    assert commands(text, rules) == THREE[:1]


def test_times_of_thirty_digits_are_read_exactly():
    huge = 10**30 + 7
    assert commands(f"Step(3, Tacos, {huge}, {huge})") == [tacos(huge, huge)]
    assert commands(f"Step(3, Tacos, 0:{huge}, {huge}:00)", RELEASED) == [tacos(huge, 60 * huge)]
    assert commands([[3, "Tacos", huge, huge]]) == [tacos(huge, huge)]


@pytest.mark.parametrize("text", ["Step({}, Tacos, 1:00, 0:00)", "Step(1, Tacos, 0:{}, 0:00)", "Step(1, Tacos, {}:00)"])
def test_numbers_of_five_thousand_digits_raise_plan_errors_in_the_released_profile(text):
    with pytest.raises(PlanError, match="at most 40 digits"):
        parse(text.format("9" * 5000), PAIR, RELEASED)


# --- schedules as text ---------------------------------------------------------------------------

_PAIRS = [
    problems.load(f"recipe2plan/{setting}/{pair}")
    for setting in problems.SETTINGS
    for pair in ("Tacos_Smore-Bars", "Puddings_Volcano-Glass")
]


@st.composite
def _schedules(draw):
    """Draw schedules in normal form, feasible or not, with interruptions."""
    instance = draw(st.sampled_from(_PAIRS))
    pieces = []
    for action in instance.actions:
        clock, remaining = draw(st.integers(0, 10_000)), action.duration
        while remaining and draw(st.integers(0, 9)):
            length = draw(st.integers(1, remaining)) if action.interruptible else remaining
            pieces.append(Piece(action.id, clock, length, instance.agents[0]))
            clock += length + draw(st.integers(0, 300))
            remaining -= length
    return instance, Schedule.of(instance, draw(st.permutations(pieces)))


@examples(60)
@given(_schedules(), st.sampled_from([PAPER, RELEASED]))
def test_rendered_schedules_round_trip_as_text_and_as_json(case, rules):
    instance, planned = case
    plan = parse(written(instance, planned), instance, rules)
    assert [(f"{c.recipe}/{c.step}", c.start, c.duration) for c in plan.commands] == [p[:3] for p in planned.pieces]
    assert language.schedule(instance, Plan(None, plan)) == planned
    assert parse([list(command) for command in plan.commands], instance) == plan
    assert parse([command.text for command in plan.commands], instance) == plan


steps = st.builds(
    StepCommand,
    st.integers(0, 12),
    st.sampled_from(["Tacos", "Smore-Bars", "Stew"]),
    st.integers(0, 7200),
    st.integers(0, 9),
)


@examples(200)
@given(st.lists(steps, min_size=1, max_size=40), st.sampled_from([", ", ",", "\n", ", and ", ", Step 3, "]))
def test_fast_path_and_full_parser_read_rendered_plans_alike(listed, between):
    text = between.join(command.text for command in listed)
    short = language.reading(PAIR, text, PAPER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language, "_SHORT", 0)
        assert language.reading(PAIR, text, PAPER) == short


def test_rendered_plans_have_the_form_of_the_prompts():
    schedule = Schedule.of(PAIR, [Piece("Tacos/3", 360_000, 61, "agent"), Piece("Smore-Bars/0", 0, 600, "agent")])
    assert written(PAIR, schedule) == "Step(0, Smore-Bars, 00:10:00, 00:00:00), Step(3, Tacos, 00:01:01, 100:00:00)"
    assert written(PAIR, Schedule(())) == ""


@pytest.mark.parametrize("text", ["Step(99, Tacos, 1 min, 0:00)", "Step(0, Stew, 1 min, 0:00)"])
def test_schedule_with_unknown_steps_is_rejected(text):
    with pytest.raises(PlanError, match="no such step"):
        language.schedule(PAIR, Plan(None, parse(text, PAIR)))
