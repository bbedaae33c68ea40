"""A user's domain: the benchmark's with a toaster, salt and spreads, and a kitchen in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.kitchens.domain import bundled
from planoracle.instances.benchmarks.kitchens.domain_files import domain_document


def literal(text: str) -> dict[str, Any]:
    """Return ``loc p1 s1`` or ``not ison s1`` as an entry of a domain file."""
    words = text.split()
    is_true = words[0] != "not"
    predicate, *params = words if is_true else words[1:]
    return {"predicate": predicate, "params": params, "is_true": is_true}


def literals(text: str) -> list[dict[str, Any]]:
    return [literal(part) for part in text.split(", ") if part]


def predicate(name: str, sentence: str, *types: str) -> dict[str, Any]:
    return {"name": name, "param_types": list(types), "language_descriptors": {"0": sentence}}


def effect(kind: str, param: str, fx: str = "", *inner: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": kind, "param": param, "fx": literals(fx), "sfx": list(inner), **more}


def action(name: str, text: str, precons: str, fx: str = "", *effects: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "precons": literals(precons),
        "immediate_fx": literals(fx),
        "sfx": list(effects),
        "language_description": text,
    }


def domain(**more: Any) -> dict[str, Any]:
    """Return the document of the domain, with other fields."""
    document = domain_document(bundled())
    document["predicate_defs"] += [
        predicate("istoaster", "{0} is a toaster", "station"),
        predicate("ison", "{0} is switched on", "station"),
        predicate("issalt", "{0} is a salt shaker", "item"),
        predicate("istoastable", "{0} can be toasted", "item"),
        predicate("istoasted", "{0} is toasted", "item"),
        predicate("issalted", "{0} is salted", "item"),
        predicate("spread_on", "{0} is spread on {1}", "item", "item"),
    ]
    toasted = effect("delayed", "i1", "istoasted i1, not istoastable i1")
    document["action_defs"] += [
        action("switch-on", "Switch on {s1} using {p1}", "istoaster s1, not ison s1, loc p1 s1", "ison s1"),
        action(
            "toast",
            "Toast {i1} on {s1} using {p1}",
            "istoaster s1, ison s1, istoastable i1, item_on i1 s1, loc p1 s1, clear i1, nothing p1",
            "",
            effect("conditional", "i1", "", toasted, conditions=literals("item_on i1 s1")),
        ),
        action(
            "salt",
            "{p1} salts {i2} with {i1}",
            "issalt i1, has_item p1 i1, loc p1 s1, item_at i2 s1, clear i2",
            "",
            effect("repetitive", "i2", "issalted i2"),
        ),
        action(
            "spread",
            "Spread {i1} on {i2} using {p1}",
            "ischeese i1, has_item p1 i1, loc p1 s1, item_at i2 s1, istoasted i2",
            "spread_on i1 i2, nothing p1, not has_item p1 i1",
        ),
    ]
    return document | more


def kitchen(**more: Any) -> dict[str, Any]:
    """Return a file of the simulator in this domain, with other fields."""
    stations = [{"name": name, "x": x, "y": 1} for x, name in enumerate(("table", "toaster", "table", "table"))]
    items = [
        {"name": "bread", "x": 0, "y": 1, "stack-level": 0, "predicates": ["istoastable"]},
        {"name": "cheese", "x": 2, "y": 1, "stack-level": 0},
        {"name": "salt", "x": 3, "y": 1, "stack-level": 0},
    ]
    goal = (("istoasted", ["bread"], [1]), ("issalted", ["bread"], [1]), ("spread_on", ["cheese", "bread"], [2, 1]))
    return {
        "domain": "domain/toast.json",
        "width": 5,
        "height": 5,
        "config": {"toast_time": {"default": 2}, "num_salts": {"bread": 2, "default": 3}},
        "stations": stations,
        "items": items,
        "players": [{"name": "robot", "x": 0, "y": 0, "direction": [0, 1]}],
        "goal_description": "Salted cheese toast",
        "goal": [{"predicate": name, "args": args, "ids": ids} for name, args, ids in goal],
    } | more


def write(folder: Path, document: dict[str, Any] | None = None, **more: Any) -> Path:
    """Write the kitchen and its domain to a folder; return the file of the kitchen."""
    (folder / "domain").mkdir(exist_ok=True)
    (folder / "domain" / "toast.json").write_text(json.dumps(domain() if document is None else document))
    path = folder / "toast.json"
    path.write_text(json.dumps(kitchen(**more)))
    return path


#: The plan with the fewest steps: toasting takes three steps with its own, bread is salted twice.
PLAN = """Pick up bread1 from table1 using robot1
Move robot1 from table1 to toaster1
Switch on toaster1 using robot1
Place bread1 on toaster1 using robot1
Toast bread1 on toaster1 using robot1
Move robot1 from toaster1 to table2
Pick up cheese1 from table2 using robot1
Move robot1 from table2 to toaster1
Spread cheese1 on bread1 using robot1
Move robot1 from toaster1 to table3
Pick up salt1 from table3 using robot1
Move robot1 from table3 to toaster1
robot1 salts bread1 with salt1
robot1 salts bread1 with salt1""".splitlines()
