"""Rules of blocking job shops: an operation starts once its job has arrived and its machine is free."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planoracle.plugin import (
    LegalCommand,
    Other,
    Plan,
    Replay,
    ReplayEvent,
    Rules,
    Run,
    Simulator,
    Step,
    Violation,
    fold,
)

from .shop import BlockingShop, Job

#: Number of commands after which a run ends.
MAX_COMMANDS = 1_000


class ShopState(NamedTuple):
    """State of a run; immutable.

    Attributes
    ----------
    starts
        Starts of the operations of each job, as far as they have started.
    steps
        Effects of all commands.
    """

    starts: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...] = ()


class ShopSimulator(Simulator[ShopState, str]):
    """Rules of one shop; a command names the job whose next operation starts."""

    def __init__(self, shop: BlockingShop) -> None:
        self.shop = shop
        self._positions = {job.name: position for position, job in enumerate(shop.jobs)}

    def initial(self) -> ShopState:
        """Return the state in which nothing has started."""
        return ShopState(tuple(() for _ in self.shop.jobs))

    def apply(self, state: ShopState, command: str) -> tuple[ShopState, tuple[Step, ...]]:
        """Start the next operation of a job, unless the rules refuse it."""
        count = len(state.steps)
        now = self.clock(state)
        refusal = self._refusal(state, command)
        if refusal is not None:
            step = Step(count, command, "lost", now, now, refusal)
            return ShopState(state.starts, (*state.steps, step)), (step,)
        position = self._positions[command]
        started = state.starts[position]
        operation = self.shop.jobs[position].operations[len(started)]
        start = max(self._arrival(state, position), self._free_from(state, operation.machine))
        step = Step(count, command, "act", start, start + operation.duration)
        starts = (*state.starts[:position], (*started, start), *state.starts[position + 1 :])
        return ShopState(starts, (*state.steps, step)), (step,)

    def legal(self, state: ShopState) -> Sequence[LegalCommand]:
        """Return a command for each job whose next machine is not blocked."""
        names = [job.name for job in self.shop.jobs if self._refusal(state, job.name) is None]
        return [LegalCommand(name, "act") for name in names]

    def ended(self, state: ShopState) -> str | None:
        """Return ``completed``, ``deadlock``, or ``limit`` after `MAX_COMMANDS`."""
        if self.success(state):
            return "completed"
        if len(state.steps) >= MAX_COMMANDS:
            return "limit"
        return None if self.legal(state) else "deadlock"

    def clock(self, state: ShopState) -> int:
        """Return the latest start."""
        return max((start for starts in state.starts for start in starts), default=0)

    def success(self, state: ShopState) -> bool:
        """Return True if all operations have started."""
        return all(len(starts) == len(job.operations) for job, starts in zip(self.shop.jobs, state.starts, strict=True))

    def lost(self, state: ShopState) -> str | None:
        """Return ``over`` after a deadlock."""
        return "over" if self.ended(state) == "deadlock" else None

    def verdict(self, state: ShopState) -> Replay:
        """Return the verdict: a success has all operations; refused commands change nothing."""
        total = sum(len(job.operations) for job in self.shop.jobs)
        executed = 0
        events = []
        violations = []
        for step in state.steps:
            if step.violation is None:
                executed += 1
            else:
                violations.append(step.violation)
            accepted = step.violation is None
            events.append(
                ReplayEvent(step.position, step.command[:80], step.start, step.end, accepted, executed / total)
            )
        success = self.success(state)
        makespan = max((step.end for step in state.steps), default=0)
        progress = executed / total
        return Replay(
            tuple(events), tuple(violations), None, executed, progress, float(success), success, makespan, {}, ()
        )

    def _refusal(self, state: ShopState, command: str) -> Violation | None:
        """Return the reason why no operation of a job can start."""
        count = len(state.steps)
        if command not in self._positions:
            return Violation(count, "unknown_job", command[:80])
        position = self._positions[command]
        job = self.shop.jobs[position]
        started = len(state.starts[position])
        if started == len(job.operations):
            return Violation(count, "finished_job", command)
        machine = job.operations[started].machine
        holder = self._holder(state, machine)
        if holder is None or holder is job:
            return None
        return Violation(count, "blocked", command, others=(Other(holder.name),), resource=machine)

    def _holder(self, state: ShopState, machine: str) -> Job | None:
        """Return the job on a machine that cannot leave before its next operation starts."""
        for job, starts in zip(self.shop.jobs, state.starts, strict=True):
            is_under_way = 0 < len(starts) < len(job.operations)
            if is_under_way and job.operations[len(starts) - 1].machine == machine:
                return job
        return None

    def _arrival(self, state: ShopState, position: int) -> int:
        """Return the end of the last operation of a job."""
        starts = state.starts[position]
        if not starts:
            return 0
        return starts[-1] + self.shop.jobs[position].operations[len(starts) - 1].duration

    def _free_from(self, state: ShopState, machine: str) -> int:
        """Return the time at which the last job leaves a machine."""
        latest_departure = 0
        for job, starts in zip(self.shop.jobs, state.starts, strict=True):
            for number, start in enumerate(starts):
                operation = job.operations[number]
                if operation.machine == machine:
                    departures = starts[number + 1 : number + 2]
                    departure = departures[0] if departures else start + operation.duration
                    latest_departure = max(latest_departure, departure)
        return latest_departure


class ShopRun(Run[BlockingShop, list[str], Rules]):
    """Replay of one plan."""

    def __init__(self, problem: BlockingShop, plan: Plan[list[str]], rules: Rules) -> None:
        simulator = ShopSimulator(problem)
        self.state, self._steps = fold(simulator, plan.commands)
        super().__init__(problem, plan, rules, simulator.verdict(self.state))

    @property
    def steps(self) -> list[Step]:
        """Effects of all commands that the run reached."""
        return self._steps


def simulator(problem: BlockingShop, rules: Rules) -> ShopSimulator:
    """Return the rules of a shop as code."""
    return ShopSimulator(problem)


def replay(problem: BlockingShop, plan: Plan[list[str]], rules: Rules) -> ShopRun:
    """Replay a plan."""
    return ShopRun(problem, plan, rules)
