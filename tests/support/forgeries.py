"""Forged certificates: documents whose claims are raised, with one lie and otherwise right sums."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

#: Documents as parsed from JSON: certificates, steps, hops.
Row = dict[str, Any]


def raised(document: Row, bound: int) -> Row:
    """Return a certificate that claims another bound wherever it claims one, and no schedule."""
    claim = deepcopy(document) | {"bound": bound, "makespan": None, "gap": None, "schedule": None}
    if claim["supposed"] is not None:
        claim["supposed"] = bound - 1
    complete(claim)
    return claim


def forged(document: Row, bound: int, random: Random) -> Row:
    """Return a certificate of a bound with one lie, whose sums are right again."""
    claim = raised(document, bound)
    step = random.choice(list(steps_of(claim["steps"])))
    excess = bound - document["bound"] + random.choice((0, 0, 1))
    _LIES[step["link"]](step, max(1, excess), random)
    complete(claim)
    return claim


def steps_of(steps: list[Row]) -> Iterator[Row]:
    """Yield all steps, those of cases before the split."""
    for step in steps:
        for case in step.get("cases", ()):
            yield from steps_of(case["steps"])
        yield step


def complete(claim: Row) -> None:
    """Add up the sums of all steps again, in the order in which they build on each other."""
    results: dict[int, int] = {}
    _complete(claim["steps"], claim["supposed"], results)
    for number, step in enumerate(_in_order(claim["steps"]), 1):
        step["number"] = number


def _in_order(steps: list[Row]) -> Iterator[Row]:
    for step in steps:
        yield step
        for case in step.get("cases", ()):
            yield from _in_order(case["steps"])


def _complete(steps: list[Row], supposed: int | None, results: dict[int, int]) -> None:
    for step in steps:
        for hop in hops_of(step):
            if hop["why"] == "line":
                hop["ticks"] = results.get(hop["line"], hop["ticks"])
            elif hop["why"] == "supposition":
                hop["ticks"] = -(supposed or 0)
        if step["link"] == "path":
            step["ticks"] = sum(hop["ticks"] for hop in step["hops"])
        elif step["link"] == "load":
            results[step["number"]] = _complete_load(step)
        elif step["link"] == "order":
            results[step["number"]] = step["held"]["ticks"]
        for case in step.get("cases", ()):
            _complete(case["steps"], supposed, results)


def _complete_load(step: Row) -> int:
    """Add up a load, in the way in which its sum was larger; return its ticks."""
    members = step["members"]
    ticks = sorted(member["ticks"] for member in members)
    needed = -(-sum(ticks) // step["capacity"])
    if step["in_turn"]:
        needed = max(needed, sum(ticks[: -(-len(ticks) // step["capacity"])]))
    if members and all(member["before"] for member in members):
        step["first"] = max(step["first"], min(map(_sum_before, members)))
    if members and all(member["after"] for member in members):
        step["rest"] = max(step["rest"], min(map(_sum_after, members)))
    step |= {"work": sum(ticks), "needed": needed, "ticks": step["first"] + needed + step["rest"]}
    return int(step["ticks"])


def _sum_before(member: Row) -> int:
    return sum(hop["ticks"] for hop in member["before"])


def _sum_after(member: Row) -> int:
    return sum(hop["ticks"] for hop in member["after"])


def hops_of(step: Row) -> list[Row]:
    """Return the hops on which a step rests."""
    hops = [*step.get("hops", ()), *step.get("against", ())]
    for member in step.get("members", ()):
        hops += [*member["before"], *member["after"]]
    return hops


def _lie_of_hop(step: Row, excess: int, random: Random) -> None:
    """Lengthen a hop, change its reason or direction, or leave it out."""
    hops = hops_of(step)
    if not hops:
        return
    hop = random.choice(hops)
    lie = random.choice(("ticks", "ticks", "ticks", "reason", "turn", "repeat"))
    if lie == "ticks":
        hop["ticks"] += excess
        if hop["why"] in ("line", "supposition"):
            hop |= {"why": random.choice(("lag", "duration", "case")), "line": None}
    elif lie == "reason":
        hop |= {"why": random.choice(("case", "lag", "window", "duration", "attended", "order")), "line": None}
        hop["ticks"] += excess
    elif lie == "turn":
        hop |= {"from": hop["to"], "to": hop["from"], "ticks": -hop["ticks"]}
    else:
        lists = [step.get("hops", []), step.get("against", [])]
        chosen = random.choice([entries for entries in lists if entries] or [hops])
        chosen += deepcopy(chosen)


def _lie_of_load(step: Row, excess: int, random: Random) -> None:
    """Lengthen, repeat or exchange a member, or change the capacity or the sharing of a load."""
    member = random.choice(step["members"])
    lie = random.choice(
        ("ticks", "repeat", "capacity", "in_turn", "machine", "hop", "first", "rest", "path", "exchange")
    )
    if lie in ("first", "rest"):
        step[lie] += excess
    elif lie in ("path", "exchange"):
        side, distance = random.choice((("before", "first"), ("after", "rest")))
        member[side] = [] if lie == "path" else deepcopy(random.choice(step["members"])[side])
        step[distance] += excess
    elif lie == "ticks":
        member["ticks"] += excess * step["capacity"]
    elif lie == "repeat":
        step["members"].append(deepcopy(member))
    elif lie == "capacity":
        step["capacity"] = max(1, step["capacity"] - 1)
        member["ticks"] += excess * (step["capacity"] == 1)
    elif lie == "in_turn":
        step["in_turn"] = not step["in_turn"]
        member["ticks"] += excess
    elif lie == "machine":
        step["machine"] = "resource" if step["machine"] == "agents" else "agents"
        member["ticks"] += excess
    else:
        _lie_of_hop(step, excess, random)


def _lie_of_order(step: Row, excess: int, random: Random) -> None:
    """Exchange the two ways, lengthen the one that holds, or lie about the path against the other."""
    lie = random.choice(("exchange", "held", "excluded", "kind", "hop"))
    if lie == "exchange":
        step["held"], step["excluded"] = step["excluded"], step["held"]
    elif lie == "kind":
        step["kind"] = random.choice(("agent", "start", "resource", "state", "mode", "modes"))
        step["held"]["ticks"] += excess
    elif lie == "hop":
        _lie_of_hop(step, excess, random)
    else:
        step[lie]["ticks"] += excess


def _lie_of_split(step: Row, excess: int, random: Random) -> None:
    """Leave out or repeat a case, or lengthen what it assumes."""
    lie = random.choice(("omit", "repeat", "assumed"))
    if lie == "omit":
        step["cases"].pop(random.randrange(2))
    elif lie == "repeat":
        step["cases"][0] = deepcopy(step["cases"][1])
    else:
        random.choice(step["cases"])["assumed"]["ticks"] += excess


_LIES = {"path": _lie_of_hop, "load": _lie_of_load, "order": _lie_of_order, "split": _lie_of_split}
