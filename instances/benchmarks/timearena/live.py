"""Live environment of TimeArena: one decision for every minute in which the agent is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from planoracle.instances.benchmarks.timearena.feedback import fault
from planoracle.instances.benchmarks.timearena.language import decision
from planoracle.instances.benchmarks.timearena.rules import WRONG, Play, Profile, exits
from planoracle.instances.benchmarks.timearena.scenario import Object, RoleKey, Scenario, label, words, world
from planoracle.instances.model.cache import ProblemCache
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.capabilities import ActionSpace
from planoracle.instances.protocol.environment import CommandOutcome, Reward, RunConfig
from planoracle.instances.protocol.feedback import ClockFormat, clock_of, listed, sentence
from planoracle.instances.protocol.old_environment import OldEnvironment
from planoracle.instances.protocol.settings import Setting, by_name
from planoracle.instances.protocol.simulator import LegalCommand

_INSTRUCTIONS = """You do several tasks at the same time, as fast as you can. Time passes in minutes. A decision is
- an action: a verb and an object (wash cup), or verb, object, preposition and object (pour kettle into cup);
- or wait: a minute passes.
Some actions occupy you until they end; only then are you asked again. Others go on by themselves after the minute in \
which you start them. While an action goes on, its objects are in use. Many actions need others to be done before. A \
decision that cannot be carried out costs a minute; {most} of them in a row end the run."""

_ONE = "\nAnswer every message with one decision, and you are told what came of it."
_ALL = "\nAnswer with all your decisions in order, one a line, for every minute in which no action occupies you."


@ProblemCache
def _times(problem: Instance) -> ClockFormat:
    return clock_of(problem)


class _Scene(NamedTuple):
    """State of a live run; ``decisions`` is its last decision, linked to those before."""

    play: Play
    decisions: tuple[str, object] | None = None
    end: str | None = None


class TimeArenaEnvironment(OldEnvironment[Instance, Profile, _Scene]):
    """A run in which every message holds one decision.

    As in the paper the agent does not see durations and prerequisites. With an open loop, where it cannot
    find out, it does.

    Examples
    --------
    >>> from planoracle import environment, load
    >>> run = environment(load("timearena/household1"))
    >>> print(run.step("First I start the kettle: activate kettle").observation.text)
    Minute 0: activate kettle begins, and goes on by itself.
    It is minute 1, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).
    >>> print(run.step("pour kettle into teapot").observation.text)
    Minute 1: "pour kettle into teapot" finds kettle in use by 'activate kettle' until minute 4.
    It is minute 2, 0 % of the work is done. In use: kettle (activate kettle, until minute 4).
    """

    def instructions(self) -> str:
        """Return what decisions there are, and what becomes of them."""
        most = _INSTRUCTIONS.format(most=self.rules.max_wrong_streak)
        return most + (_ALL if self.config.loop == "open" else _ONE)

    def introduction(self) -> str:
        """Return the tasks, the actions that there are, and the objects with their state; see the class."""
        scene = self._world
        forms = {verb: _form(verb) for verb in sorted(scene.verbs)}
        alone = [form for verb, form in forms.items() if not scene.verbs[verb]]
        lines = [f"The tasks: {'; '.join(map(label, scene.tasks))}."]
        lines.append(f"Actions, with objects in place of OBJ: {', '.join(forms.values())}.")
        lines += [f"Those that go on by themselves: {', '.join(alone)}."] * bool(alone)
        lines.append(f"Objects: {', '.join(_with_state(one) for one in scene.objects.values())}.")
        if self.config.loop == "open":
            lines += ["What is to be done:", *_work(scene)]
        return "\n".join([*lines, f"You have {self._limit} minutes."])

    @cached_property
    def _world(self) -> Scenario:
        return world(self.problem.name)

    @cached_property
    def _limit(self) -> int:
        """Minutes that a run may take; no more than a submission can ask for."""
        own = self.benchmark.submission_limit
        most = own.most if own else 0
        return most if self.problem.time_limit is None else min(self.problem.time_limit, most)

    def _begin(self) -> _Scene:
        play = Play(self._world, self.rules)
        return _Scene(play, end=play.settle(self._limit, self.rules.max_wrong_streak))

    def _take(self, world: _Scene, message: object) -> tuple[_Scene, tuple[CommandOutcome, ...]]:
        if world.end:  # the limit leaves no minute
            return world, ()
        text = decision(message, self._world, self.rules)
        before = world.play
        if exits(text, self.rules):
            exit_outcome = CommandOutcome("exit", "lost", before.minute, before.minute, None, "You end the run.")
            return _Scene(before, (text, world.decisions), "exit"), (exit_outcome,)
        play = before.copy()
        play.take(text)
        end = play.settle(self._limit, self.rules.max_wrong_streak)
        return _Scene(play, (text, world.decisions), end), (self._outcome(before, play),)

    def _outcome(self, before: Play, play: Play) -> CommandOutcome:
        first = play.steps[0]
        kind = {"valid": "act", "wait": "wait"}.get(first.kind, "lost")
        wrong = first.kind if first.kind in WRONG else None
        text = "\n".join(map(sentence, self._sentences(before, play)))
        return CommandOutcome(
            first.action if kind == "act" else first.action[:80], kind, before.minute, play.minute, wrong, text
        )

    def _sentences(self, before: Play, play: Play) -> Iterator[str]:
        """Yield what became of a decision, and what ended by itself meanwhile."""
        times = _times(self.problem)
        first = play.steps[0]
        when = times.stretch(before.minute, play.minute)
        if play.faults:
            yield fault(times, play.faults[0])
        elif first.kind == "wait":
            yield f"{when}: you wait"
        else:
            started = dict(play.state.running.items() - before.state.running.items())
            ended = "begins, and goes on by itself" if started else "is done" if play.free else "is not done in time"
            yield f"{when}: {first.action} {ended}"
        over = [_command(key, things) for key, things in before.state.running.items() if key not in play.state.running]
        if over:
            yield f"meanwhile done: {listed(over)}"

    def _answer(self, world: _Scene, outcomes: Sequence[CommandOutcome], over: str | None) -> str:
        if self.config.loop == "open":
            return super()._answer(world, outcomes, over)
        ending = [f"The run is over: {over.replace('_', ' ')}."] if over else []
        times = _times(self.problem)
        if self.config.feedback == "terse":
            kinds = [(one.violation or {"act": "valid"}.get(one.kind, "wait")).replace("_", " ") for one in outcomes]
            texts = [f"{times.stretch(one.start, one.end)}: {kind}" for one, kind in zip(outcomes, kinds, strict=True)]
            return "\n".join([*texts, *ending])
        return "\n".join([*(one.text for one in outcomes), self._situation(world), *ending])

    def _situation(self, world: _Scene) -> str:
        play, moment = world.play, _times(self.problem).moment
        done, total = play.state.done, play.state.total
        used = "; ".join(
            f"{listed(things)} ({_command(key, things)}, until {moment(play.minute + play.state.remaining[key])})"
            for key, things in play.state.running.items()
        )
        now = f"It is {moment(play.minute)}, {100 * done // total} % of the work is done."
        return f"{now} In use: {used}." if used else now

    def _over(self, world: _Scene) -> str | None:
        return world.end

    def _clock(self, world: _Scene) -> int:
        return world.play.minute

    def _legal(self, world: _Scene) -> Sequence[LegalCommand]:
        return [*(LegalCommand(text, "act") for text in world.play.state.commands()), LegalCommand("wait", "wait")]

    def _handed_in(self) -> dict[str, object]:
        decisions: list[str] = []
        last: object = self.state.world.decisions
        while isinstance(last, tuple):
            decisions.append(last[0])
            last = last[1]
        return {"actions": decisions[::-1], "time_limit": self._limit}


def _form(verb: str) -> str:
    head, gap, preposition = verb.partition(" ")
    return f"{head} OBJ {preposition} OBJ" if gap else f"{head} OBJ"


def _command(key: RoleKey, things: Sequence[str]) -> str:
    """Write work that goes on as the decision that started it."""
    head, _, preposition = key[1].partition(" ")
    return " ".join((head, things[0], preposition, *things[1:]) if preposition else (head, *things))


def _with_state(thing: Object) -> str:
    """Name an object and the state that it is in at the beginning."""
    states = (role.states[0] for role in thing.roles.values() if role.states[0])
    state = next(states, None)
    return f"{thing.name} ({state})" if state else thing.name


def _work(scene: Scenario) -> Iterator[str]:
    """Yield how long actions take and what they need, object by object."""
    for thing in scene.objects.values():
        for role in thing.roles.values():
            after = listed([words(name, verb) for name, verb, _ in role.needs])
            if role.minutes:
                parts = [f"- {words(thing.name, role.verb)}: {role.minutes} min"]
                parts += [] if scene.verbs[role.verb] else ["by itself"]
                yield ", ".join([*parts, f"after {after}"] if after else parts)
            elif after:
                yield f"- {_form(role.verb)[:-3]}{thing.name}: after {after}"


def live(problem: Instance, rules: Profile, config: RunConfig, reward: Reward | None) -> TimeArenaEnvironment:
    """Return one run of an agent on a combination of tasks."""
    return TimeArenaEnvironment(problem, rules, config, reward)


def action_space(problem: Instance) -> ActionSpace:
    """Return all actions, and the wait."""
    return ActionSpace((*world(problem.name).commands, "wait"))


SETTINGS = by_name([Setting("vanilla", "one decision a minute", __package__, "task", "vanilla")])
