"""The abstract part of ParaCook (Zhang et al., 2025): assignment and order of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from planoracle.instances.benchmarks.paracook import groups_of
from planoracle.instances.benchmarks.paracook.rules import Profile
from planoracle.instances.errors import InputError
from planoracle.instances.model.instance import Action, Instance
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark


class ParaCookAbstract(ScheduleBenchmark[list[list[object]], Profile]):
    """ParaCook, abstract part: distribution and order of tasks among identical agents.

    Source
    ------
    The abstract part of [ParaCook](../paracook/__init__.py) (Zhang et al., 2025), whose page describes names, data and
    our own problems.

    Problems
    --------
    One to three identical agents execute tasks with durations and precedences. A problem is an instance: a task
    occupies one agent from its start to its end, and `{other: lag}` is a minimum lag from the end of the other task.
    `~2` after a name gives the same problem with two agents; `~2~agent2=orders/subtask3` restricts eligible agents and
    gives a problem of the general rules. Files in planoracle's format belong to this benchmark with `"benchmark":
    "paracook_abstract"`.

    Plan language
    -------------
    A submission has a `plan`: a list with a list of task names for every agent, without times, `[["subtask2",
    "subtask1"], ["subtask3"]]`; agents have numbers below 1,000. The rule `answers` selects the reader of text:

    - `released`: the reader of [ParaCook](../paracook/__init__.py#plan-language); the value must be a list of lists.
      Other text is unscored, since the released code writes no result for it.
    - `lenient`: [model output](../../model_output/README.md): JSON lists, objects `{"agent1": [...]}`, lists of
      `{"agent": 1, "task": "subtask3"}`, tables, headings with lists, lines such as `Agent 1: subtask3 -> subtask1`.
      Every task that the text names must have exactly one place; else the text is unscored.

    Rules
    -----
    The lists are tried in turn, one task per try. A task is *ready* if all its predecessors have been executed; it
    starts when its agent is free and every lag is over. If a whole round executes nothing, the remaining tasks are
    never executed. So every task starts as early as the order allows.

    | violation | condition |
    |---|---|
    | `unknown_task` | no task has this name; `crash` is the exception of the released code |
    | `never_ready` | lists wait for each other, or a task precedes its predecessor in a list |
    | `missing_task`, `repeated_task` | a task is not listed exactly once |
    | `too_many_lists` | more lists with tasks than agents |

    The released checker compares the number of distinct pairs (task, end) with the number of tasks. The rules `repeats`
    and `lists` switch this check:

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `repeats` | `refused` | `counted` | a repeated task replaces a missing one; equal ends count once |
    | `lists` | `agents` | `any` | number of lists |
    | `answers` | `lenient` | `released` | reader of text |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like tasks cannot be read |

    Options: `--profile paper` (default) or `released`; single rules with `--set paracook.RULE=VALUE`. Our checker gives
    the verdicts of the released one for 516 plans and 37 texts. 307 of these plans pass, 63 of them by a loophole; 16
    of those take less time than the optimum. On one of our problems with optimum 94, plans pass with 80 ticks (one task
    repeated), 78 (one list more) and 32 (one task 16 times).

    Metrics
    -------
    A plan that passes by a `loophole` is not compared with the optimum. `crash` is `KeyError` or `TypeError`. The
    released oracle is CP-SAT after 60 s, proved or not; ours is proved for all 360 settings.

    Differences between paper and released code
    -------------------------------------------
    The rules list the differences in grading. An unreadable answer does not count in the released averages. The paper
    describes none of these.

    Known errors of references
    --------------------------
    The data of all seeds have the dishes of seed 42 with other times: the generator writes each file five times. All
    five seeds share one graph, and 44 of 120 files differ in size from the orders of their seed.

    Live runs
    ---------
    Closed loop (our addition): a message gives one agent its next task, `agent2: subtask7`. Unknown, repeated and not
    yet ready tasks are refused and change nothing; the eleventh refusal ends the run. No task can be inserted before
    an assigned one, so a waiting agent stays idle for that time. The regret of a decision refers to the best
    continuation of the lists. Open loop: one message has all lists, as in the paper (setting `io`).

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("paracook/abstract/own/seed_1/orders_num_1~2"))
    >>> print(run.step("agent1: subtask3").observation.text)
    Refused: subtask3 waits for subtask2, which is not assigned yet.
    agent1 is free at tick 0, agent2 at tick 0.
    >>> print(run.step("agent1: subtask2").observation.text)
    agent1 does subtask2 from tick 0 to tick 8.
    agent1 is free at tick 8, agent2 at tick 0.
    """

    name = "paracook_abstract"
    title = "ParaCook, abstract"
    citation = "Zhang et al., 2025"
    stepwise = False
    self_contained = True
    untimed = True
    group_units: Mapping[str, str] = {"size": "orders"}
    mismatch_share = 0.3

    reader = lazy("planoracle.instances.benchmarks.paracook_abstract.problems")
    language = lazy("planoracle.instances.benchmarks.paracook_abstract.language")
    rules = lazy("planoracle.instances.benchmarks.paracook.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.paracook_abstract.run")
    metrics = lazy("planoracle.instances.benchmarks.paracook_abstract.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.paracook_abstract.feedback")
    live = lazy("planoracle.instances.benchmarks.paracook_abstract.live")
    generator = lazy("planoracle.instances.benchmarks.paracook_abstract.generator")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the category of the dishes and the number of orders."""
        return groups_of(name)

    def with_agents(self, problem: Instance, crew: str) -> Instance:
        """Return the problem with another number of agents; with restrictions it is one of the general rules."""
        count = crew.removeprefix("~")
        if not count.isdecimal():
            return super().with_agents(problem, crew)
        return cast(Instance, self.reader.with_agent_count(problem, int(count)))

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for instances that plans without times cannot express."""
        if problem.agents != self.reader.agent_names(len(problem.agents)):
            raise InputError("must be agent1, agent2, ...", field="agents", value=list(problem.agents))
        for field in ("resources", "time_limit"):
            if getattr(problem, field):
                message = f"is not supported for problems of {self.title}"
                raise InputError(message, field=field, value=getattr(problem, field))
        for action in problem.actions:
            if action != Action(action.id, action.task, action.duration, action.duration, label=action.label):
                message = "must occupy any one agent from start to end and have no other properties"
                raise InputError(message, field=f"actions[{action.id}]")
        if len({action.task for action in problem.actions}) > 1:
            raise InputError("must all belong to one task, because plans do not name tasks of actions", field="actions")
        for lag in problem.lags:
            if lag.minimum is None or lag.minimum < 0 or lag.maximum is not None:
                field = f"lags[{lag.before} -> {lag.after}]"
                raise InputError("must have a minimum of 0 or more and no maximum", field=field, value=lag)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a task as in plans."""
        return action.partition("/")[2] or action


benchmark = ParaCookAbstract()
