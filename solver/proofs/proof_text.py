"""Texts of certificates in the benchmark's names and units, with the arithmetic of every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import action_name, moment, span
from planoracle.solver.proofs.axioms import least_amount
from planoracle.solver.proofs.steps import Hop, Load, Order, Path, Proof, Split, Step, Via

_Event = tuple[str, str]
_BEGIN, _END = ("begin", ""), ("end", "")


def proof_lines(instance: Instance, proof: Proof) -> list[str]:
    """Return one line for every step; those of a case are indented.

    Examples
    --------
    >>> from planoracle.instances.model.instance import Action, Instance, Lag
    >>> from planoracle.solver.proofs.certificate import certificate
    >>> boil, chop = Action("t/boil", "t", 9, attended=0), Action("t/chop", "t", 4, attended=4)
    >>> kitchen = Instance("k", (chop, boil), (Lag("t/chop", "t/boil"),))
    >>> proof_lines(kitchen, certificate(kitchen, 13))
    ['(1) t/chop 4 ticks + t/boil 9 ticks = 13 ticks: the makespan is at least 13 ticks.']
    """
    writer = _ProofWriter(instance, proof)
    lines = []
    if proof.supposed is not None:
        lines.append(f"Suppose that the makespan is less than {writer.span(proof.bound)}.")
    lines += writer.steps(proof.steps)
    if proof.supposed is not None:
        lines.append(f"This supposition leads to a contradiction: the makespan is at least {writer.span(proof.bound)}.")
    return lines


class _ProofWriter:
    """Texts of the steps of one proof."""

    def __init__(self, instance: Instance, proof: Proof) -> None:
        self.instance = instance
        self.proof = proof
        self.agent = "the agent" if len(instance.agents) == 1 else "an agent"

    def name(self, action: str) -> str:
        whole, _, part = action.rpartition("#")  # of what is left of a run, see `planoracle.instances.model.state`
        if whole and NOW in self.instance.by_id and whole in self.instance.by_id:
            return f"part {part} of {action_name(self.instance, whole)}"
        return "the current state" if action == NOW else action_name(self.instance, action)

    def span(self, ticks: int) -> str:
        return span(self.instance, ticks)

    def steps(self, steps: Sequence[Step]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Split):
                yield from self.split(step)
            elif isinstance(step, Path):
                if [hop.reason for hop in step.hops] != ["line"]:  # else the line before states it
                    yield f"({step.number}) {_upper(self.path(step))}"
            else:
                text = self.load(step) if isinstance(step, Load) else self.order(step)
                yield f"({step.number}) {_upper(text)}"

    # --- events and hops -------------------------------------------------------------------------

    def event(self, event: _Event) -> str:
        kind, action = event
        if not action:
            return "the beginning" if kind == "begin" else "the end"
        if kind == "free":
            return f"the release of {self.agent} by {self.name(action)}"
        return f"the {kind} of {self.name(action)}"

    def fact(self, source: _Event, target: _Event, ticks: int) -> str:
        """Return the statement that an event is at least so many ticks after another."""
        (kind, one), (target_kind, two) = source, target
        long = self.span(abs(ticks))
        if source == _BEGIN and target == _END:
            return f"the makespan is at least {long}"
        if source == _BEGIN and two:
            verb = {"start": "start", "finish": "be finished", "free": f"release {self.agent}"}[target_kind]
            return f"{self.name(two)} cannot {verb} before {moment(self.instance, ticks)}"
        if target == _END and one and ticks >= 0:
            return f"from {self.event(source)} at least {long} pass until the end"
        if target == _BEGIN and one and ticks <= 0:
            verb = {"start": "start", "finish": "be finished", "free": f"release {self.agent}"}[kind]
            return f"{self.name(one)} must {verb} by {moment(self.instance, -ticks)}"
        if ticks == 0 and kind == "finish" and target_kind == "start":
            return f"{self.name(two)} comes after {self.name(one)}"
        if ticks <= 0:
            late = f"at most {long} after" if ticks else "no later than"
            return f"{self.event(source)} is {late} {self.event(target)}"
        return f"{self.event(target)} is at least {long} after {self.event(source)}"

    def term(self, hop: Hop) -> str:
        """Return one term of a sum."""
        (kind, one), (_, two) = hop.source, hop.target
        long, whole = self.span(hop.ticks), "the finish of " if kind == "finish" else ""
        if hop.reason == "line":
            return f"{long} by ({hop.line})"
        if hop.reason == "lag" and one == NOW:
            return f"clock {long}"
        if hop.reason in ("lag", "window") and self.instance.beginning in (one, two):
            return (
                f"release of {self.name(two)} {long}"
                if hop.reason == "lag"
                else f"latest {kind} of {self.name(one)} {long}"
            )
        names = {
            "duration": self.name(one),
            "attended": f"attended part of {self.name(one)}",
            "rest": f"unattended part of {self.name(one)}",
            "release": f"release of {self.name(two)}",
            "lag": f"minimum lag from {self.name(one)} to {self.name(two)}",
            "window": f"maximum lag from {self.name(two)} to {whole}{self.name(one)}",
            "supposition": "supposed makespan",
        }
        return f"{names.get(hop.reason, f'from {self.event(hop.source)} to {self.event(hop.target)}')} {long}"

    def sum(self, hops: Sequence[Hop]) -> str:
        """Return the terms of a path and their sum; steps that only order events are named behind it."""
        terms = [self.term(hop) for hop in _join_rests(hops) if hop.ticks]
        total = self.span(sum(hop.ticks for hop in hops))
        text = " + ".join(terms) + (f" = {total}" if len(terms) > 1 else "") if terms else total
        silent = [f"({hop.line})" for hop in hops if hop.line and not hop.ticks]
        return f"{text} with {_enumerate(silent)}" if silent else text

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
            subject = f"{_enumerate(step.names)} must attend to"
        text = f"{between}{subject} " + " + ".join(
            f"{self.name(via.action)} {self.need(step, via)}" for via in step.members
        )
        if step.in_turn and step.capacity > 1:
            text += f". At most {step.capacity} of these {len(step.members)} run at the same time, so {step.turns} "
            text += f"run one after another; the {step.turns} shortest take {self.span(step.needed)}"
        elif step.in_turn and step.machine == "resource":
            text += f" = {self.span(step.needed)}; no two of them can run at the same time"
        elif len(step.members) > 1:
            text += f" = {self.span(step.work)}"
            if step.capacity > 1:
                text += f"; divided by {step.capacity}, at least {self.span(step.needed)}"
            if large := [via.action for via in step.members if self.counts_as_whole(step, via)]:
                text += f". No other of these fits beside {self.names(large)}, so "
                text += f"{'it counts' if len(large) == 1 else 'they count'} as all {step.capacity} units"
        sides = [self.side(step, front=front) for front in (True, False)]
        terms = [self.span(ticks) for ticks in (step.first, step.needed, step.rest) if ticks]
        adding = f"{' + '.join(terms)} = {self.span(step.ticks)}: " if len(terms) > 1 else ""
        text = ". ".join([text, *filter(None, sides)])
        return f"{text}. So {adding}{self.fact(step.source, step.target, step.ticks)}."

    def need(self, step: Load, via: Via) -> str:
        """Return for how long a member holds the machine, and how many units of it."""
        duration = self.instance.by_id[via.action].duration
        units = via.ticks // duration if step.machine == "resource" and not step.in_turn and duration else 1
        return f"{units} x {self.span(duration)}" if units > 1 else self.span(via.ticks)

    def counts_as_whole(self, step: Load, via: Via) -> bool:
        """Return whether a member counts as more units of a resource than it takes."""
        action = self.instance.by_id[via.action]
        return step.machine == "resource" and via.ticks > least_amount(action, step.names[0]) * action.duration

    def side(self, step: Load, *, front: bool) -> str:
        """Return the least times before (or after) all members with their reasons, grouped by reason."""
        least, outer = (step.first, step.source) if front else (step.rest, step.target)
        paths = [via.before if front else via.after for via in step.members]
        if not least and outer in (_BEGIN, _END):
            return ""
        if not least:
            lines = sorted({hop.line for path in paths for hop in path if hop.line})
            by = f", see {_enumerate([f'({line})' for line in lines])}" if lines else ""
            every = "This action comes" if len(paths) == 1 else "All of these actions come"
            return f"{every} {'after' if front else 'before'} {self.event(outer)}{by}"
        groups: dict[str, list[str]] = {}
        for via, path in zip(step.members, paths, strict=True):
            groups.setdefault(self.sum(_relevant(path, least, front=front)), []).append(via.action)
        side = "before" if front else "after"
        reasons = [
            f"{side} {'each' if len(groups) == 1 < len(names) else self.names(names)}: {reason}"
            for reason, names in groups.items()
        ]
        if front:
            return f"At least {self.span(least)} pass from {self.event(outer)} to each of these: {'; '.join(reasons)}"
        return f"At least {self.span(least)} pass from each of these to {self.event(outer)}: {'; '.join(reasons)}"

    def names(self, actions: Sequence[str]) -> str:
        """Return the names of several actions, steps of one recipe together."""
        groups: dict[str, list[str]] = {}
        for action in actions:
            word, number, rest = (*self.name(action).split(" ", 2), "", "")[:3]
            task = rest if word == "step" and number.isdigit() else ""
            groups.setdefault(task or self.name(action), []).append(number if task else "")
        return _enumerate(
            [
                task if not any(numbers) else f"step{'s' * (len(numbers) > 1)} {_enumerate(numbers)} {task}"
                for task, numbers in groups.items()
            ]
        )

    def order(self, step: Order) -> str:
        turn = next((i for i, hop in enumerate(step.against) if hop.reason == "supposition"), None)
        excluded = step.excluded
        if turn is None or any(hop.reason == "supposition" for hop in step.against[turn + 1 :]):
            back = self.fact(step.against[0].source, step.against[-1].target, sum(hop.ticks for hop in step.against))
            reason = f"this is impossible, since {back} ({self.sum(step.against)})"
        else:
            before, after = step.against[turn + 1 :], step.against[:turn]
            head, tail = sum(hop.ticks for hop in before), sum(hop.ticks for hop in after)
            parts = []
            if before:
                parts.append(f"{self.fact(_BEGIN, excluded.source, head)} ({self.sum(before)})")
            if after:
                parts.append(f"{self.fact(excluded.target, _END, tail)} ({self.sum(after)})")
            total = self.span(head + excluded.ticks + tail)
            reason = f"{' and '.join(parts)}, {total} together, which is too long" if parts else "this takes too long"
        return f"{self.choice(step)} If {self.way(excluded)}, {reason}. So {self.way(step.holding)}."

    def choice(self, step: Order | Split) -> str:
        """Return the reason why there are only two ways."""
        *names, subject = step.about
        agent = "the agent" if len(self.instance.agents) == 1 else subject
        one, two = self.name(names[0]), self.name(names[1])
        if step.kind == "agent":
            return f"{one} and {two} both hold {agent}."
        if step.kind == "start":
            return f"{agent} cannot start {one} while {two} runs."
        if step.kind == "resource":
            return f"{one} and {two} cannot use the {subject} at the same time."
        if step.kind == "modes":
            return f"{one} and {two} cannot run at the same time in any of their modes."
        if step.kind == "mode":
            return f"{self.name(names[2])} has to wait for {one} or for {two}, depending on its mode."
        return f"{one} changes the state of the {subject}, which {two} sets for {self.name(names[2])}."

    def way(self, way: Hop) -> str:
        """Return one way of a choice as text."""
        one, two = way.source[1], way.target[1]
        return f"{self.name(one)} {'starts' if way.source[0] == 'start' else 'comes'} before {self.name(two)}"

    def split(self, step: Split) -> Iterator[str]:
        first, second = (self.way(case.assumed) for case in step.cases)
        yield f"({step.number}) {_upper(self.choice(step))} Either {first}, or {second}."
        for letter, case in zip("ab", step.cases, strict=True):
            yield f"    Case {step.number}{letter}: {self.way(case.assumed)}."
            yield from (f"    {line}" for line in self.steps(case.steps))


def _relevant(hops: Sequence[Hop], least: int, *, front: bool) -> tuple[Hop, ...]:
    """Return the outer part of a path that suffices for so many ticks.

    The rest must be self-evident: it takes no time back and contains no maximum lag.
    """
    total = sum(hop.ticks for hop in hops)
    for count in range(len(hops) + 1):
        cut = count if front else len(hops) - count
        part, rest = (hops[:cut], hops[cut:]) if front else (hops[cut:], hops[:cut])
        outer = sum(hop.ticks for hop in part)
        if outer >= least and total >= outer and not any(hop.reason == "window" for hop in rest):
            return tuple(part) if least else ()
    return tuple(hops)


def _enumerate(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _upper(text: str) -> str:
    """Capitalize a sentence, unless it begins with an identifier."""
    return text if "/" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def _join_rests(hops: Sequence[Hop]) -> list[Hop]:
    """Join hops that subtract an action's attended part and add its duration: the sum is the rest of it."""
    joined: list[Hop] = []
    for hop in hops:
        last = joined[-1] if joined else None
        if last is not None and last.reason == "attended" and last.ticks < 0 and hop.reason == "duration":
            joined[-1] = Hop(last.source, hop.target, last.ticks + hop.ticks, "rest")
        else:
            joined.append(hop)
    return joined
