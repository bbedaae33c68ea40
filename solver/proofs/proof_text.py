"""Texts of certificates in the benchmark's names and units, with the arithmetic of every step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.state import NOW
from planoracle.instances.protocol.feedback import span
from planoracle.instances.protocol.schedule_benchmark import action_name, moment
from planoracle.solver.exact.bounds import shortest_duration
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
                reasons = [hop.reason for hop in step.hops]
                if reasons != ["line"]:  # else the line before states it
                    text = _upper(self.path(step))
                    yield f"({step.number}) {text}"
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
            earliest = moment(self.instance, ticks)
            return f"{self.name(target_action)} cannot {verbs[target_kind]} before {earliest}"
        if target == _END and action and ticks >= 0:
            return f"from {self.event(source)} at least {ticks_text} pass until the end"
        if target == _BEGIN and action and ticks <= 0:
            latest = moment(self.instance, -ticks)
            return f"{self.name(action)} must {verbs[kind]} by {latest}"
        if ticks == 0 and kind == "finish" and target_kind == "start":
            return f"{self.name(target_action)} comes after {self.name(action)}"
        event, target_event = self.event(source), self.event(target)
        if ticks <= 0:
            late = f"at most {ticks_text} after" if ticks else "no later than"
            return f"{event} is {late} {target_event}"
        return f"{target_event} is at least {ticks_text} after {event}"

    def term(self, hop: Hop) -> str:
        """Return one term of a sum."""
        ticks_text = self.span(hop.ticks)
        if hop.reason == "line":
            return f"{ticks_text} by ({hop.line})"
        name = self.term_name(hop)
        return f"{name} {ticks_text}"

    def term_name(self, hop: Hop) -> str:
        """Return the name of a term that no line proves."""
        kind, action = hop.source
        target_action = hop.target[1]
        name, target_name = self.name(action), self.name(target_action)
        if hop.reason == "lag" and action == NOW:
            return "clock"
        if self.instance.beginning in (action, target_action):
            if hop.reason == "lag":
                return f"release of {target_name}"
            if hop.reason == "window":
                return f"latest {kind} of {name}"
        finish = "the finish of " if kind == "finish" else ""
        if hop.reason == "lag":
            return f"minimum lag from {name} to {target_name}"
        if hop.reason == "window":
            return f"maximum lag from {target_name} to {finish}{name}"
        names = {
            "duration": name,
            "attended": f"attended part of {name}",
            "rest": f"unattended part of {name}",
            "release": f"release of {target_name}",
            "supposition": "supposed makespan",
        }
        if term_name := names.get(hop.reason):
            return term_name
        return f"from {self.event(hop.source)} to {self.event(hop.target)}"

    def sum(self, hops: Sequence[Hop]) -> str:
        """Return the terms of a path and their sum; steps that only order events are named behind it."""
        terms = [self.term(hop) for hop in _join_rests(hops) if hop.ticks]
        text = self.span(sum(hop.ticks for hop in hops))
        if len(terms) == 1:
            text = terms[0]
        elif terms:
            text = f"{' + '.join(terms)} = {text}"
        silent = []
        for hop in hops:
            if hop.line and not hop.ticks:
                silent.append(f"({hop.line})")
        return f"{text} with {_enumerate(silent)}" if silent else text

    # --- steps -----------------------------------------------------------------------------------

    def path(self, step: Path) -> str:
        first, last = step.hops[0], step.hops[-1]
        sum_text = self.sum(step.hops)
        if first.source == last.target:
            event = self.event(first.source)
            return f"{sum_text}: {event} would come after itself, a contradiction."
        fact = self.fact(first.source, last.target, step.ticks)
        return f"{sum_text}: {fact}."

    def load(self, step: Load) -> str:
        between = ""
        if (step.source, step.target) != (_BEGIN, _END):
            source, target = self.event(step.source), self.event(step.target)
            between = f"from {source} to {target} "
        if step.machine == "resource":
            subject = f"the {step.names[0]} must serve"
        elif step.machine == "together":
            subject = "the schedule must contain"
        elif len(self.instance.agents) == 1:
            subject = "the agent must attend to"
        else:
            subject = f"{_enumerate(step.names)} must attend to"
        members = []
        for via in step.members:
            name, need = self.name(via.action), self.need(step, via)
            members.append(f"{name} {need}")
        members_text = " + ".join(members)
        sentences = [f"{between}{subject} {members_text}{self.load_sum(step)}"]
        if step.machine == "together":
            sentences.append(self.together(step))
        for front in (True, False):
            if side := self.side(step, front=front):
                sentences.append(side)
        adding = self.load_terms(step)
        fact = self.fact(step.source, step.target, step.ticks)
        return f"{'. '.join(sentences)}. So {adding}{fact}."

    def load_terms(self, step: Load) -> str:
        """Return the sum of the times before, within and after a load, empty for one term."""
        parts = (step.head, step.needed, step.tail)
        terms = [self.span(ticks) for ticks in parts if ticks]
        if len(terms) <= 1:
            return ""
        total = self.span(step.ticks)
        return f"{' + '.join(terms)} = {total}: "

    def load_sum(self, step: Load) -> str:
        """Return the text behind the members of a load: the time that they need together, and its reason."""
        needed = self.span(step.needed)
        if step.is_share:
            text = f" = {self.span(step.work)}. None is interrupted, and each takes a multiple of "
            return f"{text}{self.span(step.divisor)}: of {step.capacity} shares, the largest takes at least {needed}"
        if step.in_turn and step.capacity > 1:
            number = len(step.members)
            text = f". At most {step.capacity} of these {number} run at the same time, so {step.turns} "
            return f"{text}run one after another; the {step.turns} shortest take {needed}"
        if step.in_turn and step.machine == "resource":
            return f" = {needed}; no two of them can run at the same time"
        if len(step.members) <= 1:
            return ""
        text = f" = {self.span(step.work)}"
        if step.capacity > 1:
            text += f"; divided by {step.capacity}, at least {needed}"
        if large := [via.action for via in step.members if self.counts_as_whole(step, via)]:
            text += f". No other of these fits beside {self.names(large)}, so "
            counts = "it counts" if len(large) == 1 else "they count"
            text += f"{counts} as all {step.capacity} units"
        return text

    def together(self, step: Load) -> str:
        """Return how many members may run together, and the reasons."""
        total = step.capacity
        limit = f"at most {total} of these actions run at the same time"
        if any(via.ticks > shortest_duration(self.instance.by_id[via.action]) for via in step.members):
            limit = f"the factors of actions that run at the same time add up to at most {total}"
        later: dict[str, list[str]] = {}
        lines = set[int]()
        for path in step.precedences:
            first, second = path[0].source[1], path[-1].target[1]
            later.setdefault(self.name(first), []).append(self.name(second))
            lines.update(hop.line for hop in path if hop.line)
        orders = [f"{name} comes before {_enumerate(names)}" for name, names in later.items()]
        references = [f"see ({line})" for line in sorted(lines)]
        return f"{'; '.join(['By their needs', *orders, *references])}: {limit}"

    def need(self, step: Load, via: Via) -> str:
        """Return for how long a member holds the machine, and how many units or what weight it counts."""
        duration = shortest_duration(self.instance.by_id[via.action])
        if step.machine == "agents" or step.in_turn or not duration:
            return self.span(via.ticks)
        units = via.ticks // duration
        if units > 1:
            return f"{units} x {self.span(duration)}"
        return self.span(via.ticks)

    def counts_as_whole(self, step: Load, via: Via) -> bool:
        """Return whether a member counts as more units of a resource than it takes."""
        if step.machine != "resource":
            return False
        action = self.instance.by_id[via.action]
        units = least_amount(action, step.names[0])
        return via.ticks > units * shortest_duration(action)

    def side(self, step: Load, *, front: bool) -> str:
        """Return the least times before (or after) all members with their reasons, grouped by reason."""
        ticks, outer = (step.tail, step.target)
        if front:
            ticks, outer = (step.head, step.source)
        paths = [via.before if front else via.after for via in step.members]
        if not ticks:
            if outer in (_BEGIN, _END):
                return ""
            return self.plain_side(outer, paths, front=front)
        groups: dict[str, list[str]] = {}
        for via, path in zip(step.members, paths, strict=True):
            reason = self.sum(_relevant(path, ticks, front=front))
            groups.setdefault(reason, []).append(via.action)
        side = "before" if front else "after"
        reasons = []
        for reason, names in groups.items():
            is_common = len(groups) == 1 and len(names) > 1
            subject = "each" if is_common else self.names(names)
            reasons.append(f"{side} {subject}: {reason}")
        span_text, event = self.span(ticks), self.event(outer)
        reasons_text = "; ".join(reasons)
        if front:
            return f"At least {span_text} pass from {event} to each of these: {reasons_text}"
        return f"At least {span_text} pass from each of these to {event}: {reasons_text}"

    def plain_side(self, outer: _Event, paths: Sequence[Sequence[Hop]], *, front: bool) -> str:
        """Return that all members come after (or before) an event, with the lines that prove it."""
        lines: set[int] = set()
        for path in paths:
            lines.update(hop.line for hop in path if hop.line)
        reason = ""
        if lines:
            references = [f"({line})" for line in sorted(lines)]
            reason = f", see {_enumerate(references)}"
        subject = "This action comes" if len(paths) == 1 else "All of these actions come"
        side = "after" if front else "before"
        return f"{subject} {side} {self.event(outer)}{reason}"

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
                numbers_text = _enumerate(numbers)
                texts.append(f"{word} {numbers_text} {name}")
            else:
                texts.append(name)
        return _enumerate(texts)

    def order(self, step: Order) -> str:
        reason = self.reason_against(step)
        choice = self.choice(step)
        excluded, holding = self.way(step.excluded), self.way(step.holding)
        return f"{choice} If {excluded}, {reason}. So {holding}."

    def reason_against(self, step: Order) -> str:
        """Return the reason why the excluded way of an order is impossible."""
        path, excluded = step.against, step.excluded
        turns = [i for i, hop in enumerate(path) if hop.reason == "supposition"]
        if len(turns) != 1:
            ticks = sum(hop.ticks for hop in path)
            fact = self.fact(path[0].source, path[-1].target, ticks)
            return f"this is impossible, since {fact} ({self.sum(path)})"
        turn = turns[0]
        before, after = path[turn + 1 :], path[:turn]
        head = sum(hop.ticks for hop in before)
        tail = sum(hop.ticks for hop in after)
        parts = []
        if before:
            fact = self.fact(_BEGIN, excluded.source, head)
            parts.append(f"{fact} ({self.sum(before)})")
        if after:
            fact = self.fact(excluded.target, _END, tail)
            parts.append(f"{fact} ({self.sum(after)})")
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
        user = self.name(names[2])
        if step.kind == "mode":
            return f"{user} has to wait for {first} or for {second}, depending on its mode."
        return f"{first} changes the state of the {subject}, which {second} sets for {user}."

    def way(self, way: Hop) -> str:
        """Return one way of a choice as text."""
        source_kind, source = way.source
        verb = "starts" if source_kind == "start" else "comes"
        action, target = self.name(source), self.name(way.target[1])
        return f"{action} {verb} before {target}"

    def split(self, step: Split) -> Iterator[str]:
        first, second = (self.way(case.assumed) for case in step.cases)
        choice = _upper(self.choice(step))
        yield f"({step.number}) {choice} Either {first}, or {second}."
        for letter, case in zip("ab", step.cases, strict=True):
            way = self.way(case.assumed)
            yield f"    Case {step.number}{letter}: {way}."
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
    if word == "step" and number.isdigit() and recipe:
        return number, recipe
    return "", ""


def _enumerate(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    beginning = ", ".join(names[:-1])
    return f"{beginning} and {names[-1]}"


def _upper(text: str) -> str:
    """Capitalize a sentence, unless it begins with an identifier."""
    first_word = text.partition(" ")[0]
    if "/" in first_word:
        return text
    return text[:1].upper() + text[1:]


def _join_rests(hops: Sequence[Hop]) -> list[Hop]:
    """Join hops that subtract an action's attended part and add its duration: the sum is the rest of it."""
    joined: list[Hop] = []
    for hop in hops:
        last = joined[-1] if joined else None
        if last is not None and last.reason == "attended" and last.ticks < 0 and hop.reason == "duration":
            ticks = last.ticks + hop.ticks
            joined[-1] = Hop(last.source, hop.target, ticks, "rest")
        else:
            joined.append(hop)
    return joined
