"""The benchmarks behind one small interface: plan language and rules, by the instance's ``benchmark``."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from planoracle.instances.errors import InternalError, PlanError
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json
from planoracle.instances.referee import referee
from planoracle.instances.replay import Replay
from planoracle.instances.schedule import MAX_PIECES, Piece, Schedule
from planoracle.instances.validate import MAX_NAME

__all__ = ["MAX_PIECES", "MAX_TIME", "Language", "certify", "language"]

#: Largest number in a plan for an own instance; more than any needs. As many pieces are read as cutting may lead to.
MAX_TIME = 10**40


class Language(Protocol):
    """How a benchmark writes schedules as plans, and what its rules say of a plan's text."""

    def render(self, instance: Instance, schedule: Schedule) -> str:
        """Write a schedule as a plan."""
        ...

    def parse(self, instance: Instance, text: Any) -> Schedule:
        """Read a plan as a schedule in normal form; raises `PlanError`."""
        ...

    def replay(self, instance: Instance, text: Any) -> Replay:
        """Replay a plan by the benchmark's rules (profile ``paper``); raises `PlanError`."""
        ...


class _Own:
    """Own instances: a plan is the JSON list of a schedule's pieces."""

    def render(self, instance: Instance, schedule: Schedule) -> str:
        return json.dumps([piece._asdict() for piece in schedule.pieces])

    def parse(self, instance: Instance, text: Any) -> Schedule:
        rows = load_json(text, "plan") if isinstance(text, str | bytes) else text
        if not isinstance(rows, list):
            raise PlanError("must be a list of pieces", field="plan", value=rows)
        if len(rows) > MAX_PIECES:
            raise PlanError(f"holds more than {MAX_PIECES} pieces", field="plan")
        return Schedule.of(instance, [self._piece(instance, row, f"plan[{i}]") for i, row in enumerate(rows)])

    @staticmethod
    def _piece(instance: Instance, row: Any, field: str) -> Piece:
        if not isinstance(row, dict) or not {"action", "start", "duration"} <= set(row) <= set(Piece._fields):
            raise PlanError("must be an object with action, start, duration, agent, mode", field=field, value=row)
        row = {"mode": 0, "agent": None} | row
        if not isinstance(row["action"], str) or row["action"] not in instance.by_id:
            raise PlanError("there is no such action", field=f"{field}.action", value=row["action"])
        for key in ("start", "duration", "mode"):
            if isinstance(row[key], bool) or not isinstance(row[key], int) or not 0 <= row[key] <= MAX_TIME:
                raise PlanError(f"must be a whole number up to {MAX_TIME}", field=f"{field}.{key}", value=row[key])
        agent = row["agent"]
        if agent is not None and not (isinstance(agent, str) and len(agent) <= MAX_NAME):
            raise PlanError(
                f"must be null or a name of at most {MAX_NAME} characters", field=f"{field}.agent", value=agent
            )
        return Piece(**row)

    def replay(self, instance: Instance, text: Any) -> Replay:
        return referee(instance, self.parse(instance, text))


class _Recipe2Plan:
    def render(self, instance: Instance, schedule: Schedule) -> str:
        from planoracle.instances.recipe2plan import language

        return language.render(schedule)

    def parse(self, instance: Instance, text: Any) -> Schedule:
        from planoracle.instances.recipe2plan import language

        return language.to_schedule(language.parse(text, instance), instance)

    def replay(self, instance: Instance, text: Any) -> Replay:
        from planoracle.instances.recipe2plan import language, rules

        return rules.replay(instance, language.parse(text, instance))


class _TimeArena:
    """TimeArena: a plan is the list of the agent's decisions, one a line."""

    def render(self, instance: Instance, schedule: Schedule) -> str:
        from planoracle.instances.timearena import encode

        return "\n".join(encode.decisions(instance, schedule))

    def parse(self, instance: Instance, text: Any) -> Schedule:
        from planoracle.instances.timearena import encode

        return encode.to_schedule(instance, self._decisions(text))

    def replay(self, instance: Instance, text: Any) -> Replay:
        from planoracle.instances.timearena import profile, rules
        from planoracle.instances.timearena.world import world

        chosen = instance.origin if isinstance(instance.origin, profile.Profile) else profile.PROFILES["paper"]
        limit = instance.time_limit if instance.time_limit is not None else 10**6
        return rules.as_replay(rules.replay(world(instance.name), self._decisions(text), limit, chosen))

    @staticmethod
    def _decisions(text: Any) -> list[str]:
        made = text.splitlines() if isinstance(text, str) else text
        if not isinstance(made, list) or not all(isinstance(decision, str) for decision in made):
            raise PlanError("must be a text or a list of decisions", field="plan", value=text)
        return made


class _AsyncTool:
    """AsyncTool: a plan is the agent's messages, one a line."""

    def render(self, instance: Instance, schedule: Schedule) -> str:
        from planoracle.instances.asynctool import encode

        return "\n".join(map(json.dumps, encode.transcript(encode.problem_of(instance), schedule)))

    def parse(self, instance: Instance, text: Any) -> Schedule:
        from planoracle.instances.asynctool import encode, language

        return encode.to_schedule(instance, language.messages(text))

    def replay(self, instance: Instance, text: Any) -> Replay:
        from planoracle.instances.asynctool import encode, language, rules

        return rules.as_replay(rules.replay(encode.problem_of(instance), language.messages(text)))


@cache
def language(benchmark: str) -> Language:
    """Return the language of a benchmark."""
    languages: dict[str, Callable[[], Language]] = {
        "own": _Own,
        "recipe2plan": _Recipe2Plan,
        "timearena": _TimeArena,
        "asynctool": _AsyncTool,
    }
    return languages[benchmark]()


def certify(instance: Instance, schedule: Schedule, makespan: int | None = None) -> str:
    """Render a schedule, read the text back and replay it by the rules; return the text.

    Nothing that planoracle computed is handed out without this.

    Raises
    ------
    InternalError
        If the plan breaks a rule, does not finish, or its makespan is not the one claimed.
    """
    speech = language(instance.benchmark)
    text = speech.render(instance, schedule)
    replay = speech.replay(instance, text)
    claimed = schedule.makespan if makespan is None else makespan
    if replay.violations or not replay.success or replay.makespan != claimed:
        fault = replay.violations[0] if replay.violations else f"makespan {replay.makespan}, not {claimed}"
        raise InternalError(f"{instance.name}: a schedule of ours does not pass the rules: {fault}")
    return text
