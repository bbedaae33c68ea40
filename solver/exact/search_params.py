"""Tuned numbers of the exact search, each with the reason.

Efforts are in CP-SAT's deterministic time, so that results do not depend on the machine's speed. One unit is some two
to ten seconds of a search on small models. Everything was measured with `tests/benchmarks/solvers.py`, at the commits
that each class names; their messages have the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SizeParams:
    """Numbers of actions, decisions and steps that decide which stages run.

    Measured at 13000fdb (models and steps), e5ec6375 (few), 406d0388 (many), 523dee13 (many with maximum lags),
    a7a08b88 (vast) and c412c0c6 (large, very crowded).

    Attributes
    ----------
    large
        Actions or decisions from which on core search comes before models with orders, and neighbourhood search pays.
    larger
        Actions or decisions from which on the first search in order and models with orders are left out: they take
        longer than they save.
    vast
        Decisions of crowded problems from which on hardly any search in order ends.
    few
        Actions up to which CP-SAT finds good schedules before heuristics do.
    many
        Actions up to which list schedules are tried before anything else.
    many_windowed
        Actions with maximum lags from which list schedules come before models.
    many_steps
        Steps of interruptible actions above which a coarser grid comes first.
    max_steps
        Steps of interruptible actions up to which a model is built within seconds.
    slow_model
        Size of a model above which the heuristics run first.
    max_model
        Size of the largest model: building it takes a gigabyte of memory.
    max_model_per_second
        Size of the largest model per second of the time limit: building it takes up to half of the limit.
    very_crowded
        Actions from which on few crowded problems are proved, so that neighbourhood search gets more effort.
    """

    large: int = 50
    larger: int = 100
    vast: int = 160
    few: int = 29
    many: int = 1_000
    many_windowed: int = 300
    many_steps: int = 100
    max_steps: int = 10_000
    slow_model: int = 50_000
    max_model: int = 500_000
    max_model_per_second: int = 50_000
    very_crowded: int = 240


@dataclass(frozen=True)
class WorkParams:
    """Work of heuristics in seconds, and seconds that are kept for other tasks.

    Measured at c412c0c6 (heuristics), 80bd163b (per effort), 6493faa2 (restriction), 6a0e0bf2 (coarse grid) and
    1aa7f271 (replay).

    Attributes
    ----------
    heuristics
        Largest counted work of heuristics, which otherwise take a quarter of the limit.
    heuristics_per_effort
        Seconds of counted work of a tabu or genetic search per effort.
    priority_lists
        Number of priority lists that the heuristics try.
    restriction
        Largest counted work of the search without interruptions, which otherwise takes half of the limit.
    coarse_grid
        Minimum time for a schedule on a coarse grid.
    replay
        Time per action and per use of a resource that the limit reserves for the left shift and the replay.
    """

    heuristics: float = 1.0
    heuristics_per_effort: float = 6.0
    priority_lists: int = 200
    restriction: float = 60.0
    coarse_grid: float = 0.1
    replay: float = 1.5e-4


@dataclass(frozen=True)
class CrowdedParams:
    """Numbers for crowded problems, in which most pairs of actions exclude each other, as in job shops.

    Measured at b2a41ffe, a6605c29 (what is crowded), 235417b3 (turns), 6005dad4, a7a08b88 (one loaded resource),
    21e67b9b (look) and ed97e1a9 (local search).

    Attributes
    ----------
    pairs_per_action
        Pairs of uses that exclude each other, for every action, from which on a problem is crowded.
    shared_uses
        Uses of anything else, for every use that excludes others, from which on it is not.
    loaded
        Critical paths beyond which the work of one resource determines the makespan.
    look_per_decision, look_loaded
        Effort of the first search in order: per decision, and where one resource determines the makespan.
    turns
        Number of turns of core search and binary search.
    growth
        Factor between the efforts of turns.
    turn, short_turn
        Effort per decision of the first turn: of binary search, and of core search, which proves a problem at once or
        not for a long time.
    loaded_core, loaded_dynamic, loaded_halving
        Effort per decision of the first turn where one resource determines the makespan: core search, core search with
        dynamic precedences, binary search.
    min_loaded_core
        Minimum effort of the first of these core searches.
    first_search
        Effort of the local search before the first proof, from `SizeParams.very_crowded` actions on.
    local, local_of_many
        Effort of the local search per effort of the proof that follows, for fewer and for more actions than
        `SizeParams.very_crowded`.
    """

    pairs_per_action: int = 2
    shared_uses: float = 0.2
    loaded: float = 1.5
    look_per_decision: float = 2.5e-6
    look_loaded: float = 0.0007
    turns: int = 5
    growth: int = 4
    turn: float = 1e-4
    short_turn: float = 1.3e-5
    loaded_core: float = 2e-5
    loaded_dynamic: float = 6e-5
    loaded_halving: float = 1.5e-4
    min_loaded_core: float = 0.006
    first_search: float = 0.5
    local: float = 0.12
    local_of_many: float = 4.0


@dataclass(frozen=True)
class EffortParams:
    """Efforts of CP-SAT's stages on problems that are not crowded.

    Measured at 507244eb, 235417b3 (look), b2a41ffe (first core search), eb2f2e89 (rounds), c412c0c6 (local
    search, first proof), bc89b2c1 (maximum lags, last proof) and 67978888 (finer grid).

    Attributes
    ----------
    look, look_with_pauses
        First search in order, without and with interruptions.
    core_with_pauses, core_per_decision
        Core search before orders are stated: with interruptions, and per decision where there are many.
    core, branching
        Core search, and branch and bound, on models with orders and without presolve.
    presolved_core_before, presolved_core_after
        Core search with presolve: before the branch and bound, which profits from its lower bound, and after it.
    presolved
        Branch and bound with presolve.
    any_schedule_per_decision
        First search for any schedule with maximum lags; each round has four times the effort of the last.
    components
        Search for a place of components whose actions keep their distances.
    first_proof
        First of many proofs, among which local search takes place; each has twice the effort of the last.
    rounds
        Rounds of restarts, in which all settings have the same effort.
    local, local_near_bound
        Local search per effort of the proof that follows: as a rule, and near the bound.
    local_windowed, local_windowed_late
        The same with maximum lags: as a rule, and near the bound or after a turn without a better schedule.
    near
        Distance to the bound, as a share of it, up to which a proof is likely.
    before_last_proof
        Effort per second of the limit after which, near the bound, a proof gets all of the remaining time.
    first_proof_after_local
        Effort of a proof from which local search comes before it where there are maximum lags.
    local_turn
        Turn of a local search beside a proof.
    min_local
        Least effort of a local search that is worth beginning.
    finer_grid
        Proof that no finer grid helps.
    """

    look: float = 0.0003
    look_with_pauses: float = 0.004
    core_with_pauses: float = 0.005
    core_per_decision: float = 2.5e-5
    core: float = 0.02
    branching: float = 0.1
    presolved_core_before: float = 0.3
    presolved_core_after: float = 2.0
    presolved: float = 4.0
    any_schedule_per_decision: float = 2e-4
    components: float = 0.5
    first_proof: float = 0.05
    rounds: tuple[float, ...] = (0.03, 0.12, 0.48)
    local: float = 4.0
    local_near_bound: float = 0.5
    local_windowed: float = 1.0
    local_windowed_late: float = 0.25
    near: float = 0.06
    before_last_proof: float = 0.08
    first_proof_after_local: float = 0.2
    local_turn: float = 0.1
    min_local: float = 0.05
    finer_grid: float = 0.01


@dataclass(frozen=True)
class FeatureParams:
    """Numbers of the search for problems with calendars, optional tasks and other features.

    Attributes
    ----------
    short_horizon
        A first horizon, of the longest path and the work together, pays if the sufficient one is so many times longer.
    max_off_times
        Off-times of all members until a horizon up to which a model is built within seconds.
    max_model
        Size of the largest model: building it takes a gigabyte of memory.
    early
        Search for small starts after the proof.
    least_choices, least_choices_of_many, most_with_few_choices
        Share of actions with several modes from which on a problem without features is a flexible shop, for fewer and
        for more actions than the last number: the other search has better schedules of large job shops.
    first_schedule, first_schedule_with_ways
        Actions from which a first schedule by heuristics pays: without and with ways or set-up times.
    first_improvement
        Actions from which the improver pays for it; it costs a fifth of a second.
    priority_lists
        Lists that the improver tries.
    first_work
        Counted work of the heuristics in seconds, and no more than a quarter of the limit.
    first_neighbourhood, first_neighbourhood_with_ways
        Actions from which a search around the incumbent pays: without and with ways or set-up times.
    first_proof, growth
        Effort of the first round of proofs, and how many times as much the next one has.
    neighbourhood, neighbourhood_with_ways
        Effort of the search around the incumbent per effort of the first proof that follows: without and with ways.
    attempt
        Effort of a round after which the search for a schedule of all tasks, or until a short horizon, is given up.
    """

    short_horizon: int = 2
    max_off_times: int = 20_000
    max_model: int = 500_000
    early: float = 0.02
    least_choices: float = 0.1
    least_choices_of_many: float = 0.5
    most_with_few_choices: int = 150
    first_schedule: int = 30
    first_schedule_with_ways: int = 15
    first_improvement: int = 50
    priority_lists: int = 30
    first_work: float = 2.0
    first_neighbourhood: int = 100
    first_neighbourhood_with_ways: int = 15
    first_proof: float = 0.02
    growth: float = 3.0
    neighbourhood: float = 1.0
    neighbourhood_with_ways: float = 4.0
    attempt: float = 0.5


@dataclass(frozen=True)
class SearchParams:
    """All tuned numbers of the exact search."""

    sizes: SizeParams = field(default_factory=SizeParams)
    work: WorkParams = field(default_factory=WorkParams)
    crowded: CrowdedParams = field(default_factory=CrowdedParams)
    effort: EffortParams = field(default_factory=EffortParams)
    features: FeatureParams = field(default_factory=FeatureParams)


DEFAULT_PARAMS = SearchParams()
