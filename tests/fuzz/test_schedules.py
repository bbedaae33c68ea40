"""Random pieces of schedules, invalid options of rules, and keys outside the schema."""

from __future__ import annotations

import itertools
import tracemalloc
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_inputs import NUMBERS, TEXTS
from support.mutations import Mutator, result_or_error
from support.random_instances import workshop
from support.samples import examples
from support.valid_inputs import documents

from planoracle.analysis.grading.rule_options import profiles
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.instance_file import InstanceDocument, instance_from_document, json_schema
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.model.schedule import MAX_PIECES, Piece, Schedule
from planoracle.instances.model.schedule_rules import KINDS, find_violations, referee

WHOLE = [number for number in NUMBERS if isinstance(number, int) and abs(number) < 10**41]


@examples(200)
@given(st.integers(0, 2**32 - 1))
def test_random_schedules_are_validated(seed: int) -> None:
    random = Random(seed)
    instance = workshop(seed % 5_000)
    pieces = []
    for _ in range(random.randint(0, 12)):
        action = random.choice(instance.actions)
        start, duration = (
            random.choice((random.randint(0, 9), random.choice(WHOLE))),
            random.choice((action.duration, random.choice(WHOLE))),
        )
        pieces.append(
            Piece(
                action.id,
                start,
                duration,
                random.choice((*instance.agents, None, "", "\ud800")),
                random.choice((0, 0, 1, -1, 10**40)),
            )
        )
    schedule = Schedule.of(instance, pieces)
    run = referee(instance, schedule)
    kinds = [KINDS.index(violation.kind) for violation in run.violations]
    assert kinds == sorted(kinds)
    assert run.violations == tuple(find_violations(instance, schedule))
    assert run.success == (not kinds)


@examples(200)
@given(st.integers(0, 2**32 - 1))
def test_pieces_are_split_only_at_starts_by_their_agent(seed: int) -> None:
    """Compare with a check of every tick; pieces may overlap, as they do in submitted plans."""
    random = Random(seed)
    instance = workshop(seed % 5_000)
    chosen = random.sample(instance.actions, k=len(instance.actions))  # each once, so that no pieces are joined
    agents = (*instance.agents, None)
    pieces = [Piece(a.id, 2 * k, random.choice((0, 1, 3, 30)), random.choice(agents)) for k, a in enumerate(chosen)]
    starts = {(p.agent, p.start) for p in pieces if not instance.by_id[p.action].attended and p.agent is not None}
    expected = []
    for piece in pieces:
        action = instance.by_id[piece.action]
        pausable = action.interruptible and action.attended
        inside = range(piece.start + 1, piece.end) if pausable else ()
        ends = [piece.start, *(tick for tick in inside if (piece.agent, tick) in starts), piece.end]
        expected += [piece._replace(start=a, duration=b - a) for a, b in itertools.pairwise(ends)]
    assert sorted(Schedule.of(instance, pieces).pieces, key=repr) == sorted(expected, key=repr)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "refused"), [(140, False), (2_000, True)])
def test_overlapping_pieces_are_counted_before_splitting(count: int, refused: bool) -> None:
    """Let ``count`` equal pieces overlap ``count`` starts, which splits them into count² parts."""
    instance = Instance("k", (Action("t/chop", "t", 9, 9, interruptible=True), Action("t/boil", "t", 9, 0)))
    pieces = [Piece("t/chop", 0, 10**6, "agent")] * count + [
        Piece("t/boil", 2 * k + 1, 1, "agent") for k in range(count)
    ]
    if not refused:
        assert len(Schedule.of(instance, pieces).pieces) == count * (count + 1) + count <= MAX_PIECES
        return
    tracemalloc.start()
    try:
        with pytest.raises(PlanError, match=f"has {count * (count + 1) + count} pieces.*at most {MAX_PIECES}"):
            Schedule.of(instance, pieces)
        assert tracemalloc.get_traced_memory()[1] < 1_000 * 2 * count  # bytes; the parts would take 100 times that
    finally:
        tracemalloc.stop()


def test_invalid_rule_options_are_refused() -> None:
    for text in TEXTS:
        for options in ({text: "true"}, {"max_failures": text}, {"reference": text}, {"normalize": text}):
            result = result_or_error(profiles, "paper", options)
            assert isinstance(result, InputError) or text in ("true", "１２")
        assert isinstance(result_or_error(profiles, text), InputError)


def test_keys_outside_the_schema_are_refused() -> None:
    """Mutate a document; it is refused if it has a key that the schema does not describe."""
    schema = json_schema()
    described = _described(schema)
    assert set(schema["properties"]) == {field.alias or name for name, field in InstanceDocument.model_fields.items()}
    refused = 0
    for seed in range(300):
        document = Mutator(Random(seed)).tree(documents()["bakery"])
        strange = _keys(document) - described
        if strange:
            refused += 1
            with pytest.raises(InputError):
                instance_from_document(document, "file")
    assert refused > 10


def _described(value: object) -> set[str]:
    """Return the keys of all objects that a schema describes."""
    if isinstance(value, dict):
        own = set(value["properties"]) if isinstance(value.get("properties"), dict) else set()
        return own.union(*map(_described, value.values()))
    return set().union(*map(_described, value)) if isinstance(value, list) else set()


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(_keys, value.values()))
    return set().union(*map(_keys, value)) if isinstance(value, list) else set()
