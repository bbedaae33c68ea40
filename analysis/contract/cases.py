"""Cases of the contract suite, failures of checks, and random play."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from planoracle.analysis.agents.agent import play
from planoracle.analysis.agents.solver_agents import Optimal
from planoracle.analysis.grading.grader import Grade, Grader
from planoracle.analysis.grading.oracle import SolverOracle
from planoracle.instances.errors import InputError
from planoracle.instances.files.catalog import names_of, problem
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.limits import WorkLimit
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.protocol.environment import AnyEnvironment, RunConfig
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import replay_rules
from planoracle.instances.protocol.simulator import Step
from planoracle.instances.text import to_json
from planoracle.solver.kinds.registry import kind_of
from planoracle.solver.result import Result
from planoracle.solver.solve import has_solver, no_solver_reason, solve

#: Effort limit per problem and per state of a run.
WORK = WorkLimit(3.0)
#: Effort limit per state in checks of many states.
FAST = WorkLimit(0.5)
#: Numbers of random runs of a check, messages of a run, and commands tried in one state.
RUNS, LONGEST = 2, 30
MOST_TRIED = 5

# Names drawn for each problem of a sample; the smallest problems are checked, since they are solved quickly.
_DRAWN = 4

_NUMBER = re.compile(r"\d+")


class BrokenContractError(Exception):
    """Failed check; the message states expectation, actual value and command."""


class NotApplicableError(Exception):
    """Check that does not apply to a problem; the message is the reason."""


def require(holds: object, expected: str, actual: object = "", command: object = None) -> None:
    """Raise `BrokenContractError` unless a condition holds."""
    if not holds:
        after = "" if command is None else f" (command {_short(command)})"
        raise BrokenContractError(f"expected {expected}; found {_short(actual)}{after}")


def require_equal(actual: object, expected: object, subject: str, command: object = None) -> None:
    """Raise `BrokenContractError` unless two values are equal."""
    require(actual == expected, f"{subject} {_short(expected)}", actual, command)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 400 else f"{text[:400]} ..."


def is_refused(results: Sequence[Step]) -> bool:
    """Return true if no command of a message was executed."""
    return all(step.kind == "lost" for step in results)


def sample(benchmark: AnyBenchmark, count: int, seed: int) -> list[Problem]:
    """Return a sample of problems of a benchmark, the last with two agents if the benchmark allows them.

    Problems are bundled ones, or generated if none are bundled. The smallest of a random draw are returned.
    """
    names, drawn = list(names_of(benchmark)), _DRAWN * count
    problems: list[Problem] = []
    if names:
        problems = [problem(name) for name in Random(seed).sample(names, min(len(names), drawn))]
    elif benchmark.generator is not None:
        problems = [generate(benchmark.name, seed, number).problem for number in range(drawn)]

    def size(candidate: Problem) -> int:
        return len(to_json(benchmark.document(candidate)))

    chosen = sorted((entry for entry in problems if entry.benchmark == benchmark.name), key=size)[:count]
    if count > 1 and chosen:
        with suppress(InputError):
            pair = benchmark.with_agents(chosen[0], "~2")
            chosen[-1:] = [pair] if pair.benchmark == benchmark.name else chosen[-1:]
    return chosen


class PlayedMessage(NamedTuple):
    """A message of a random run, the run before and after it, and the results of its commands."""

    before: AnyEnvironment
    run: AnyEnvironment
    message: str
    results: Sequence[Step]
    random: Random


@dataclass(frozen=True)
class ContractCase:
    """A problem under one rule profile, with the seed of random choices."""

    problem: Problem
    profile: str
    rules: Rules
    seed: int

    def __str__(self) -> str:
        return f"{self.problem.name}, profile {self.profile}, seed {self.seed}"

    @property
    def benchmark(self) -> AnyBenchmark:
        """Benchmark of the problem."""
        return registry.of(self.problem)

    def require_solver(self) -> None:
        """Raise `NotApplicableError` if no solver accepts the problem."""
        if not has_solver(self.problem):
            raise NotApplicableError(no_solver_reason(self.problem))

    def require_state_values(self) -> None:
        """Raise `NotApplicableError` if states of runs of the problem have no values."""
        self.require_solver()
        refusal = kind_of(self.problem).values_refusal(self.problem)
        if refusal:
            raise NotApplicableError(refusal)

    def environment(self, **config: Any) -> AnyEnvironment:
        """Return a live run, by default without the limits of the harness."""
        return self.benchmark.environment(self.problem, self.rules, RunConfig(**{"bounded": False} | config))

    @property
    def oracle(self) -> SolverOracle:
        """Oracle with the limit of work."""
        return SolverOracle(WORK)

    @cached_property
    def optimum(self) -> Result:
        """Best plan under the rules.

        Raises
        ------
        NotApplicableError
            If no plan is known.
        RefusedPlanError
            If a rule refuses the plan of the solver.
        """
        problem = self.benchmark.under(self.problem, self.rules)
        best: Any = self.oracle.best(problem, self.rules)
        rules = replay_rules(problem, self.rules)
        if best.plan is None and rules is not None and kind_of(problem).has_interval_model:
            best = solve(problem, rules=rules, time_limit=WORK)
        if best.plan is None:
            raise NotApplicableError(f"no plan of {self.problem.name} was computed within the effort limit")
        return best  # type: ignore[no-any-return]

    @cached_property
    def optimal_run(self) -> tuple[AnyEnvironment, tuple[str, ...]]:
        """Live run of the agent ``optimal``, and its messages."""
        _ = self.optimum
        played = asyncio.run(play(self.environment(), Optimal(limit=WORK)))
        if played.failure is not None:
            raise NotApplicableError(str(played.failure))
        return played.environment, tuple(exchange.message for exchange in played.exchanges)

    def grade(self, environment: AnyEnvironment) -> Grade:
        """Grade the submission of a live run."""
        return Grader(oracle=self.oracle).grade_run(environment.run(), environment.submission())

    def runs(self, odd: float = 0.0, longest: int = LONGEST) -> Iterator[Iterator[PlayedMessage]]:
        """Yield random runs, message by message.

        Parameters
        ----------
        odd
            Share of messages that are mutated commands or no commands.
        longest
            Maximum number of messages of a run.
        """
        for number in range(RUNS):
            random = Random(f"{self.problem.name} {self.profile} {self.seed} {number}")
            yield self._moves(random, odd, longest)

    def moves(self, odd: float = 0.0, longest: int = LONGEST) -> Iterator[PlayedMessage]:
        """Yield the messages of all random runs, see `runs`."""
        return chain.from_iterable(self.runs(odd, longest))

    def _moves(self, random: Random, odd: float, longest: int) -> Iterator[PlayedMessage]:
        run, space = self.environment(), self.benchmark.action_space(self.problem)
        commands = [] if space is None or space.timed else list(space.names)
        for _ in range(longest):
            if run.done:
                break
            commands += [command.text for command in run.legal()]
            message = mutate(commands, random) if random.random() < odd else choose(run, random)
            before = run.fork()
            yield PlayedMessage(before, run, message, run.step(message).outcomes, random)


def choose(run: AnyEnvironment, random: Random) -> str:
    """Return a legal command at random, a closing one only if there is no other."""
    legal = run.legal()
    require(legal, "a legal command, since the run is not over", legal)
    return random.choice([command for command in legal if command.kind != "close"] or legal).text


def mutate(commands: Sequence[str], random: Random) -> str:
    """Return an earlier legal command, a mutation of one, or text without a command."""
    text = random.choice(commands)
    second_text = random.choice(commands)
    numbers = list(_NUMBER.finditer(text))
    mixture = text.replace(text.split()[-1], second_text.split()[-1])
    options = [text, second_text, "Nothing that means anything", mixture]
    if numbers:
        number = random.choice(numbers)
        before, after = text[: number.start()], text[number.end() :]
        options += [f"{before}{int(number[0]) + increment}{after}" for increment in (1, 2, 10)]
    return random.choice(options)


def view(run: AnyEnvironment) -> tuple[object, ...]:
    """Return all visible parts of the state of a live run."""
    return run.done, run.observation, run.legal(), run.situation(), run.submission(), run.messages()


def broken_plans(case: ContractCase) -> list[object]:
    """Return broken plans: the optimal one with commands removed, swapped and inserted."""
    run, messages = case.optimal_run
    random = Random(case.seed)
    plans: list[object] = []
    for _ in range(2):
        texts = list(run.run().command_texts)
        first, second = (random.randrange(len(texts)) for _ in range(2))
        texts[first], texts[second] = texts[second], texts[first]
        del texts[random.randrange(len(texts))]
        texts.insert(random.randrange(len(texts) + 1), mutate(messages, random))
        repeated = case.environment()
        for text in texts:
            if not repeated.done:
                repeated.step(text)
        record = repeated.submission()
        plans.append(
            next(value for key, value in record.items() if key in (*case.benchmark.plan_fields, "submissions"))
        )
    return plans
