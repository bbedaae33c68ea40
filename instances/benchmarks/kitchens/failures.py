"""Failure classes of Robotouille (section 4.2.3, appendix A.9), as far as a trace decides."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen, State
from planoracle.instances.benchmarks.kitchens.kitchen import Atom, casts, unify
from planoracle.instances.benchmarks.kitchens.language import match
from planoracle.instances.benchmarks.kitchens.reasoning import false_statements
from planoracle.instances.benchmarks.kitchens.simulation import Refusal, StepRecord

#: ``success``; ``transition``: an action broke a rule, and the run never recovered or ran out of steps after it
#: recovered; ``action``: the same with a text that is no action of the kitchen; ``goal``: the run stopped short of the
#: goal, or had done something wrong when its steps were over; ``state``: the same with an unprepared ingredient that
#: the reasoning called prepared; ``budget``: its steps were over, or too many.
FailureClass = Literal["success", "transition", "action", "goal", "state", "budget"]
FAILURES: tuple[FailureClass, ...] = get_args(FailureClass)

#: What is wrong with a goal that is not reached: an ingredient not prepared, a stack in the wrong order or with
#: something on top, a thing not at its place, or nothing there at all (nowhere, or not added to anything).
LackKind = Literal["unprepared", "wrong_stack", "wrong_place", "missing"]

#: Which rule an action broke.
Cause = Literal["unknown", "turn", "hands", "one_item_at_station", "not_there", "position", "occupied", "not_possible"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

#: Branches after which the search for the best cast of a goal ends with its incumbent.
MAX_BRANCHES = 10_000

# Causes by the conditions of actions that do not hold, the most important first.
_BROKEN: tuple[tuple[set[str], Cause], ...] = (
    ({"nothing", "has_item", "has_container"}, "hands"),
    ({"station_empty", "clear", "container_empty"}, "one_item_at_station"),
    ({"item_on", "item_at", "container_at", "atop", "in"}, "not_there"),
    ({"loc"}, "position"),
    ({"vacant"}, "occupied"),
)


class Lack(NamedTuple):
    """Unmet condition of the goal, for the objects that meet most conditions.

    ``is_own_doing``: the run caused it, by placing an unprepared thing or by stacking wrong things.
    """

    kind: LackKind
    condition: Atom
    objects: Atom
    is_own_doing: bool


class Mistake(NamedTuple):
    """Mistakes of a run: actions of one kind at stations of one kind that broke a rule (A.12).

    Attributes
    ----------
    recovered
        True if the run recovered from a mistake, see `failure`.
    repeated
        True if it made that mistake again after the recovery; ``None`` without recovery.
    """

    recovered: bool
    repeated: bool | None


@dataclass(frozen=True, slots=True)
class Failure:
    """Class and cause of a failed run.

    Attributes
    ----------
    kind
        One of `FAILURES`.
    cause
        Broken rule of a ``transition`` or ``action``, one of `CAUSES`.
    position
        For these two kinds: position of the refused action in the list.
    lacks
        Missing or wrong parts of the goal at the end; empty if the goal was reached.
    recovered
        Refused actions from which the run recovered.
    mistake
        Recovery from mistakes of a ``transition``, and their repetition; ``None`` for other classes.
    """

    kind: FailureClass
    cause: Cause | None
    position: int | None
    lacks: tuple[Lack, ...]
    recovered: int
    mistake: Mistake | None = None


def failure(run: StepRecord, limit: int | None = None, messages: Sequence[str] = ()) -> Failure:
    """Classify a run by its actions, the step limit of a success, and the text before each action.

    By the order of the paper (A.9, "Prioritising Failure Modes"): a run that reached the goal is a ``success``, or
    ``budget`` if beyond the limit. A run that never recovered from a refused action is ``action`` if that was no action
    of the kitchen (Listing 2), else ``transition``, however often it was repeated (Listing 3). It *recovered* if later
    the same action was carried out, or more of the goal's conditions held at once than ever before (A.9: "unable to
    ultimately make any progress"). Any other run is ``goal``, unless its steps were over and nothing of what is wrong
    is of its own doing (`Lack.is_own_doing`). Such a run is ``transition`` if it recovered from a broken rule, which
    took the steps (A.12), else ``budget``.

    The paper's *state* failures, a misread description, are in the agent's reasoning. A goal failure is ``state`` if an
    ingredient was used unprepared and a text before an action states that it "is already" prepared (A.9, Listing 1);
    other misreadings come out as one of the other classes. *Bad starts* and other origins of a goal failure are not
    decided.
    """
    if run.success:
        late = limit is not None and run.steps_taken > limit
        return Failure("budget" if late else "success", None, None, (), len(run.refusals))
    wrong = lacks(run.rules, run.states[-1])
    recoveries = _recoveries(run)
    unrecovered = [refusal for refusal in run.refusals if recoveries[refusal.position] is None]
    recovered = len(run.refusals) - len(unrecovered)
    over = run.end == "limit" or (limit is not None and run.steps_taken >= limit)
    is_spent = over and not any(lack.is_own_doing for lack in wrong)
    broken = [refusal for refusal in run.refusals if _cause(run, refusal) != "unknown"]
    if unrecovered or (is_spent and broken):
        refusal = unrecovered[-1] if unrecovered else broken[-1]
        cause = _cause(run, refusal)
        if cause == "unknown":
            return Failure("action", cause, refusal.position, wrong, recovered)
        mistake = _mistake(run, recoveries)
        return Failure("transition", cause, refusal.position, wrong, recovered, mistake)
    if is_spent:
        return Failure("budget", None, None, wrong, recovered)
    unprepared = {lack.objects for lack in wrong if lack.kind == "unprepared" and lack.is_own_doing}
    is_misread = not unprepared.isdisjoint(false_statements(run, messages))
    return Failure("state" if is_misread else "goal", None, None, wrong, recovered)


def _recoveries(run: StepRecord) -> dict[int, int | None]:
    """Return by the position of each refused action the step that recovered from it, ``None`` without one."""
    if not run.refusals:
        return {}
    # Only what the goal speaks of matters: most steps change nothing of that.
    keys = [run.rules.relevant(state) for state in run.states]
    state_of_key = dict(zip(keys, run.states, strict=True))
    counts = {key: _best_cast(run.rules, state)[0] for key, state in state_of_key.items()}
    max_counts = list(accumulate((counts[key] for key in keys), max))
    legal_positions: dict[str, list[int]] = {}
    for position, step in enumerate(run.steps):
        if step.valid:
            legal_positions.setdefault(step.action, []).append(position)
    recoveries: dict[int, int | None] = {}
    for refusal in run.refusals:
        position = refusal.position
        same_action = legal_positions.get(run.steps[position].action, [])
        later = same_action[bisect(same_action, position) :][:1]
        # The state after the first step that meets more conditions than were ever met before.
        progress = bisect(max_counts, max_counts[position])
        if progress < len(max_counts):
            later.append(progress - 1)
        recoveries[position] = min(later, default=None)
    return recoveries


def _mistake(run: StepRecord, recoveries: Mapping[int, int | None]) -> Mistake:
    """Return whether a run recovered from a broken rule, and repeated that mistake later."""
    first_recoveries: dict[tuple[str, ...], int] = {}
    is_repeated = False
    for refusal in run.refusals:
        if _cause(run, refusal) == "unknown":
            continue
        mistake, position = _action_and_stations(run, refusal), refusal.position
        if first_recoveries.get(mistake, position) < position:
            is_repeated = True
        recovery = recoveries[position]
        if recovery is not None:
            first_recoveries.setdefault(mistake, recovery)
    return Mistake(bool(first_recoveries), is_repeated if first_recoveries else None)


def _action_and_stations(run: StepRecord, refusal: Refusal) -> tuple[str, ...]:
    """Return the kind of a refused action and of its stations; its text if it is none of the domain.

    The station of an action that names none, such as stacking, is that of the player.
    """
    text = run.steps[refusal.position].action
    readings = match(text, run.rules.kitchen.domain)
    if not readings:
        return (text,)
    action, binding = readings[0]
    types = dict(action.params)
    stations = [name for param, name in binding.items() if types[param] == "station"]
    if not stations and "station" in types.values():
        state = run.states[refusal.position]
        player = run.rules.player(state)
        stations = [fact[2] for fact in run.rules.facts(state) if fact[:2] == ("loc", player)]
    return (action.name, *sorted(name.rstrip("0123456789") for name in stations))


def _cause(run: StepRecord, refusal: Refusal) -> Cause:
    """Return the broken rule; the most important one if there are several."""
    if refusal.kind in ("unknown_action", "unknown_object"):
        return "unknown"
    if refusal.kind == "not_your_turn":
        return "turn"
    facts = run.rules.facts(run.states[refusal.position])
    conditions = refusal.message.removeprefix("needs ").split(", ")
    broken = [condition.split() for condition in conditions]
    names = {words[1] if words[0] == "not" else words[0] for words in broken}
    # An item that is at the place, but on something else, is one of several there.
    if any(words[0] == "item_on" and ("item_at", *words[1:]) in facts for words in broken):
        names.add("station_empty")
    for predicates, cause in _BROKEN:
        if names & predicates:
            return cause
    return "not_possible"


def lacks(engine: CompiledKitchen, state: State) -> tuple[Lack, ...]:
    """Return the unmet conditions of the goal, for a cast of its roles with the fewest of them.

    Among equally good casts it is one with the least of the run's own doing; the search is exact but for
    goals with very many ways to cast them.
    """
    facts = engine.facts(state)
    new = facts - engine.facts(engine.start())

    def lacks_of(cast: dict[str, str]) -> tuple[Lack, ...]:
        return _lacks(engine, facts, new, cast)

    _, best_cast = _best_cast(engine, state, lacks_of)
    return lacks_of(best_cast)


def _lacks(
    engine: CompiledKitchen, facts: frozenset[Atom], new: frozenset[Atom], cast: dict[str, str]
) -> tuple[Lack, ...]:
    """Return the unmet conditions for a cast; ``new`` are the facts that were not true at the start."""
    conditions = engine.kitchen.goal.conditions
    atoms = [tuple(cast.get(part, part) for part in condition) for condition in conditions]
    placed = {atom[1] for atom in atoms if len(atom) > 2 and atom in new}
    unmet = []
    for condition, atom in zip(conditions, atoms, strict=True):
        if atom in facts:
            continue
        kind = _kind(atom, facts)
        thing = atom[1]
        if kind == "wrong_stack":
            place = 2 if atom[0] == "clear" else 1
            is_own_doing = any(fact[0] == "atop" and thing == fact[place] for fact in new)
        else:
            is_own_doing = kind == "unprepared" and thing in placed
        unmet.append(Lack(kind, condition, atom, is_own_doing))
    return tuple(unmet)


def _kind(atom: Atom, facts: frozenset[Atom]) -> LackKind:
    """Return the kind of an unmet condition."""
    predicate, thing, *locations = atom
    if predicate == "clear":
        is_covered = any(fact[0] == "atop" and fact[2] == thing for fact in facts)
        return "wrong_stack" if is_covered else "wrong_place"
    if not locations:
        return "unprepared"
    if predicate in ("addedto", "in"):
        is_elsewhere = any(fact[0] == predicate and fact[1] == thing for fact in facts)
        return "wrong_place" if is_elsewhere else "missing"
    if predicate not in ("atop", "item_on", "item_at"):
        return "wrong_place"
    stations = {fact[2] for fact in facts if fact[0] == "item_at" and fact[1] == thing}
    if not stations and not any(fact[0] == "has_item" and fact[2] == thing for fact in facts):
        return "missing"
    if predicate == "item_on" and locations[0] in stations:
        return "wrong_stack"
    if predicate == "atop" and any(("item_at", locations[0], station) in facts for station in stations):
        return "wrong_stack"
    return "wrong_place"


def _best_cast(
    engine: CompiledKitchen, state: State, lacking: Callable[[dict[str, str]], tuple[Lack, ...]] | None = None
) -> tuple[int, dict[str, str]]:
    """Return objects for the roles of the goal so that as many conditions as possible hold, and how many.

    Among equals, one that gives the run the least blame (see `_blame`), if ``lacking`` is given.
    """
    options = [(condition, atoms) for condition, atoms in engine.met(state) if atoms]
    # What says where a dish is comes first, then what is about a single object.
    options.sort(key=_search_order)
    rows = [casts(condition, atoms) for condition, atoms in options]
    best: tuple[int, int, dict[str, str]] = (-1, 0, {})
    branches = 0

    def extend(cast: dict[str, str], at: int, met: int) -> None:
        nonlocal best, branches
        branches += 1
        upper_bound = met + len(rows) - at
        if upper_bound < best[0] or (upper_bound == best[0] and not best[1]) or branches > MAX_BRANCHES:
            return
        if at == len(rows):
            for full in _completions(engine, cast):
                branches += 1
                blame = 0 if lacking is None else _blame(lacking(full))
                if met > best[0] or blame < best[1]:
                    best = (met, blame, full)
                if not blame or branches > MAX_BRANCHES:
                    return
            return
        roles, options_of_roles = rows[at]
        for names in options_of_roles:
            joined = unify(cast, roles, names)
            if joined is not None:
                extend(joined, at + 1, met + 1)
                if joined == cast:
                    return  # it holds anyway
        extend(cast, at + 1, met)

    extend({}, 0, 0)
    return best[0], best[2]


def _search_order(option: tuple[Atom, Sequence[Atom]]) -> tuple[bool, int]:
    """Return the sort key of a condition of the goal and its atoms that hold."""
    condition, atoms = option
    return len(condition) == 2, len(atoms)


def _blame(unmet: tuple[Lack, ...]) -> int:
    """Return a rank of a run's faults: its own doing counts most, then stacks."""
    return sum((100 if lack.is_own_doing else 0) + (lack.kind == "wrong_stack") for lack in unmet)


def _completions(engine: CompiledKitchen, cast: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield casts with objects for all other roles; a role without a remaining object stands for itself."""
    role = next((role for role in engine.kitchen.goal.roles if role not in cast), None)
    if role is None:
        yield cast
        return
    used = set(cast.values())
    names = [name for name in engine.kitchen.candidates[role] if name not in used]
    for name in names or [role]:
        yield from _completions(engine, cast | {role: name})
