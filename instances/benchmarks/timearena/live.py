"""Texts of live runs of TimeArena: one decision for every minute in which the agent is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from math import inf

from planoracle.instances.benchmarks.timearena.feedback import fault
from planoracle.instances.benchmarks.timearena.language import decision, logged
from planoracle.instances.benchmarks.timearena.problems import Object, RoleKey, Scenario, label, words, world
from planoracle.instances.benchmarks.timearena.released_texts import Texts, texts
from planoracle.instances.benchmarks.timearena.rules import PROFILES, Profile
from planoracle.instances.benchmarks.timearena.simulation import ArenaState, TimeArenaSimulator, kind_of, roles_of
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.feedback import ClockFormat, clean, listed, sentence
from planoracle.instances.protocol.live import LiveText, ending
from planoracle.instances.protocol.simulator import Step, entries_of

_INSTRUCTIONS = """You do several tasks at the same time, as fast as you can. Time passes in minutes. A decision is
- an action: a verb and an object (wash cup), or verb, object, preposition and object (pour kettle into cup);
- or wait: a minute passes.
Some actions{occupying} occupy you until they end; only then are you asked again. Others{autonomous} go on by \
themselves after the minute in which you start them. While an action goes on, its objects are in use. Many actions \
need others to be done before. A decision that cannot be carried out costs a minute; {most} of \
them in a row end the run."""

# Longest text of a task or an action in the user's clone, in characters.
_LONGEST = 300
_ONE = "\nAnswer every message with one decision, and you are told what came of it."
_ALL = "\nAnswer with all your decisions in order, one a line, for every minute in which no action occupies you."


class TimeArenaText(LiveText[Instance, Profile, ArenaState]):
    """Texts of a run in which every message contains one decision.

    As in the paper, the agent does not see durations and prerequisites; the start of an action states its duration.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("timearena/household1"))
    >>> print(run.step("First I start the kettle: activate kettle").observation.text)
    Minute 0: activate kettle begins, and will take 4 min.
    It is minute 1, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).
    >>> print(run.step("pour kettle into teapot").observation.text)
    Minute 1: "pour kettle into teapot" needs kettle, in use by 'activate kettle' until minute 4.
    It is minute 2, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).
    """

    simulator: TimeArenaSimulator

    @cached_property
    def clock(self) -> ClockFormat:
        """Format of minutes."""
        return self.benchmark.clock(self.problem)

    def instructions(self) -> str:
        """Return the forms of decisions and their effects."""
        form = _ALL if self.config.loop == "open" else _ONE
        examples = ("", "") if self.config.wording == 1 else (" (such as wash OBJ)", " (such as heat OBJ)")
        occupying, autonomous = examples
        limit = self.rules.max_wrong_streak
        return _INSTRUCTIONS.format(most=limit, occupying=occupying, autonomous=autonomous) + form

    def introduction(self) -> str:
        """Return the tasks, the actions, and the objects with their states.

        In the first wording, durations and prerequisites follow with an open loop.
        """
        scene = self.simulator.world
        tasks = "; ".join(map(self._task, scene.tasks))
        objects = ", ".join(map(_with_state, scene.objects.values()))
        lines = [f"The tasks: {tasks}.", *self._actions(scene)]
        lines.append(f"Objects: {objects}.")
        if self.config.loop == "open" and self.config.wording == 1:
            lines += ["What is to be done:", *_work(scene)]
        return "\n".join([*lines, f"You have {self.simulator.limit} minutes."])

    @cached_property
    def _released(self) -> Texts | None:
        """Texts of the user's clone of the repository, if any; the first wording has none."""
        return None if self.config.wording == 1 else texts()

    def _task(self, name: str) -> str:
        """Describe a task."""
        if self._released is None:
            return label(name)
        return clean(self._released.tasks[name], _LONGEST).rstrip(".")

    def _phrase(self, verb: str) -> str:
        """Describe an action, ``""`` for an unknown one."""
        if self._released is None:
            return _phrases().get(verb, "")
        return clean(self._released.actions.get(verb, ""), _LONGEST)

    def _actions(self, scene: Scenario) -> Iterator[str]:
        """Yield lines about the actions: a phrase for each, in the first wording those that are autonomous."""
        forms = {verb: _form(verb) for verb in sorted(scene.verbs)}
        if self.config.wording == 1:
            alone = [form for verb, form in forms.items() if not scene.verbs[verb]]
            yield f"Actions, with objects in place of OBJ: {', '.join(forms.values())}."
            if alone:
                yield f"Those that go on by themselves: {', '.join(alone)}."
            return
        yield "Actions, with objects in place of OBJ:"
        for verb, form in forms.items():
            phrase = self._phrase(verb)
            yield f"- {form}: {phrase}" if phrase else f"- {form}"
        yield "- wait: let a minute pass"

    def command(self, state: ArenaState, message: object) -> str:
        """Return the decision of a message."""
        return decision(message, self.simulator.world, self.rules)

    def step_text(self, before: ArenaState, after: ArenaState, step: Step) -> str:
        """Return the effect of a decision, and the autonomous work that ended meanwhile."""
        if step.kind == "lost" and step.violation is None:
            return "You end the run."
        lines = [*self._effects(after, step)]
        over = before.running.keys() - after.running.keys()
        if over:
            ended = [(key, things) for key, things in before.running.items() if key in over]
            commands = [_command(key, things) for key, things in ended]
            lines.append(f"meanwhile done: {listed(commands)}")
        return "\n".join(map(sentence, lines))

    def _effects(self, after: ArenaState, step: Step) -> Iterator[str]:
        """Yield the start and the end of the work of a decision; in the first wording one of them."""
        when = self.clock.stretch(step.start, step.end)
        if step.violation is not None:
            yield fault(self.clock, step.violation)
            return
        if step.kind == "wait":
            yield f"{when}: you wait"
            return
        key = roles_of(step.command)[0]
        is_running = key in after.running
        done = "is not done in time" if after.remaining[key] else "is done"
        if self.config.wording == 1:
            yield f"{when}: {step.command} {'begins, and goes on by itself' if is_running else done}"
            return
        yield f"{self.clock.moment(step.start)}: {step.command} begins, and will take {self._minutes(key)} min"
        if not is_running:
            yield f"{self.clock.moment(step.end - 1)}: {step.command} {done}"

    def _minutes(self, key: RoleKey) -> int:
        """Return the duration of an action in minutes."""
        name, verb, *_ = key
        roles = self.simulator.world.objects[name].roles.values()
        return next(role.minutes for role in roles if role.verb == verb and role.minutes)

    def answer(self, before: ArenaState, after: ArenaState, steps: Sequence[Step], over: str | None) -> str:
        """Return the effect of a decision and the situation, or only the kind of its feedback."""
        if self.config.loop == "open":
            return super().answer(before, after, steps, over)
        if self.config.feedback == "detailed":
            texts = [self.step_text(before, after, step) for step in steps]
            texts.append(self.situation(after))
        else:
            texts = [self._terse_text(step) for step in steps]
        return "\n".join([*texts, *ending(over)])

    def _terse_text(self, step: Step) -> str:
        """Return the kind of feedback on a decision."""
        when = self.clock.stretch(step.start, step.end)
        return f"{when}: {kind_of(step).replace('_', ' ')}"

    def situation(self, state: ArenaState) -> str:
        """Return the minute, the share of the work done, and the objects in use."""
        moment = self.clock.moment
        uses: list[str] = []
        for key, things in state.running.items():
            end = moment(state.minute + state.remaining[key])
            command = _command(key, things)
            objects = listed(things)
            uses.append(f"{objects} ({command}, until {end})")
        done = 100 * state.done // self.simulator.world.minutes
        now = f"It is {moment(state.minute)}, {done} % of the work is done."
        return f"{now} In use: {'; '.join(uses)}." if uses else now

    @property
    def time_limit(self) -> int | None:
        """Minutes after which the run ends."""
        limit = self.simulator.limit
        return None if limit == inf else int(limit)

    def submission(self, state: ArenaState) -> dict[str, object]:
        """Return the decisions and the limit."""
        decisions = [decision.text for decision in entries_of(state.decisions)]
        return {"actions": logged(decisions, self.simulator.world), "time_limit": self.simulator.limit}


