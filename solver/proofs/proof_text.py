"""Texts of certificates in the benchmark's names and units, with the arithmetic of every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.schedule_benchmark import action_name, moment
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
        # Parts occur in what is left of a run, see `planoracle.instances.model.state`.
        parted, _, part = action.rpartition("#")
        if parted and NOW in self.instance.by_id and parted in self.instance.by_id:
            return f"part {part} of {action_name(self.instance, parted)}"
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
        kind, action = source
        target_kind, target_action = target
        ticks_text = self.span(abs(ticks))
        verbs = {"start": "start", "finish": "be finished", "free": f"release {self.agent}"}
        if source == _BEGIN and target == _END:
            return f"the makespan is at least {ticks_text}"
        if source == _BEGIN and target_action:
            return f"{self.name(target_action)} cannot {verbs[target_kind]} before {moment(self.instance, ticks)}"
        if target == _END and action and ticks >= 0:
            return f"from {self.event(source)} at least {ticks_text} pass until the end"
        if target == _BEGIN and action and ticks <= 0:
            return f"{self.name(action)} must {verbs[kind]} by {moment(self.instance, -ticks)}"
        if ticks == 0 and kind == "finish" and target_kind == "start":
            return f"{self.name(target_action)} comes after {self.name(action)}"
        if ticks <= 0:
            late = f"at most {ticks_text} after" if ticks else "no later than"
            return f"{self.event(source)} is {late} {self.event(target)}"
        return f"{self.event(target)} is at least {ticks_text} after {self.event(source)}"

    def term(self, hop: Hop) -> str:
        """Return one term of a sum."""
        ticks_text = self.span(hop.ticks)
        return f"{ticks_text} by ({hop.line})" if hop.reason == "line" else f"{self.term_name(hop)} {ticks_text}"

    def term_name(self, hop: Hop) -> str:
        """Return the name of a term that no line proves."""
        kind, action = hop.source
        target_action = hop.target[1]
        name, target_name = self.name(action), self.name(target_action)
        if hop.reason == "lag" and action == NOW:
            return "clock"
        if hop.reason in ("lag", "window") and self.instance.beginning in (action, target_action):
            return f"release of {target_name}" if hop.reason == "lag" else f"latest {kind} of {name}"
        finish = "the finish of " if kind == "finish" else ""
        names = {
            "duration": name,
            "attended": f"attended part of {name}",
            "rest": f"unattended part of {name}",
            "release": f"release of {target_name}",
            "lag": f"minimum lag from {name} to {target_name}",
            "window": f"maximum lag from {target_name} to {finish}{name}",
            "supposition": "supposed makespan",
        }
        return names.get(hop.reason) or f"from {self.event(hop.source)} to {self.event(hop.target)}"

    def sum(self, hops: Sequence[Hop]) -> str:
        """Return the terms of a path and their sum; steps that only order events are named behind it."""
        terms = [self.term(hop) for hop in _join_rests(hops) if hop.ticks]
        text = self.span(sum(hop.ticks for hop in hops))
        if len(terms) == 1:
            text = terms[0]
        elif terms:
            text = f"{' + '.join(terms)} = {text}"
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
        members = " + ".join(f"{self.name(via.action)} {self.need(step, via)}" for via in step.members)
        sentences = [f"{between}{subject} {members}{self.load_sum(step)}"]
        for front in (True, False):
            if side := self.side(step, front=front):
                sentences.append(side)
        terms = [self.span(ticks) for ticks in (step.head, step.needed, step.tail) if ticks]
        adding = f"{' + '.join(terms)} = {self.span(step.ticks)}: " if len(terms) > 1 else ""
        return f"{'. '.join(sentences)}. So {adding}{self.fact(step.source, step.target, step.ticks)}."

    def load_sum(self, step: Load) -> str:
        """Return the text behind the members of a load: the time that they need together, and its reason."""
        if step.in_turn and step.capacity > 1:
            text = f". At most {step.capacity} of these {len(step.members)} run at the same time, so {step.turns} "
            return f"{text}run one after another; the {step.turns} shortest take {self.span(step.needed)}"
        if step.in_turn and step.machine == "resource":
            return f" = {self.span(step.needed)}; no two of them can run at the same time"
        if len(step.members) <= 1:
            return ""
        text = f" = {self.span(step.work)}"
        if step.capacity > 1:
            text += f"; divided by {step.capacity}, at least {self.span(step.needed)}"
        if large := [via.action for via in step.members if self.counts_as_whole(step, via)]:
            text += f". No other of these fits beside {self.names(large)}, so "
            text += f"{'it counts' if len(large) == 1 else 'they count'} as all {step.capacity} units"
        return text

    def need(self, step: Load, via: Via) -> str:
        """Return for how long a member holds the machine, and how many units of it."""
        duration = self.instance.by_id[via.action].duration
        units = 1
        if step.machine == "resource" and not step.in_turn and duration:
            units = via.ticks // duration
        return f"{units} x {self.span(duration)}" if units > 1 else self.span(via.ticks)

    def counts_as_whole(self, step: Load, via: Via) -> bool:
        """Return whether a member counts as more units of a resource than it takes."""
        action = self.instance.by_id[via.action]
        return step.machine == "resource" and via.ticks > least_amount(action, step.names[0]) * action.duration

    def side(self, step: Load, *, front: bool) -> str:
        """Return the least times before (or after) all members with their reasons, grouped by reason."""
        ticks, outer = (step.head, step.source) if front else (step.tail, step.target)
        paths = [via.before if front else via.after for via in step.members]
        if not ticks:
            return "" if outer in (_BEGIN, _END) else self.plain_side(outer, paths, front=front)
        groups: dict[str, list[str]] = {}
        for via, path in zip(step.members, paths, strict=True):
            reason = self.sum(_relevant(path, ticks, front=front))
            groups.setdefault(reason, []).append(via.action)
        side = "before" if front else "after"
        reasons = []
        for reason, names in groups.items():
            subject = "each" if len(groups) == 1 < len(names) else self.names(names)
            reasons.append(f"{side} {subject}: {reason}")
        if front:
            return f"At least {self.span(ticks)} pass from {self.event(outer)} to each of these: {'; '.join(reasons)}"
        return f"At least {self.span(ticks)} pass from each of these to {self.event(outer)}: {'; '.join(reasons)}"

    def plain_side(self, outer: _Event, paths: Sequence[Sequence[Hop]], *, front: bool) -> str:
        """Return that all members come after (or before) an event, with the lines that prove it."""
        lines: set[int] = set()
        for path in paths:
            lines.update(hop.line for hop in path if hop.line)
        reason = f", see {_enumerate([f'({line})' for line in sorted(lines)])}" if lines else ""
        subject = "This action comes" if len(paths) == 1 else "All of these actions come"
        return f"{subject} {'after' if front else 'before'} {self.event(outer)}{reason}"

    def names(self, actions: Sequence[str]) -> str:
        """Return the names of several actions, steps of one recipe together."""
        groups: dict[str, list[str]] = {}
        for action in actions:
            name = self.name(action)
            step_number, recipe = _step_of_recipe(name)
            groups.setdefault(recipe or name, []).append(step_number)
        texts = []
        for name, numbers in groups.items():
            if any(numbers):
                word = "steps" if len(numbers) > 1 else "step"
                texts.append(f"{word} {_enumerate(numbers)} {name}")
            else:
                texts.append(name)
        return _enumerate(texts)

    def order(self, step: Order) -> str:
        reason = self.reason_against(step)
        return f"{self.choice(step)} If {self.way(step.excluded)}, {reason}. So {self.way(step.holding)}."

    def reason_against(self, step: Order) -> str:
        """Return the reason why the excluded way of an order is impossible."""
        path, excluded = step.against, step.excluded
        turns = [i for i, hop in enumerate(path) if hop.reason == "supposition"]
        if len(turns) != 1:
            ticks = sum(hop.ticks for hop in path)
            return f"this is impossible, since {self.fact(path[0].source, path[-1].target, ticks)} ({self.sum(path)})"
        before, after = path[turns[0] + 1 :], path[: turns[0]]
        head, tail = sum(hop.ticks for hop in before), sum(hop.ticks for hop in after)
        parts = []
        if before:
            parts.append(f"{self.fact(_BEGIN, excluded.source, head)} ({self.sum(before)})")
        if after:
            parts.append(f"{self.fact(excluded.target, _END, tail)} ({self.sum(after)})")
        if not parts:
            return "this takes too long"
        total = self.span(head + excluded.ticks + tail)
        return f"{' and '.join(parts)}, {total} together, which is too long"

    def choice(self, step: Order | Split) -> str:
        """Return the reason why there are only two ways."""
        *names, subject = step.about
        agent = "the agent" if len(self.instance.agents) == 1 else subject
        first, second = self.name(names[0]), self.name(names[1])
        if step.kind == "agent":
            return f"{first} and {second} both hold {agent}."
        if step.kind == "start":
            return f"{agent} cannot start {first} while {second} runs."
        if step.kind == "resource":
            return f"{first} and {second} cannot use the {subject} at the same time."
        if step.kind == "modes":
            return f"{first} and {second} cannot run at the same time in any of their modes."
        if step.kind == "mode":
            return f"{self.name(names[2])} has to wait for {first} or for {second}, depending on its mode."
        return f"{first} changes the state of the {subject}, which {second} sets for {self.name(names[2])}."

    def way(self, way: Hop) -> str:
        """Return one way of a choice as text."""
        verb = "starts" if way.source[0] == "start" else "comes"
        return f"{self.name(way.source[1])} {verb} before {self.name(way.target[1])}"

    def split(self, step: Split) -> Iterator[str]:
        first, second = (self.way(case.assumed) for case in step.cases)
        yield f"({step.number}) {_upper(self.choice(step))} Either {first}, or {second}."
        for letter, case in zip("ab", step.cases, strict=True):
            yield f"    Case {step.number}{letter}: {self.way(case.assumed)}."
            yield from (f"    {line}" for line in self.steps(case.steps))


def _relevant(hops: Sequence[Hop], ticks: int, *, front: bool) -> tuple[Hop, ...]:
    """Return the outer part of a path that suffices for so many ticks, at least 1.

    The inner part must be self-evident: it takes no time back and contains no maximum lag.
    """
    total = sum(hop.ticks for hop in hops)
    for count in range(len(hops) + 1):
        cut = count if front else len(hops) - count
        outer, inner = hops[:cut], hops[cut:]
        if not front:
            outer, inner = inner, outer
        outer_ticks = sum(hop.ticks for hop in outer)
        if not ticks <= outer_ticks <= total:
            continue
        if not any(hop.reason == "window" for hop in inner):
            return tuple(outer)
    return tuple(hops)


def _step_of_recipe(name: str) -> tuple[str, str]:
    """Return number and recipe of an action with a name such as ``step 2 of Cobbler``; else empty texts."""
    word, _, text = name.partition(" ")
    number, _, recipe = text.partition(" ")
    return (number, recipe) if word == "step" and number.isdigit() and recipe else ("", "")


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
