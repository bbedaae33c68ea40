"""Functions of the public API that load, solve, run and draw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planoracle.analysis import figures
from planoracle.instances.errors import InputError, accept_former_keywords
from planoracle.instances.files.catalog import expand, read_problems
from planoracle.instances.model.problem import Problem
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.environment import AnyEnvironment, Reward, RunConfig
from planoracle.solver.result import Result, SolveOptions
from planoracle.solver.solve import load_or_solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def load(name: str | Path) -> Problem:
    """Return one problem by its name, or that of a file.

    Parameters
    ----------
    name
        Name, as on the command line, or path of a file (``mine.json``, its problem ``mine.json#soup``, its variant
        ``mine.json@42``, with two agents ``mine.json~2``).

    Raises
    ------
    InputError
        If there is none, or if there are several; `read` returns them all.

    Examples
    --------
    >>> load("timearena/household1").agents
    ('agent',)
    """
    problems = read(name)
    if len(problems) != 1:
        message = f"must name a single problem, not {len(problems)}; planoracle.read returns all of them"
        raise InputError(message, value=str(name))
    return problems[0]


def read(name: str | Path) -> list[Problem]:
    """Return all problems of a name, a prefix (``recipe2plan/timed``), a glob, a file or a folder.

    Parameters
    ----------
    name
        Name, prefix, glob, or path of a file or of a folder with problem files.

    Raises
    ------
    InputError
        If there is none, or naming file, field and value of a fault.

    Examples
    --------
    >>> [problem.name for problem in read("recipe2plan/*/Vada_D*")]
    ['recipe2plan/timed/Vada_Daikon-Radish', 'recipe2plan/untimed/Vada_Daikon-Radish']
    """
    problems: list[Problem] = []
    for path in expand([str(name)]):
        problems += read_problems(path)
    return problems


@accept_former_keywords(finest="exact_grid", fewest_pieces="min_interruptions", again="recompute")
def solve(
    problem: Problem,
    *,
    time_limit: float = 60.0,
    seed: int = 0,
    workers: int = 1,
    exact_grid: bool = False,
    min_interruptions: bool = False,
    engine: str = "auto",
    recompute: bool = False,
) -> Result:
    """Return an optimal plan and a proof, for problems of any kind.

    Bundled optima are read: their plans are replayed by the rules, and their certificates are checked; `Result.source`
    says so. Other problems are solved; kitchens with a bundled plan without proof from that plan and its bound on.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    time_limit
        Seconds of wall time. At its end the incumbent and the lower bound are returned.
    seed, workers
        Random seed and number of threads of CP-SAT; kitchens use neither. Another seed than 0 solves the problem again.
    exact_grid
        Allow interruptions at every tick, not only at multiples of the common divisor. Slower.
    min_interruptions
        Among optimal schedules, minimize the number of interruptions.
    engine
        ``auto``, or ``cp-sat``: CP-SAT alone proves the optimum of a scheduling problem, without our bounds, heuristics
        and other searches; `Result.effort` says what it took.
    recompute
        Solve the problem even if its optimum is bundled.

    Examples
    --------
    >>> result = solve(load("timearena/household1"))
    >>> result.status, result.makespan, len(result.to_frame())
    ('optimal', 13, 6)
    >>> result.proof, solve(load("timearena/household1"), recompute=True).proof
    ('bundled, certificate checked', 'search in order')
    >>> solve(load("timearena/household1"), engine="cp-sat").effort["conflicts"]
    0
    """
    options = SolveOptions(None, time_limit, seed, workers, exact_grid, (), min_interruptions, engine)
    result = load_or_solve(problem, options, recompute=recompute)
    return replace(result, problem=problem)


def environment(
    problem: Problem,
    *,
    reward: str | Reward | None = None,
    loop: str = "closed",
    feedback: str = "detailed",
    limit: int | None = None,
    bounded: bool = True,
    profile: str | None = None,
) -> AnyEnvironment:
    """Return a live environment, for one run of an agent on a problem.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    reward
        Reward of steps: ``score``, ``regret`` or ``success``, see `planoracle.analysis.grading.rewards`, or an object
        with the same methods; without one every reward is 0.
    loop, feedback, limit, bounded
        Settings of the run, see `planoracle.instances.protocol.environment.RunConfig`.
    profile
        Rule profile: ``paper`` or ``released``; by default that of the problem.

    Raises
    ------
    InputError
        If the problem's benchmark has no environment, or a setting is invalid.
    UnknownNameError
        For an unknown reward or profile.

    Examples
    --------
    >>> run = environment(load("asynctool/files_2"))
    >>> [command.kind for command in run.legal()]
    ['act', 'wait']
    >>> print(run.step(run.legal()[0].text).observation.text)
    {"wait": "The call is being executed."}
    >>> run.step("ALL COMPLETED").done
    True
    """
    if isinstance(reward, str):
        from planoracle.analysis.grading.rewards import step_reward  # which imports the regret

        reward = step_reward(reward)
    benchmark = registry.of(problem)
    rules = benchmark.default_rules(problem) if profile is None else benchmark.rules.profile(profile)
    config = RunConfig(loop=loop, feedback=feedback, limit=limit, bounded=bounded)
    return benchmark.environment(problem, rules, config, reward)


def gantt(problem: Problem, plan: object, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw a plan for a problem of any kind.

    Parameters
    ----------
    problem
        Problem of any kind, as returned by `load`.
    plan
        As in a submission; it may break rules.
    ax
        Axes to draw on; by default those of a new figure.
    title
        Title of the chart; by default the name of the problem.

    Raises
    ------
    InputError, PlanError
        If the plan cannot be read, has no step, or is too long to draw.

    Examples
    --------
    >>> gantt(load("timearena/household1"), ["activate kettle", "wash cup"], title="tea").get_title(loc="left")
    'tea'
    """
    axes: Axes = figures.plan_figure.draw(problem, plan, ax, title=title)
    return axes
