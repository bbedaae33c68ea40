"""Tell a certificate in plain words, in the benchmark's names and units, with the arithmetic of every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import action_name, moment, span
from planoracle.solver.proofs.steps import Hop, Load, Order, Path, Proof, Split, Step, Via

_Event = tuple[str, str]
_BEGIN, _END = ("begin", ""), ("end", "")


def tell(instance: Instance, proof: Proof) -> list[str]:
    """Return one line for every step; those of a case are indented.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Instance, Lag
    >>> from planoracle.solver.proofs.certificate import certificate
    >>> boil, chop = Action("t/boil", "t", 9, attended=0), Action("t/chop", "t", 4, attended=4)
    >>> kitchen = Instance("k", (chop, boil), (Lag("t/chop", "t/boil"),))
    >>> tell(kitchen, certificate(kitchen, 13))
    ['(1) t/chop 4 ticks + t/boil 9 ticks = 13 ticks: everything takes at least 13 ticks.']
    """
    teller = _ProofWriter(instance, proof)
    lines = []
    if proof.supposed is not None:
        lines.append(f"Suppose that everything could be done in less than {teller.span(proof.bound)}.")
    lines += teller.steps(proof.steps)
    if proof.supposed is not None:
        lines.append(f"So the supposition is wrong: everything takes at least {teller.span(proof.bound)}.")
    return lines


class _ProofWriter:
    def __init__(self, instance: Instance, proof: Proof) -> None:
        self.instance = instance
        self.proof = proof
        self.agent = "the agent" if len(instance.agents) == 1 else "an agent"

    def name(self, action: str) -> str:
        whole, _, part = action.rpartition("#")  # of what is left of a run, see `planoracle.instances.model.state`
        if whole and NOW in self.instance.by_id and whole in self.instance.by_id:
            return f"part {part} of {action_name(self.instance, whole)}"
        return "what is left" if action == NOW else action_name(self.instance, action)

    def span(self, ticks: int) -> str:
        return span(self.instance, ticks)

    def steps(self, steps: Sequence[Step]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Split):
                yield from self.split(step)
            elif isinstance(step, Path):
                if [hop.why for hop in step.hops] != ["line"]:  # else the line before has said it
                    yield f"({step.number}) {_upper(self.path(step))}"
            else:
                told = self.load(step) if isinstance(step, Load) else self.order(step)
                yield f"({step.number}) {_upper(told)}"

    # --- events and hops -------------------------------------------------------------------------

    def event(self, event: _Event) -> str:
        kind, action = event
        if not action:
            return "the beginning" if kind == "begin" else "the end"
        if kind == "free":
            return f"when {self.agent} is free again after the start of {self.name(action)}"
        return f"the {kind} of {self.name(action)}"

    def fact(self, source: _Event, target: _Event, ticks: int) -> str:
        """Say that an event is at least so many ticks after another."""
        (kind, one), (then, two) = source, target
        long = self.span(abs(ticks))
        if source == _BEGIN and target == _END:
            return f"everything takes at least {long}"
        if source == _BEGIN and two:
            verb = {"start": "start", "finish": "be finished", "free": f"set {self.agent} free"}[then]
            return f"{self.name(two)} cannot {verb} before {moment(self.instance, ticks)}"
        if target == _END and one and ticks >= 0:
            return f"from {self.event(source)} at least {long} pass until the end"
        if target == _BEGIN and one and ticks <= 0:
            verb = {"start": "start", "finish": "be finished", "free": f"set {self.agent} free"}[kind]
            return f"{self.name(one)} must {verb} by {moment(self.instance, -ticks)}"
        if ticks == 0 and kind == "finish" and then == "start":
            return f"{self.name(two)} comes after {self.name(one)}"
        if ticks <= 0:
            late = f"at most {long} after" if ticks else "no later than"
            return f"{self.event(source)} is {late} {self.event(target)}"
        return f"{self.event(target)} is at least {long} after {self.event(source)}"

    def term(self, hop: Hop) -> str:
        """Name one term of a sum."""
        (kind, one), (_, two) = hop.source, hop.target
        long, whole = self.span(hop.ticks), "all of " if kind == "finish" else ""
        if hop.why == "line":
            return f"{long} by ({hop.line})"
        if hop.why == "lag" and one == NOW:
            return f"clock {long}"
        told = {
            "duration": self.name(one),
            "attended": f"what {self.agent} attends of {self.name(one)}",
            "rest": f"the rest of {self.name(one)}",
            "release": f"release of {self.name(two)}",
            "lag": f"wait from {self.name(one)} to {self.name(two)}",
            "window": f"{whole}{self.name(one)} within {self.span(-hop.ticks)} of {self.name(two)}",
            "supposition": "supposed end",
        }
        return f"{told.get(hop.why, f'from {self.event(hop.source)} to {self.event(hop.target)}')} {long}"

    def sum(self, hops: Sequence[Hop]) -> str:
        """Write the terms of a path and their sum; where steps only say in which order things are, name those."""
        terms = [self.term(hop) for hop in _joined(hops) if hop.ticks]
        total = self.span(sum(hop.ticks for hop in hops))
        told = " + ".join(terms) + (f" = {total}" if len(terms) > 1 else "") if terms else total
        silent = [f"({hop.line})" for hop in hops if hop.line and not hop.ticks]
        return f"{told} with {_listed(silent)}" if silent else told

    # --- steps -----------------------------------------------------------------------------------

    def path(self, step: Path) -> str:
        source, target = step.hops[0].source, step.hops[-1].target
        if source == target:
            return f"{self.sum(step.hops)}: {self.event(source)} would come after itself, a contradiction."
        return f"{self.sum(step.hops)}: {self.fact(source, target, step.ticks)}."

    def load(self, step: Load) -> str:
        between = ""
        if (step.source, step.target) != (_BEGIN, _END):
            between = f"from {self.event(step.source)} to {self.event(step.target)} "
        if step.machine == "resource":
            subject = f"the {step.names[0]} must serve"
        elif len(self.instance.agents) == 1:
            subject = "the agent must attend to"
        else:
            subject = f"{_listed(step.names)} must attend to"
        told = f"{between}{subject} " + " + ".join(
            f"{self.name(via.action)} {self.need(step, via)}" for via in step.members
        )
        if step.in_turn and step.capacity > 1:
            told += f". At most {step.capacity} of these {len(step.members)} are under way at a time, so {step.turns} "
            told += f"follow each other; the {step.turns} shortest take {self.span(step.needed)}"
        elif step.in_turn and step.machine == "resource":
            told += f" = {self.span(step.needed)}, no two of which have room at the same time"
        elif len(step.members) > 1:
            told += f" = {self.span(step.work)}"
            if step.capacity > 1:
                told += f", divided by {step.capacity} at least {self.span(step.needed)}"
        sides = [self.side(step, front=front) for front in (True, False)]
        terms = [self.span(ticks) for ticks in (step.first, step.needed, step.rest) if ticks]
        adding = f"{' + '.join(terms)} = {self.span(step.ticks)}: " if len(terms) > 1 else ""
        told = ". ".join([told, *filter(None, sides)])
        return f"{told}. So {adding}{self.fact(step.source, step.target, step.ticks)}."

    def need(self, step: Load, via: Via) -> str:
        """Say how long a member holds the machine, and how much of it."""
        duration = self.instance.by_id[via.action].duration
        units = via.ticks // duration if step.machine == "resource" and not step.in_turn and duration else 1
        return f"{units} x {self.span(duration)}" if units > 1 else self.span(via.ticks)

    def side(self, step: Load, *, front: bool) -> str:
        """Say what is before (or after) all members, and why: together for those that share a reason."""
        least, outer = (step.first, step.source) if front else (step.rest, step.target)
        paths = [via.before if front else via.after for via in step.members]
        if not least and outer in (_BEGIN, _END):
            return ""
        if not least:
            lines = sorted({hop.line for path in paths for hop in path if hop.line})
            by = f", see {_listed([f'({line})' for line in lines])}" if lines else ""
            every = "It lies" if len(paths) == 1 else "All of this lies"
            return f"{every} {'after' if front else 'before'} {self.event(outer)}{by}"
        groups: dict[str, list[str]] = {}
        for via, path in zip(step.members, paths, strict=True):
            groups.setdefault(self.sum(_relevant(path, least, front=front)), []).append(via.action)
        reasons = [
            f"{'before' if front else 'after'} {'each' if len(groups) == 1 < len(names) else self.names(names)} {told}"
            for told, names in groups.items()
        ]
        if front:
            return (
                f"Before each of these pass at least {self.span(least)} from {self.event(outer)}: {'; '.join(reasons)}"
            )
        return f"After each of these pass at least {self.span(least)} until {self.event(outer)}: {'; '.join(reasons)}"

    def names(self, actions: Sequence[str]) -> str:
        """Name several actions, steps of one recipe together."""
        groups: dict[str, list[str]] = {}
        for action in actions:
            word, number, rest = (*self.name(action).split(" ", 2), "", "")[:3]
            task = rest if word == "step" and number.isdigit() else ""
            groups.setdefault(task or self.name(action), []).append(number if task else "")
        return _listed(
            [
                task if not any(numbers) else f"step{'s' * (len(numbers) > 1)} {_listed(numbers)} {task}"
                for task, numbers in groups.items()
            ]
        )

    def order(self, step: Order) -> str:
        turn = next((i for i, hop in enumerate(step.against) if hop.why == "supposition"), None)
        excluded = step.excluded
        if turn is None or any(hop.why == "supposition" for hop in step.against[turn + 1 :]):
            back = self.fact(step.against[0].source, step.against[-1].target, sum(hop.ticks for hop in step.against))
            why = f"that cannot be, since {back} ({self.sum(step.against)})"
        else:
            before, after = step.against[turn + 1 :], step.against[:turn]
            head, tail = sum(hop.ticks for hop in before), sum(hop.ticks for hop in after)
            parts = []
            if before:
                parts.append(f"{self.fact(_BEGIN, excluded.source, head)} ({self.sum(before)})")
            if after:
                parts.append(f"{self.fact(excluded.target, _END, tail)} ({self.sum(after)})")
            total = self.span(head + excluded.ticks + tail)
            why = f"{' and '.join(parts)}, {total} together, too long" if parts else "that is too long"
        return f"{self.choice(step)} If {self.way(excluded)}, {why}. So {self.way(step.held)}."

    def choice(self, step: Order | Split) -> str:
        """Say why there are but two ways."""
        *names, what = step.about
        somebody = "the agent" if len(self.instance.agents) == 1 else what
        one, two = self.name(names[0]), self.name(names[1])
        if step.kind == "agent":
            return f"{one} and {two} both hold {somebody}."
        if step.kind == "start":
            return f"{somebody} cannot start {one} in the middle of {two}."
        if step.kind == "resource":
            return f"{one} and {two} cannot use the {what} at the same time."
        if step.kind == "modes":
            return f"{one} and {two} have no room at the same time, in whichever way they are done."
        if step.kind == "mode":
            return f"{self.name(names[2])} has to wait for {one} or for {two}, depending on how it is done."
        return f"{one} changes the {what} that {two} sets for {self.name(names[2])}."

    def way(self, way: Hop) -> str:
        """Say one way of a choice."""
        one, two = way.source[1], way.target[1]
        return f"{self.name(one)} {'starts' if way.source[0] == 'start' else 'comes'} before {self.name(two)}"

    def split(self, step: Split) -> Iterator[str]:
        first, second = (self.way(case.assumed) for case in step.cases)
        yield f"({step.number}) {_upper(self.choice(step))} Either {first}, or {second}."
        for letter, case in zip("ab", step.cases, strict=True):
            yield f"    Case {step.number}{letter}: {self.way(case.assumed)}."
            yield from (f"    {line}" for line in self.steps(case.steps))


def _relevant(hops: Sequence[Hop], least: int, *, front: bool) -> tuple[Hop, ...]:
    """Return the outer part of a path that suffices for so many ticks, if the rest goes without saying.

    That is if it does not take any back, and no maximum lag is in it.
    """
    total = sum(hop.ticks for hop in hops)
    for count in range(len(hops) + 1):
        cut = count if front else len(hops) - count
        part, rest = (hops[:cut], hops[cut:]) if front else (hops[cut:], hops[:cut])
        outer = sum(hop.ticks for hop in part)
        if outer >= least and total >= outer and not any(hop.why == "window" for hop in rest):
            return tuple(part) if least else ()
    return tuple(hops)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _upper(text: str) -> str:
    """Begin a sentence; what begins with an identifier stays as it is."""
    return text if "/" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def _joined(hops: Sequence[Hop]) -> list[Hop]:
    """Join what takes back an action's attended part with its duration: what is left is the rest of it."""
    found: list[Hop] = []
    for hop in hops:
        last = found[-1] if found else None
        if last is not None and last.why == "attended" and last.ticks < 0 and hop.why == "duration":
            found[-1] = Hop(last.source, hop.target, last.ticks + hop.ticks, "rest")
        else:
            found.append(hop)
    return found
