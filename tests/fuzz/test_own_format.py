"""Files in our own format: any content is read as an instance, or refused with a short error."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hostile_inputs import FLOODS, HOSTILE_FILES, encode_json
from support.mutations import Mutator, result_or_error
from support.samples import examples, sample
from support.valid_inputs import documents

from planoracle.instances.benchmarks.generic.language import MAX_TIME
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files import catalog
from planoracle.instances.files.instance_file import instance_from_document, to_document
from planoracle.instances.files.strict_json import MAX_CONTAINERS, load_json, read_bytes
from planoracle.instances.model import validation
from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import MAX_PIECES
from planoracle.instances.model.schedule_rules import MAX_VIOLATIONS
from planoracle.instances.model.violations import Replay
from planoracle.instances.protocol import registry

SEEDS = st.integers(0, 2**32 - 1)
TEA = catalog.read_problems(str(Path(__file__).parents[2] / "instances/examples/tea.json"))[0]


def document(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    tasks = [{"name": "t", "actions": list(actions)}]
    return {"format": "planoracle/instance", "version": 1, "name": "n", "tasks": tasks} | more


def chain(count: int, *, circular: bool = False) -> list[dict[str, Any]]:
    first = {"name": "0", "duration": 1, "after": [str(count - 1)] if circular else []}
    return [first, *({"name": str(k), "duration": 1, "after": [str(k - 1)]} for k in range(1, count))]


def read(data: bytes) -> Instance:
    return instance_from_document(load_json(data, "file"), "file")


# --- files ----------------------------------------------------------------------------------------


@examples(400)
@given(SEEDS)
def test_mutated_files_are_read_or_refused(seed: int) -> None:
    mutator = Mutator(Random(seed), list(documents().values()))
    name = mutator.random.choice(("tea", "bakery", "recipe2plan"))
    data = encode_json(mutator.times(mutator.tree, documents()[name]))
    result = result_or_error(read, mutator.raw(data) if mutator.random.random() < 0.2 else data)
    if isinstance(result, InputError):
        assert result.source == "file"
    else:
        assert to_document(instance_from_document(to_document(result), "again")) == to_document(result)


def test_most_mutated_files_are_refused() -> None:
    refused = 0
    for seed in range(200):
        mutator = Mutator(Random(seed))
        refused += isinstance(result_or_error(read, encode_json(mutator.tree(documents()["bakery"]))), InputError)
    assert 100 < refused < 190


def test_mutation_is_deterministic_and_leaves_the_original_unchanged() -> None:
    before = json.dumps(documents()["bakery"])
    first, second = ([Mutator(Random(k)).tree(documents()["bakery"]) for k in range(50)] for _ in range(2))
    assert json.dumps(documents()["bakery"]) == before
    assert first == second
    assert sum(changed != documents()["bakery"] for changed in first) > 40


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_foreign_files_are_refused_with_their_path(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(HOSTILE_FILES[name])
    with pytest.raises(InputError) as caught:
        catalog.read_problems(str(path))
    assert re.match(rf"{re.escape(str(path))}(, line \d+)?: ", str(caught.value))
    assert len(str(caught.value)) < 1_000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(("format", "version", "name", "tasks", "actions", "after", "uses", "")),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    )
)
def test_random_json_is_refused(value: Any) -> None:
    assert isinstance(result_or_error(instance_from_document, value, "file"), InputError)


@pytest.mark.parametrize("flood", sample([one for one in FLOODS if one != "1 1\n"], 10))  # that one is job shops
def test_floods_are_refused(tmp_path: Path, flood: str) -> None:
    path = tmp_path / "file"
    path.write_bytes((flood * (1_000_000 // len(flood))).encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError):
        catalog.read_problems(str(path))


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a loop of links", "a device", "nothing"])
def test_irregular_files_are_refused_without_blocking(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    match kind:
        case "a pipe":
            os.mkfifo(path)
        case "a folder":
            path.mkdir()
        case "a loop of links":
            path.symlink_to(path)
        case "a device":
            path = Path("/dev/zero")
    with pytest.raises(InputError, match="cannot be read: "):
        read_bytes(path)
    assert not catalog.is_file(str(path))


# --- limits ---------------------------------------------------------------------------------------

LIMITED = {
    "actions": document(*chain(validation.MAX_ACTIONS + 1)),
    "tasks": document() | {"tasks": [{"name": str(k), "actions": []} for k in range(3 * validation.MAX_ACTIONS)]},
    "time lags": document({"name": "a", "duration": 1, "after": ["b"] * (validation.MAX_LAGS + 1)}),
    "resources": document(*chain(2), resources=[{"name": str(k)} for k in range(validation.MAX_RESOURCES + 1)]),
    "agents": document(*chain(2), agents=[str(k) for k in range(validation.MAX_AGENTS + 1)]),
    "modes": document({"name": "a", "duration": 1, "modes": [{}] * (validation.MAX_MODES + 1)}),
    "names": document({"name": "a" * validation.MAX_NAME, "duration": 1}),
    "ticks": document({"name": "a", "duration": 10**15}),
}


@pytest.mark.slow
@pytest.mark.parametrize("subject", LIMITED)
def test_too_large_instance_is_refused_with_the_limit(subject: str) -> None:
    with pytest.raises(InputError, match=r"at most \d+|between 0 and \d+"):
        instance_from_document(LIMITED[subject], "file")


def test_too_many_lists_and_objects_are_refused() -> None:
    with pytest.raises(InputError, match=str(MAX_CONTAINERS)):
        load_json("[" + "[]," * MAX_CONTAINERS + "0]", "file")


@pytest.mark.slow
def test_error_for_the_longest_cycle_is_short() -> None:
    with pytest.raises(InputError, match="form a cycle") as caught:
        instance_from_document(document(*chain(validation.MAX_ACTIONS, circular=True)), "file")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("field", ["agents", "resources"])
def test_error_for_an_unknown_name_is_short(field: str) -> None:
    names = [f"{k:0500}" for k in range(500)]
    use = {"agents": ["x"]} if field == "agents" else {"uses": [{"resource": "x"}]}
    listed = names if field == "agents" else [{"name": name} for name in names]
    with pytest.raises(InputError, match=f"must be one of 500 {field}") as caught:
        instance_from_document(document({"name": "a", "duration": 1} | use, **{field: listed}), "file")
    assert len(str(caught.value)) < 3_000


@pytest.mark.slow
def test_largest_instances_are_written_and_replayed_in_linear_time() -> None:
    """Prevent a quadratic search, which took half a minute for ten thousand tasks."""
    count = validation.MAX_ACTIONS
    tasks = [{"name": f"t{k}", "actions": [{"name": "0", "duration": 1}]} for k in range(count)]
    many = document() | {"benchmark": "recipe2plan", "tasks": tasks}
    one = document(*chain(count)) | {"benchmark": "recipe2plan"}
    for large in (many, one):
        instance = instance_from_document(large, "file")
        written = to_document(instance)
        assert len(written["tasks"]) == len(large["tasks"])
        verdict = registry.of(instance).run(instance, "Step(0, t0, 1 sec, 0)").verdict
        assert len(verdict.remaining) >= count - 1


# --- plans ----------------------------------------------------------------------------------------


def refereed(instance: Instance, plan: Any) -> Replay:
    assert instance.benchmark == "generic"
    return registry.of(instance).run(instance, {"plan": plan}).verdict


def test_plan_with_too_large_numbers_is_refused_with_the_limit() -> None:
    piece = {"action": "tea/fill", "start": 0, "duration": 1, "agent": None}
    with pytest.raises(PlanError, match=str(MAX_TIME)):
        refereed(TEA, [piece | {"start": MAX_TIME + 1}])
    for key in ("start", "duration", "mode"):
        with pytest.raises(PlanError, match=str(MAX_TIME)):
            refereed(TEA, [piece | {key: 10**4000}])


OVEN = instance_from_document(
    document(
        {"name": "heat", "duration": 3, "uses": [{"resource": "oven", "sets": "hot"}]},
        {"name": "bake", "duration": 3, "attended": 0, "uses": [{"resource": "oven", "requires": "hot"}]},
        resources=[{"name": "oven"}],
    ),
    "oven",
)


@pytest.mark.slow
@pytest.mark.parametrize("spread", sample([0, 1, 7], 3))
def test_largest_plans_are_validated_quickly(spread: int) -> None:
    """Prevent comparisons of all pairs and triples of simultaneous pieces."""
    plan = [
        {"action": ("t/heat", "t/bake")[k % 2], "start": spread * k, "duration": 3, "agent": "agent"}
        for k in range(MAX_PIECES)
    ]
    run = refereed(OVEN, plan)
    assert len(run.violations) == (4 if spread == 7 else MAX_VIOLATIONS)  # with a spread of 7 the uses do not overlap
    assert not run.success
