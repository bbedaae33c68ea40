"""Gymnasium environments, registered on import as ``planoracle/TITLE-v0``.

>>> import gymnasium
>>> import planoracle.analysis.adapters.gym
>>> run = gymnasium.make("planoracle/TimeArena-v0", instance="timearena/household1", reward=None)
>>> observation, info = run.reset(seed=0)
>>> [command.text for command in run.unwrapped.commands().values()]
['activate kettle', 'wash teapot', 'wash cup', 'wait']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from planoracle.analysis.adapters import need
from planoracle.analysis.api import environment, read
from planoracle.analysis.grading.problem_loader import Recent
from planoracle.instances.errors import InputError, UnknownNameError
from planoracle.instances.files import catalog
from planoracle.instances.model.problem import Problem, check_problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Reward
from planoracle.instances.protocol.simulator import LegalCommand
from planoracle.instances.text import one_of

try:
    import gymnasium
    from gymnasium import spaces

    from planoracle.analysis.adapters.gym_spaces import Actions, ObservationForm, plain
except ImportError:
    need("gymnasium", "gym")
    raise

# Reason for the end of a run that has had all its steps.
_STOPPED = "stopped"
#: Ends of runs that are reported as truncation, because the problem does not define them.
CUT = frozenset({"message_limit", "action_limit", _STOPPED})
# Value of the option ``reward`` for the default of the benchmark.
_DEFAULT = "default"
# Problems of a set whose runs, with the values that their rewards have computed, are kept.
_MOST_RUNS = 128


#: Names, sets, files and problems, of which an environment samples.
Instances: TypeAlias = str | Path | Problem | Iterable[str | Path | Problem]


def _problems(benchmark: str | None, instance: Instances | None) -> dict[str, Problem]:
    """Return the problems of an environment by name; raises `InputError` unless all are of one benchmark."""
    if instance is None:
        instance = () if benchmark is None else islice(catalog.names_of(registry.get(benchmark)), 1)
    parts = instance if isinstance(instance, Iterable) and not isinstance(instance, str) else [instance]
    problems: dict[str, Problem] = {}
    for problem in chain.from_iterable(map(_problems_of, parts)):
        benchmark = benchmark or check_problem(problem).benchmark
        if check_problem(problem).benchmark != benchmark:
            message = f"must be a problem of {benchmark}, not {problem.benchmark}"
            raise InputError(message, field="instance", value=problem.name)
        if problems.setdefault(problem.name, problem) != problem:
            raise InputError("must be unique; two problems have it", field="instance", value=problem.name)
    if not problems:
        raise InputError("must name a problem, a set or a file, or be a problem or a list of these", field="instance")
    return problems


def _problems_of(part: str | Path | Problem) -> Iterable[Problem]:
    """Return the problems of a name, a set or a file; a problem is returned as it is."""
    return read(part) if isinstance(part, str | Path) else [part]


def _check_options(options: Mapping[str, object], accepted: Sequence[str]) -> None:
    """Raise `UnknownNameError` for the first option that is not accepted."""
    for name in options:
        if name not in accepted:
            raise UnknownNameError(one_of(name, accepted, "options"), field="option", value=name)


class LiveEnv(gymnasium.Env[dict[str, Any], int]):
    """Gymnasium environment of one problem, or of a set of which each reset samples one.

    An action is a number, see `Actions`; ``action_mask`` in observation and info is 1 for legal actions. An illegal
    action changes nothing and, with the reward ``regret``, costs a tick; info then has ``legal`` False. A number
    outside the action space raises `InputError`. The spaces have the size of the largest problem of the set; a number
    means the same in every state of one problem, and something else in another problem.

    ``info``: ``instance``, the name of the problem; ``action_mask``, ``clock``, and ``over``, the reason for the end
    of the run, or ``""``; after a step also ``legal``, and ``reward`` with details of the reward. Details without a
    value are absent; in a vector environment the mask ``_NAME`` of each detail shows where it is present.

    Parameters
    ----------
    benchmark
        Benchmark that the problems must belong to; ``None``: any, but one for all.
    instance
        Name, set, prefix, glob, file, or problem; or a list of these. By default the first problem of the benchmark.
    reward
        ``regret``, ``score``, ``success``, see `planoracle.analysis.grading.rewards`; ``None``: always 0. By default
        ``regret``, but ``score`` for kitchens, where a regret takes up to seconds, and for ParaCook and Natural Plan,
        whose runs have no regret.
    observation
        See `ObservationForm`.
    profile, feedback
        Rule profile; detail of the feedback, see `planoracle.instances.protocol.environment.RunConfig`.
    limit
        Steps after which a run is truncated; ``None``: unlimited.
    ways, places
        See `Actions`.

    Raises
    ------
    InputError
        For an unknown problem, option or value.
    """

    metadata = {"name": "planoracle_v0", "render_modes": ["ansi"]}  # noqa: RUF012 - as in the class that it extends

    def __init__(
        self,
        benchmark: str | None = None,
        instance: Instances | None = None,
        reward: str | Reward | None = _DEFAULT,
        observation: str = "text",
        profile: str = "paper",
        feedback: str = "detailed",
        limit: int | None = 1000,
        ways: int = 8,
        places: int = 128,
        render_mode: str | None = None,
        **unknown: object,
    ) -> None:
        _check_options(
            unknown, [name for name in signature(LiveEnv).parameters if name not in ("benchmark", "unknown")]
        )
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise InputError("must be a whole number of steps from 1, or None", field="limit", value=limit)
        self.problems = _problems(benchmark, instance)
        self.render_mode = render_mode
        self._actions = {name: Actions(problem, ways, places) for name, problem in self.problems.items()}
        self._seen = ObservationForm(observation, [*self._actions.values()])
        self._limit = limit
        self._runs: Recent[str, AnyEnvironment] = Recent(_MOST_RUNS)
        if reward == _DEFAULT:
            problem = next(iter(self.problems.values()))
            reward = registry.of(problem).step_reward
        self._new_run = partial(environment, reward=reward, feedback=feedback, profile=profile)
        self.observation_space: spaces.Space[dict[str, Any]] = self._seen.space
        self.action_space: spaces.Space[int] = spaces.Discrete(self._seen.count)  # type: ignore[assignment]
        self._begin(next(iter(self.problems)))

    def _begin(self, name: str) -> None:
        """Start the run of a problem."""
        is_new = self._runs.peek(name) is None
        self.run = self._runs.get(name, lambda: self._new_run(self.problems[name]))
        if not is_new:
            self.run.reset()
        self.actions = self._actions[name]
        self._legal = self.actions.legal(self.run)
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a run of a sampled problem, or of ``options["instance"]``.

        The same seed samples the same problems from here on. Nothing else in a run is random.

        Raises
        ------
        InputError
            For an unknown option, or a problem outside the set.
        """
        _check_options(options or {}, ["instance"])
        super().reset(seed=seed)
        names = tuple(self.problems)
        if options:
            name = options["instance"]
            if name not in names:
                raise InputError(one_of(str(name), names, "problems of the environment"), field="instance", value=name)
        else:
            name = names[self.np_random.integers(len(names))]
        self._begin(name)
        return self._observe({})

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Execute an action."""
        command = self._legal.get(self._number_of(action))
        info: dict[str, Any] = {}
        if command is None:
            worth = self._refuse()
        else:
            after = self.run.step(command.text)
            worth = float(after.reward)
            # A vector environment makes one array of each value, which cannot hold None beside a number.
            info = {name: value for name, value in after.info.items() if value is not None}
        worth, ended, cut = self._count_step(worth)
        self._legal = self.actions.legal(self.run)
        seen, info = self._observe({"reward": info, "legal": command is not None})
        return seen, worth, ended, cut, info

    def render(self) -> str | None:
        """Return the text of the last observation in render mode ``ansi``, else ``None``."""
        return plain(self.run.observation.text) if self.render_mode == "ansi" else None

    def submission(self) -> dict[str, object]:
        """Return the run so far as a submission for ``planoracle grade``."""
        return self.run.submission()

    def _number_of(self, action: object) -> int:
        """Return an action as a number; raises `InputError` outside the action space."""
        if not self.action_space.contains(action):
            raise InputError(f"must be an action of {self.action_space}", field="action", value=action)
        return int(action)  # type: ignore[call-overload,no-any-return]

    def _refuse(self) -> float:
        """Return the reward of an illegal action."""
        if self.run.reward is None or self.run.done:
            return 0.0
        worth, memo = self.run.reward.refused(self.run.state.memo)
        if memo is not self.run.state.memo:
            self.run.restore(replace(self.run.state, memo=memo))
        return worth

    def _count_step(self, worth: float) -> tuple[float, bool, bool]:
        """Count a step and stop the run at the limit; return reward, terminated and truncated."""
        self._steps += 1
        if self._limit is not None and self._steps >= self._limit and not self.run.done:
            worth += float(self.run.stop(_STOPPED).reward)
        over = self.run.state.over
        return worth, over is not None and over not in CUT, over in CUT

    def commands(self) -> dict[int, LegalCommand]:
        """Return the legal commands by action."""
        return dict(self._legal)

    def action_masks(self) -> Any:
        """Return the action mask; learners with masked actions expect a method of this name."""
        return self._seen.mask(self._legal).astype(bool)

    def _observe(self, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        seen = self._seen.of(self.run, self.actions, self._legal)
        about = {
            "instance": self.run.problem.name,
            "clock": self.run.observation.clock,
            "over": self.run.state.over or "",
        }
        return seen, {**info, **about, "action_mask": seen["action_mask"]}


def _register() -> dict[str, str]:
    """Register all benchmarks; return the ids by benchmark."""
    ids = {}
    for name in registry.names():
        words = re.findall("[A-Za-z0-9]+", registry.get(name).title)
        ids[name] = f"planoracle/{''.join(word[0].upper() + word[1:] for word in words)}-v0"
        if ids[name] not in gymnasium.registry:
            gymnasium.register(ids[name], entry_point=f"{__name__}:LiveEnv", kwargs={"benchmark": name})
    return ids


#: Ids of the environments by benchmark.
IDS = _register()
