"""Async planning (Zhang et al., 2026): steps in parallel, robots in kitchens, orders that arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planoracle.instances.benchmarks.asyncplanning.rules import Profile
from planoracle.instances.model.features import Feature
from planoracle.instances.model.instance import Instance
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.recorded_verdict import RECORDED_FIELDS
from planoracle.instances.protocol.run import Run
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class AsyncPlanning(ScheduleBenchmark[Any, Profile]):
    r"""Async planning: everyday steps in parallel, robots in a kitchen, and orders that arrive.

    Source
    ------
    Zhang, Yin, Zhou, Li Zhang: *Robust Asynchronous Planning via Auto-Formalization* (2026, [arXiv
    2606.00981](https://arxiv.org/abs/2606.00981)). The package contains the facts of the released problems without
    their sentences, in a format of its own: durations, orders, items, stations, events, released answers and plans.
    They come from [the authors' repository](https://github.com/jiayizx/async_planning) (commit `331acb74`), folder
    `data`, by its authors, licence [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). Of the paper only the
    abstract was at hand; the rules are those of prompts, data and code.

    Problems
    --------
    | names | problems | content |
    |---|--:|---|
    | `asyncplanning/xxl/5` to `asyncplanning/xxl/100` | 600 | AsyncPlan-XXL: 50 problems of each size, 5 to 100 steps |
    | `asyncplanning/robo/easy` and six others | 140 | Robo Challenge: 20 tasks of each difficulty |
    | `asyncplanning/online/easy` and six others | 140 | Online Robo Challenge: the same kitchens, orders arrive |

    The number after the size is the released id: `asyncplanning/xxl/5/9`. The difficulties are `easy`, `medium`,
    `hard_station`, `hard_temporal`, `hard_multiagent`, `hard_optimization` and `hard_high_speedup`; only 28 of the 140
    kitchens differ once items are renamed.

    **AsyncPlan-XXL**: steps with durations, some of which must end before others start; any number runs at the same
    time. A problem has one agent per step, and the optimum is the longest path. Step 3 is the action `step/3`. A tick
    is a second, in `xxl/90/32` with its released durations a minute; the step of 0.1 seconds in `xxl/90/40` occupies a
    tick. A month has 30 days and a year 365.

    **Robo Challenge**: items are cut, fried, grilled, boiled, marinated, mashed and stacked in a given order, at
    stations with capacities, in some tasks by two or more robots, with minimum lags. In `hard_optimization` the dishes
    are chosen: greatest reward within an inventory and a deadline, then the shortest time. **Online**: two or three
    events add items and orders; the optimum is that of *hindsight*, with all events known from the start. It is a lower
    bound that no policy has to reach.

    `--data asyncplanning=DIR` and file names read the released records; prompts then contain the released questions.
    Random problems are like AsyncPlan-XXL, with several tasks (`--tasks 6`) kitchens with so many items, with several
    agents (`--agents 2`) by robots.

    Plan language
    -------------
    A submission has a `plan`, a `pred_answer` or a `response`. A row without a name is for the problem of its
    `question`. So `planoracle grade baselines --pattern '{model}/**/full_results.jsonl'` grades the folder
    `results/gen-data/baselines` of the repository. To AsyncPlan-XXL there are two kinds of answers:

    - *JSON with orders*, as text of a model or as an object: `{"actions": [{"id": "step1", "duration": 300}],
      "dependencies": [{"before": "step1", "after": "step2"}], "final_answer_seconds": 480}`. The text is JSON, or
      begins with a fence, or the part from the first `{` to the last `}` counts.
    - *A schedule*: a list of `[start, "step3", duration]` in seconds, also as JSON text.

    An empty answer, or text without such JSON, is a failure. A list with other entries is unscored.

    A plan for a kitchen has lines `0.000: (grill patty)  [10.000]`, with robots `0.000: (grill robot1 patty)
    [10.000]`: start, action, item and duration in seconds. Fences are removed, and lines that do not begin so are
    ignored. Actions are read in lower case, and `stack_cup` is `stack cup`. Times are rounded to milliseconds, which
    are the ticks. `grill patty` is the action `patty/grill`.

    An answer to an episode is a list of such texts, one for each stage (`plan`, `responses`, or the released
    `stage_records`), with times relative to the stage: stage 0 begins at 0, stage k at event k. What starts before the
    next event is carried out, everything else is forgotten. So each text states all that is still to do.

    Rules
    -----
    Options: `--profile paper` (default) or `released`; single rules with `--set asyncplanning.RULE=VALUE`.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `grading` | `exact` | `released` | every rule of prompts and data, or the checks of the released code |
    | `durations` | `text` | `released` | durations of steps: the last bracket of a line, or the released numbers |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |
    | `execution` | `whole` | `events` | kitchens: a check of the whole plan, or up to the first failure |
    | `action_durations` | `exact` | `any` | kitchens: durations of actions |
    | `ingredients` | `fit` | `any` | kitchens: actions must be fit for the ingredient |
    | `stacks` | `after_end` | `order` | kitchens: a stack starts after the end of the one below, or ends after it |
    | `selection` | `free` | `published` | kitchens with rewards: any choice, or the published one |
    | `online_lags` | `true` | `false` | episodes: minimum times count |
    | `empty_stages` | `true` | `false` | episodes: a stage without an action is no failure |

    AsyncPlan-XXL, in this order; `released` compares the stated time of JSON answers only, and of schedules durations,
    orders (each within one second) and the latest end:

    | violation | condition |
    |---|---|
    | `no_plan`, `no_answer` | the answer has no plan; in `released` it has no time |
    | `unknown_step`, `repeated_step`, `missing_step` | the steps are not `step1` to `stepN`, each once |
    | `duration` | a duration is no number, or not that of the step |
    | `cycle`, `order`, `negative_start` | the orders have a cycle; a required order is broken; a start is below 0 |
    | `wrong_time` | the stated time is not the shortest |
    | `extra_order` | stated orders lengthen the schedule |

    The steps of a JSON answer start as early as its own orders allow. Required orders that this schedule keeps need not
    be stated. In `paper` a schedule of more than the shortest time is a success, but not optimal.

    Kitchens, in this order. `released` carries the plan out, ends before starts, up to the first failure, whose time is
    then the makespan; `paper` reports all violations, and the makespan is the latest end.

    | violation | condition |
    |---|---|
    | `no_plan`, `stage_missing` | no line could be read (in `released` of a stage); the text of a stage is missing |
    | `arguments`, `unknown_robot`, `unknown_action`, `unknown_item` | a name or the number of names is wrong |
    | `duration`, `not_applicable` | the duration is wrong; the ingredient is not fit for the action |
    | `robot_busy`, `station_full`, `item_busy` | a robot, a station or an item is in use |
    | `wrong_state`, `not_ready` | the item does not have the state that the action or the stack needs |
    | `goal_stack`, `stack_overlap`, `goal_state` | stacks are missing, wrong or overlap; an item lacks its state |
    | `lag`, `deadline`, `inventory` | a minimum time, the deadline or the inventory is broken |
    | `reward` | `released`, episodes: less reward than could be reached at the last event |

    In `paper`, any choice of dishes within inventory and deadline is a success with its reward. Further actions are
    allowed, except stacks. Regret, `next` and repair refuse plans with further actions, and episodes: at the time of a
    decision the later orders are unknown.

    Metrics
    -------
    `success` is the share of right answers, in `released` the accuracy of the repository. `optimal` is the share of
    answers with the least makespan, `score` the optimum divided by the makespan of a success. `seconds` is the makespan
    in seconds, of a failure the time that it states. `recorded` is the verdict that a recorded answer has itself
    (`correct` or `success`). Kitchens also have `collected_reward`, `reward_share` (of the best reward; below it the
    score is this share, since times are not compared), `mean_makespan_ratio` over successes as in the repository, in
    episodes to hindsight, and `lost_seconds`, the mean time above the optimum.

    Differences between paper and released code
    -------------------------------------------
    Prompts ask for steps, durations and orders of AsyncPlan-XXL; the released code compares one number. It never checks
    durations of robots: the released plans with all times divided by 1,000 pass in 120 of 140 tasks. Stacks may
    overlap, which makes the optimum of `released` smaller in 38 tasks. Minimum times do not count in episodes, which
    makes it smaller in `hard_temporal`. In `hard_optimization` the dishes of the best choice are required, so another
    choice fails, and reward and inventory are not computed. The released `num_plan_correct` cannot be recomputed and is
    missing here.

    Known errors of references
    --------------------------
    Released durations are the first time in the line of a step, "after 48 hours (15 minutes)" is 48 hours. This
    concerns 12 steps of 9 problems, and makes 7 answers wrong:

    | problem | released (s) | right (s) | | problem | released (s) | right (s) |
    |---|--:|--:|---|---|--:|--:|
    | `xxl/5/9` | 345600 | 173700 | | `xxl/70/41` | 2510755 | 179100 |
    | `xxl/40/12` | 89910 | 6750 | | `xxl/90/32` | 1579402800 | 3212400 |
    | `xxl/50/47` | 320202120 | 4860120 | | `xxl/90/50` | 14940 | 16740 |
    | `xxl/70/30` | 347040 | 216180 | | | | |

    The 140 released optima of the Robo Challenge are right. The "continuation oracle" of online episodes is no bound,
    and is not reproduced: 25 recorded successes are below it. The repository also grades AsyncHow, by the lower ends of
    intervals; `asynchow` grades these answers by the whole intervals, which adds 8 or 9 right answers per model.

    Live runs
    ---------
    An open loop asks for one answer: JSON with orders, or a plan. A closed loop is an addition: steps of
    AsyncPlan-XXL are submitted one at a time as `[start, "step1", duration]` in the order of their starts, actions in
    kitchens as lines, or without times, as in `grill patty`, to start now. Episodes need a closed loop: orders become
    known when their time has come, and `wait 2.5` waits at most up to the next one. With rewards the agent ends the run
    by `Finish`. The setting
    `json` asks for the answer and nothing else. Prompts are in our own words.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("asyncplanning/xxl/5/9"), loop="open")
    >>> print(run.introduction())
    Task: treat bruises on your face
    step1 takes 20 minutes; before it: step2.
    step2 takes 5 minutes.
    step3 takes 15 minutes; before it: step5.
    step4 takes 2 minutes; before it: step1 and step2.
    step5 takes 48 hours.
    >>> run.step('{"final_answer_seconds": 173700}').done, run.run().verdict.fatal.kind
    (True, 'no_plan')
    """

    name = "asyncplanning"
    title = "Async planning"
    citation = "Zhang et al., 2026"
    plan_fields = ("pred_answer", "responses", "stage_records", "solver_plan", "llm_plan", "plan")
    address_fields = ("question",)
    detail_fields = RECORDED_FIELDS
    stepwise = False
    has_simulator_states = True
    features = frozenset((Feature.BUDGETS, Feature.OPTIONAL, Feature.EXCESS))
    original_data = "the released repository, whose questions prompts then contain"
    group_units: Mapping[str, str] = {"size": "steps"}

    catalog = lazy("planoracle.instances.benchmarks.asyncplanning.problems")
    reader = lazy("planoracle.instances.benchmarks.asyncplanning.problems")
    language = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    rules = lazy("planoracle.instances.benchmarks.asyncplanning.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    metrics = lazy("planoracle.instances.benchmarks.asyncplanning.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    live = lazy("planoracle.instances.benchmarks.asyncplanning.parts")
    generator = lazy("planoracle.instances.benchmarks.asyncplanning.step_generator")

    def note(self, name: str) -> str:
        """Return a note on the optimum of episodes."""
        hindsight = "asyncplanning: the optimum of an episode is that of hindsight, a bound: all orders are known"
        return hindsight if name.startswith("asyncplanning/online/") else ""

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the problem, its part, and its number of steps or the difficulty of its kitchen."""
        if not self.catalog.covers(name):
            return {"task": [name], "part": [], "size": [], "difficulty": []}
        _, part, group, _ = name.split("/")
        sizes = [group] if group.isdecimal() else []
        difficulties = [] if sizes else [group]
        return {"task": [name], "part": [part], "size": sizes, "difficulty": difficulties}

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` for a folder without released problems."""
        self.catalog.check_copy(folder)

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name; for a recorded answer without a name that of the problem with its question."""
        return name or str(self.catalog.name_of_question(record.get("question")))

    def document(self, problem: Instance) -> dict[str, Any]:
        """Return a problem as a record that `read` accepts, or in our own format."""
        record: dict[str, Any] | None = self.catalog.document(problem)
        return super().document(problem) if record is None else record

    def default_rules(self, problem: Instance) -> Profile:
        """Return the rules that a problem was encoded for."""
        rules: Profile = self.catalog.rules_of(problem)
        return rules

    def is_bounded_by_optimum(self, run: Run[Instance, Any, Profile]) -> bool:
        """Return False for plans that the released checks accept although durations or orders are wrong."""
        return bool(getattr(run, "is_bounded", True))

    def formula_optimum(self, problem: Instance) -> int | None:
        """Return the longest path for steps without limits of agents."""
        optimum: int | None = self.catalog.formula_optimum(problem)
        return optimum


benchmark = AsyncPlanning()