#: Class of the texts of live runs.
TEXT = TimeArenaText


@cache
def _phrases() -> Mapping[str, str]:
    path = files(__package__) / "data" / "actions.json"
    phrases: Mapping[str, str] = load_json(path.read_bytes(), path.name)
    return phrases


def _form(verb: str) -> str:
    head, gap, preposition = verb.partition(" ")
    return f"{head} OBJ {preposition} OBJ" if gap else f"{head} OBJ"


def _command(key: RoleKey, things: Sequence[str]) -> str:
    """Write running work as the decision that started it."""
    head, _, preposition = key[1].partition(" ")
    if not preposition:
        return " ".join((head, *things))
    first, *further = things
    return " ".join((head, first, preposition, *further))


def _with_state(thing: Object) -> str:
    """Name an object with its initial state."""
    state = next((role.state for role in thing.roles.values() if role.state), None)
    return f"{thing.name} ({state})" if state else thing.name


def _work(scene: Scenario) -> Iterator[str]:
    """Yield durations and prerequisites of actions, object by object."""
    for thing in scene.objects.values():
        for role in thing.roles.values():
            prerequisites = [words(name, verb) for name, verb, _ in role.needs]
            after = listed(prerequisites)
            if role.minutes:
                work = words(thing.name, role.verb)
                parts = [f"- {work}: {role.minutes} min"]
                if not scene.verbs[role.verb]:
                    parts.append("by itself")
                if after:
                    parts.append(f"after {after}")
                yield ", ".join(parts)
            elif after:
                form = _form(role.verb)[:-3]
                yield f"- {form}{thing.name}: after {after}"


def action_space(problem: Instance) -> ActionSpace:
    """Return all actions under any profile, and the wait."""
    commands: dict[str, None] = {}
    for rules in PROFILES.values():
        commands |= dict.fromkeys(world(problem.name, rules).commands)
    return ActionSpace((*commands, "wait"))
