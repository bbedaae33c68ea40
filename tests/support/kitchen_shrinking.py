"""Shrinking of a case for the kitchen planner to a smallest one with the same fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from planoracle.instances.errors import InputError
from tests.support.kitchen_cases import Case
from tests.support.state_graph import TooManyStatesError


def shrink(case: Case, fault: Callable[[Case], str]) -> Case:
    """Return a smaller case with a fault, from which nothing can be left out.

    Parameters
    ----------
    fault
        Return what is wrong with a case, ``""`` if nothing is.
    """
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        smaller = next((each for each in _smaller(case) if _faulty(each, fault)), None)
    return case


def _faulty(case: Case, fault: Callable[[Case], str]) -> bool:
    try:
        return bool(fault(case))
    except (InputError, TooManyStatesError):
        return False


def _smaller(case: Case) -> Iterator[Case]:
    """Yield the cases in which one thing is left out or as usual."""
    for place in range(len(case.after)):
        yield replace(case, after=case.after[:place])
        yield replace(case, after=case.after[:place] + case.after[place + 1 :])
    if "moves" in case.rules:
        yield replace(case, rules={"profile": case.rules["profile"]})
    if case.rules["profile"] != "paper":
        yield replace(case, rules=case.rules | {"profile": "paper"})
    for action in case.counts:
        yield replace(case, counts={each: count for each, count in case.counts.items() if each != action})
    for document in _smaller_documents(case.kitchen):
        yield replace(case, kitchen=document)


def _smaller_documents(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the documents without one object, condition, role, fact or trait."""
    names = {*document["stations"], *document["players"], *document.get("elsewhere", ())}
    names.update(thing for things in document["stations"].values() for thing in things)
    names.update(entry["holds"] for entry in document["players"].values() if "holds" in entry)
    names.update(meal for meals in document.get("containers", {}).values() for meal in meals)
    for name in sorted(names):
        yield _without(document, name)
    for key in ("goal", "roles", "more", "less"):
        for place in range(len(document.get(key, ()))):
            found = deepcopy(document)
            del found[key][place]
            yield found
    for name, traits in document.get("traits", {}).items():
        for trait in traits:
            found = deepcopy(document)
            found["traits"][name].remove(trait)
            yield found


def _without(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a document without an object, and without the conditions that name it."""
    found = deepcopy(document)
    for key in ("stations", "containers"):
        found[key] = {
            each: [thing for thing in things if thing != name]
            for each, things in document.get(key, {}).items()
            if each != name
        }
    found["players"] = {
        player: {key: value for key, value in entry.items() if key != "holds" or value != name}
        for player, entry in document["players"].items()
        if player != name
    }
    found["elsewhere"] = [each for each in document.get("elsewhere", ()) if each != name]
    found["traits"] = {each: traits for each, traits in document.get("traits", {}).items() if each != name and traits}
    for key in ("more", "less"):
        found[key] = [fact for fact in document.get(key, ()) if name not in fact]
    found["goal"] = [condition for condition in document["goal"] if name not in condition]
    return found
