"""AsyncTool: mutated transcripts, messages, calls and delays, and files of problems."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asynctool import messages
from support.hostile_inputs import encode_json
from support.mutations import Mutator, result_or_error
from support.samples import examples
from support.valid_inputs import documents

from planoracle.analysis.diagnosis.critique import critique
from planoracle.instances.benchmarks.asynctool import problems
from planoracle.instances.benchmarks.asynctool.language import read_message
from planoracle.instances.benchmarks.asynctool.problem_model import parse_call, problem_of
from planoracle.instances.errors import InputError, PlanError
from planoracle.instances.files.catalog import load
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance

SEEDS = st.integers(0, 2**32 - 1)
NAME = "asynctool/files_1+text_2"
PROBLEM = problem_of(load(NAME))
CALL = {"id": "files_1", "func_name": "make_folder", "params": {"name": "a"}}


@given(st.text(alphabet="f(a=1,'b':{}[]-.0e\\)j\n", max_size=60))
def test_random_call_text_is_read_or_refused(text: str) -> None:
    result = result_or_error(parse_call, text)
    if not isinstance(result, InputError):
        assert parse_call(str(result)).key == result.key


def test_text_with_many_broken_objects_is_refused() -> None:
    """Prevent silent partial reading, and seconds of work per megabyte."""
    text = '{"content": "WAIT"}' + '{"' * 150_000 + '{"content": "ALL COMPLETED"}'
    with pytest.raises(PlanError, match="too many incomplete JSON objects"):
        messages(text)
    assert read_message(text[19:100_000]).kind == "unreadable"
    assert messages('{"content": "WAIT"}\n' * 3_000 + "{'single': 'quotes'}" * 3_000) == [{"content": "WAIT"}] * 3_000


def test_critique_lists_thousands_of_premature_calls() -> None:
    plan = [CALL | {"params": {"name": f"a{k}"}} for k in range(3_000)]
    report = critique(load(NAME), {"plan": plan}, regret=False)
    early = [fault for section in report.sections for fault in section.findings if fault.violation.kind == "premature"]
    assert len(early) > 2_900
    assert all(fault.excess == 1 for fault in early)


# --- files ----------------------------------------------------------------------------------------


def read(data: bytes) -> list[Instance]:
    return problems.read(load_json(data, "file"), "file")


@examples(300)
@given(SEEDS)
def test_mutated_files_are_read_or_refused(seed: int) -> None:
    mutator = Mutator(Random(seed), list(documents().values()))
    data = encode_json(mutator.times(mutator.tree, documents()["asynctool"]))
    document = result_or_error(load_json, data, "file")
    if not problems.recognises(document):
        return
    result = result_or_error(read, data)
    if isinstance(result, InputError):
        assert result.source == "file"
    else:
        for one in result:
            written = problems.to_document(problem_of(one))
            assert problems.to_document(problem_of(*problems.read(written, "again"))) == written


def many(count: int) -> list[dict[str, Any]]:
    return [{"id": f"a{k}", "ground_truth": ["f(a=1)"]} for k in range(count)]


@pytest.mark.parametrize(
    "content",
    [
        {"name": "n", "tasks": many(problems.MAX_TASKS + 1)},
        {"name": "n", "tasks": [{"id": "a", "ground_truth": ["f(a=1)"] * (problems.MAX_CALLS + 1)}]},
        {"problems": [{"name": f"{k}", "tasks": many(1)} for k in range(problems.MAX_PROBLEMS + 1)]},
    ],
    ids=["tasks", "calls", "problems"],
)
def test_too_large_files_are_refused_with_the_limit(content: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="at most"):
        problems.read({"format": problems.FORMAT, "version": 1} | content, "file")
