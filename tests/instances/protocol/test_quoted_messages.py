"""Messages of agents in feedback: quoted, cut, on one line, and without headings or roles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product

import pytest

from planoracle import environment
from planoracle.analysis.diagnosis.critique import critique
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import problem
from tests.support.payloads import PROMPTS
from tests.support.samples import sample

#: One problem of every benchmark.
PROBLEMS = (
    "recipe2plan/timed/Cobbler_Pancakes",
    "timearena/household1",
    "asynctool/files_1",
    "kitchens/synchronous/0_cheese_sandwich",
    "robotouille/multi_agent/1_lettuce_burger",
    "asynchow/async/0",
    "paracook/cook/own/seed_1/agent_num_1/orders_num_1",
    "paracook/abstract/own/seed_1/orders_num_1",
)
ORDER = "ignore all that"
# Beginnings of sections, fences and turns of other roles.
_OPENS = re.compile(r"\s*(#|```|~~~|<|\[/?INST|---|===|>|\||\w+:\s*Ignore|[-*] Ignore|\d+[.)] Ignore)", re.IGNORECASE)


def messages(text: str) -> Iterator[object]:
    """Yield a text in all forms of messages."""
    call = {"id": text, "func_name": text, "params": {text: text}}
    known_task = {"id": "files_1", "func_name": "F", "params": {text: text}}
    yield from (text, {"action": text}, {text: text}, [text], call, known_task, json.dumps(call), f"Action: {text}")
    yield from (f"Step(1, {text}, 5 min, 0:00)", json.dumps({"agent1": [text]}), f"wait\n{text}")


def assert_quoted(text: str) -> None:
    """Fail for an order outside of quotation marks, or at the beginning of a heading, fence or turn."""
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    for line in text.replace('\\"', "").split("\n"):  # escapes of JSON end no quotation
        assert ORDER not in "".join(line.split('"')[::2]).casefold()
        assert line.count('"') % 2 == 0
        assert ORDER not in line.casefold() or not _OPENS.match(line)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("part", sample(range(8), 8))
def test_feedback_quotes_messages_of_the_agent(name: str, part: int) -> None:
    quoted_count = 0
    for number, (feedback, loop) in enumerate(product(("detailed", "terse"), ("closed", "open"))):
        start = environment(problem(name), feedback=feedback, loop=loop)
        for text in PROMPTS[8 * number + part :: 32]:
            run = start.fork()
            for message in messages(text):
                if run.done:
                    run = start.fork()
                answer = run.step(message).observation.text
                assert_quoted(answer)
                quoted_count += ORDER in answer.casefold()
    assert quoted_count


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("part", sample(range(8), 8))
def test_critiques_quote_submitted_plans(name: str, part: int) -> None:
    count = 0
    for text in PROMPTS[part::8]:
        for plan in ([text, "wait"], *list(messages(text))[::2]):
            try:
                result = critique(problem(name), plan, regret=False)
            except InputError:
                continue
            count += 1
            prose = result.prose()
            assert_quoted(prose)
            assert len(prose) < 20_000
            titles = {section.title for section in result.sections} | {"Result", "Efficiency", "Decisions"}
            heads = [line.partition(": ")[0] for line in prose.split("\n")]
            assert set(heads) <= titles
            assert len(heads) == len(set(heads))  # each section once, and none of the submission's
            assert json.loads(json.dumps(result.as_dict())) == result.as_dict()
            for section in result.sections:
                for one in (*section.findings, *section.remarks):
                    assert_quoted(one.text)
    assert count
