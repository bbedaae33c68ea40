"""The referee of TimeArena: the released verdicts, every kind of feedback by hand, and hostile decisions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planoracle.instances.timearena import encode
from planoracle.instances.timearena.profile import PROFILES, Profile
from planoracle.instances.timearena.rules import KINDS, WRONG, Run, as_replay, replay
from planoracle.instances.timearena.world import World, world
from planoracle.solver.solve import solve

TEA = "timearena/household1"
PAPER, RELEASED = PROFILES["paper"], PROFILES["released"]
BOTH = pytest.mark.parametrize("profile", [PAPER, RELEASED], ids=["paper", "released"])


def play(decisions: list[str], profile: Profile = PAPER, name: str = TEA, limit: int = 40) -> Run:
    return replay(world(name), decisions, limit, profile)


def kinds(decisions: list[str], profile: Profile = PAPER, name: str = TEA) -> list[str]:
    return [step.kind for step in play(decisions, profile, name).steps]


def test_verdicts_of_the_released_environment(shared: Path) -> None:
    path = shared / "verdicts" / "timearena.jsonl"
    if not path.is_file():
        pytest.skip(f"no verdicts in {path}")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 97
    for line in lines:
        run = play(line["actions"], RELEASED, line["instance"], line["time_limit"])
        found = {
            "steps": [list(step) for step in run.steps],
            "completed": run.completed,
            "end": run.end,
            "total_time": run.total_time,
            "score": run.score,
        }
        assert found == line["expected"], line["id"]


@BOTH
@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        (["wash cup"], "valid continue valid"),
        (["wash teapot"], "valid"),
        (["activate kettle", "wait"], "valid wait"),
        (["clean teapot"], "invalid_action"),
        (["wash"], "invalid_action"),
        (["wash the cup"], "invalid_action"),
        (["pour kettle onto cup"], "invalid_action"),
        (["wash spoon"], "nonexistent_object"),
        (["pour kettle into spoon"], "nonexistent_object"),
        (["wash kettle"], "object_mismatch"),
        (["pour cup into kettle"], "object_mismatch"),
        (["pour teapot into teapot"], "object_mismatch"),
        (["activate kettle", "activate kettle"], "valid object_occupied"),
        (["activate kettle", "pour kettle into cup"], "valid object_occupied"),
        (["activate kettle", "wash kettle"], "valid object_mismatch"),
        # Of what is wrong with both objects, the last counts: kettle is occupied, tea cannot be poured into.
        (["activate kettle", "pour kettle into tea"], "valid object_mismatch"),
        (["activate kettle", "pour tea into kettle"], "valid object_mismatch"),
        (["pour kettle into cup"], "dependency_violation"),
        (["wash teapot", "wash teapot"], "valid repeated_completed"),
    ],
)
def test_kinds_by_hand(decisions: list[str], expected: str, profile: Profile) -> None:
    assert kinds(decisions, profile) == expected.split()


def test_wrong_kinds() -> None:
    assert set(KINDS) - {"valid", "continue", "wait"} == WRONG


@BOTH
def test_only_malformed_decisions_stop_the_world(profile: Profile) -> None:
    # The kettle takes four minutes, the first one when it is started.
    assert kinds(["activate kettle", "nonsense", "wash spoon", "wait", "wait", "activate kettle"], profile)[-1] == (
        "object_occupied"
    )
    for wrong in ("wash kettle", "pour kettle into cup", "pour teapot into cup"):
        assert kinds(["activate kettle", wrong, "wait", "wait", "activate kettle"], profile)[-1] == "repeated_completed"
    ticking = replace(profile, invalid_ticks_world=True)
    assert kinds(["activate kettle", "nonsense", "wash spoon", "wait", "activate kettle"], ticking)[-1] == (
        "repeated_completed"
    )


def test_increments_after_a_mismatch_show_one_minute_later() -> None:
    run = play(["activate kettle", "wait", "wait", "wash kettle", "wait"], RELEASED)
    assert [step.increment for step in run.steps] == [0, 0, 0, 0, 25]
    assert play(["activate kettle", "wait", "wait", "wash kettle"], RELEASED).score == 25


def test_progress_is_truncated_or_exact() -> None:
    assert play(["wash cup"], RELEASED).score == 18
    assert play(["wash cup"], PAPER).score == 100 * 3 / 16
    assert [step.increment for step in play(["wash cup"], RELEASED).steps] == [0, 0, 18]


@BOTH
def test_five_wrong_in_a_row_end_the_run(profile: Profile) -> None:
    run = play(["x"] * 9, profile)
    assert (run.end, run.total_time, run.completed) == ("five_invalid", 5, False)
    assert play(["x", "x", "x", "x", "wait"] * 3, profile).end == "exhausted"
    assert play(["x"] * 9, replace(profile, max_wrong_streak=7)).total_time == 7
    assert as_replay(run).fatal is not None
    assert len(as_replay(run).violations) == 5


@BOTH
def test_the_time_limit_cuts_an_action(profile: Profile) -> None:
    run = play(["wash cup"], profile, limit=2)
    assert ([step.kind for step in run.steps], run.end, run.score) == (["valid", "continue"], "time_out", 0)
    assert play(["wait"] * 99, profile).total_time == 40


def test_reserved_objects_of_the_paper_serve_their_own_task() -> None:
    pair = "timearena/cooking2+cooking3"
    for text, paper, released in (
        ("add mushroom to dish_1", "dependency_violation", "object_mismatch"),
        ("add noodle_1 to dish_1", "dependency_violation", "dependency_violation"),
        ("add noodle_1 to dish_2", "object_mismatch", "object_mismatch"),
        ("add mushroom to dish_2", "object_mismatch", "object_mismatch"),
        ("fry tomato in fryer_1", "dependency_violation", "dependency_violation"),
        ("cook noodle_2 in pot_1", "dependency_violation", "dependency_violation"),
    ):
        assert kinds([text], PAPER, pair) == [paper], text
        assert kinds([text], RELEASED, pair) == [released], text


def test_case_and_spaces_are_forgiven_by_the_paper_profile_only() -> None:
    for text in ("Wash TEAPOT", "wash  teapot", "wash\tteapot"):
        assert kinds([text], PAPER) == ["valid"]
        assert kinds([text], RELEASED)[0] in WRONG
    assert kinds(["  wash teapot \n"], RELEASED) == ["valid"]
    assert kinds(["WAIT"], PAPER) == ["wait"]


def test_completion_during_a_wrong_decision_ends_the_run_in_the_paper_profile() -> None:
    problem = encode.load("timearena/cooking4")
    schedule = solve(problem).schedule
    assert schedule is not None
    made = encode.decisions(problem, schedule)
    assert made[-2:] == ["wait", "wait"]
    made[-1] = "bake dish in oven"
    paper = play([*made, "wait"], PAPER, problem.name)
    assert (paper.end, paper.steps[-1].kind, paper.total_time) == ("completed", "object_occupied", schedule.makespan)
    assert play(made, RELEASED, problem.name).end == "exhausted"
    late = play([*made, "wait"], RELEASED, problem.name)
    assert (late.end, late.total_time) == ("completed", schedule.makespan + 1)


def check(run: Run, limit: int, profile: Profile) -> None:
    assert 0 <= run.score <= 100
    assert [step.minute for step in run.steps] == list(range(run.total_time))
    assert run.total_time == len(run.steps) <= limit
    assert {step.kind for step in run.steps} <= set(KINDS)
    assert run.completed == (run.end == "completed")
    assert run.score == 100 or not run.completed
    wrong = [step.kind in WRONG for step in run.steps]
    streaks = [all(wrong[i : i + profile.max_wrong_streak]) for i in range(len(wrong) - profile.max_wrong_streak + 1)]
    # Five in a row are the last that happens; if they complete the work, the run is completed.
    assert not any(streaks[:-1])
    assert run.end != "five_invalid" or streaks[-1]
    assert all(step.increment >= 0 for step in run.steps)
    shown = sum(step.increment for step in run.steps)
    silent = {"object_occupied", "object_mismatch", "invalid_action", "nonexistent_object"}
    last = list(takewhile(lambda kind: kind in silent, (step.kind for step in reversed(run.steps))))
    if any(kind.startswith("object_") for kind in last):
        assert shown <= run.score + 1e-9
    else:
        assert shown == pytest.approx(run.score)
    assert as_replay(run).success == run.completed


HOSTILE = [
    "",
    " ",
    "\t",
    "\n\n",
    "wash\tcup",
    "Wash cup",
    "pour teapot into teapot",
    "pour kettle into kettle",
    "brew tea with tea",
    "wash cup\0",
    "\0",
    "\ud800",
    "wash \udfff",
    "wash " * 4,
    "x" * 1_000_000,
    " " * 1_000_000,
    "wash " * 200_000,
    "ＷＡＳＨ cup",
    "wash İ",
    "wait wait",
    "None",
]


@BOTH
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:25])
def test_hostile_decisions_pass_a_minute(text: str, profile: Profile) -> None:
    run = play([text, "wait", text, "wash teapot", text], profile)
    check(run, 40, profile)
    assert run.steps[-1].kind in WRONG or text.lower().split() == ["wash", "cup"]
    check(play([text] * 50, profile), 40, profile)


def words(scene: World) -> list[str]:
    said = ["wait", "wash", "", "Wait", "nonsense"]
    for verb in scene.verbs:
        said += [" ".join(verb.split()[:1])]
    return [*dict.fromkeys(said + [word for verb in scene.verbs for word in verb.split()] + list(scene.objects))]


def commands(scene: World) -> list[str]:
    return ["wait"] + [
        f"{verb} {one}" if " " not in verb else f"{verb.split()[0]} {one} {verb.split()[1]} {two}"
        for verb in scene.verbs
        for one, thing in scene.objects.items()
        for two in (scene.objects if " " in verb else [""])
        if any(used == verb for used, _ in thing.roles)
    ]


SCENES = ["timearena/household1", "timearena/cooking2+cooking3", "timearena/shared/cooking1+cooking5+lab3"]
PROFILE = st.sampled_from([PAPER, RELEASED, Profile(max_wrong_streak=99, invalid_ticks_world=True)])
TEXT = st.text(st.characters(codec=None), max_size=30)


@given(st.lists(TEXT, max_size=50), st.sampled_from(SCENES), PROFILE, st.integers(0, 60))
def test_any_texts(decisions: list[str], name: str, profile: Profile, limit: int) -> None:
    check(replay(world(name), decisions, limit, profile), limit, profile)


@settings(max_examples=200)
@given(st.data(), st.sampled_from(SCENES), PROFILE, st.integers(0, 130))
def test_any_words_of_the_vocabulary(data: st.DataObject, name: str, profile: Profile, limit: int) -> None:
    word = st.sampled_from(words(world(name)))
    phrase = st.lists(word, max_size=5).map(" ".join)
    decisions = data.draw(st.lists(phrase, max_size=40))
    check(replay(world(name), decisions, limit, profile), limit, profile)


@settings(max_examples=200)
@given(st.data(), st.sampled_from(SCENES), PROFILE, st.integers(0, 130))
def test_any_commands(data: st.DataObject, name: str, profile: Profile, limit: int) -> None:
    decisions = data.draw(st.lists(st.sampled_from(commands(world(name))), max_size=80))
    check(replay(world(name), decisions, limit, profile), limit, profile)


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), st.sampled_from(SCENES), PROFILE)
def test_runs_that_get_far(random: object, name: str, profile: Profile) -> None:
    """Shuffled commands, each many times over, with waits that keep the run alive."""
    said = commands(world(name)) * 4
    random.shuffle(said)  # type: ignore[attr-defined]
    decisions = [text for one in said for text in (one, "wait")]
    check(replay(world(name), decisions, 4000, profile), 4000, profile)
