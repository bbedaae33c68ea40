"""AsyncTool (Shi et al., 2026): function calls of several tasks, with results that arrive later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from planoracle.instances.model.instance import Instance
from planoracle.instances.model.schedule import Schedule
from planoracle.instances.protocol.benchmark import AnyRun, lazy
from planoracle.instances.protocol.profiles import Rules
from planoracle.instances.protocol.schedule_benchmark import ScheduleBenchmark

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.asynctool.problem_model import AsyncToolProblem


class AsyncTool(ScheduleBenchmark[list[object], Rules]):
    """AsyncTool: function calls of several tasks, one call per turn, with results that arrive turns later.

    Source
    ------
    Shi, Zhang, Huang et al.: *AsyncTool: Evaluating the Asynchronous Function Calling Capability under Multi-Task
    Scenarios* (2026). Neither its code nor its data are released. This package follows the paper; **all bundled tools,
    tasks and problems are our own**, and every table of them says so.

    Problems
    --------
    `asynctool` names 120 problems. 100 combine tasks of ten families: 17 `similar2`, 18 `cross2`, 34 `similar3` and 31
    `cross3` (`asynctool/cross2/01`). The set `data` has 20 like these, each with a task of the other two, `formats` and
    `generation`. Both have the proportions of the paper's Table 5.

    There are 84 tasks of 2 to 5 calls, seven for each of twelve tool families, one for each class of the paper's Table
    3: `files`, `formats`, `generation`, `messages`, `numbers`, `posts`, `records`, `text`, `tickets`, `trading`,
    `travel`, `vehicle`. Any combination is a problem, `asynctool/files_1+trading_3`. `planoracle generate asynctool
    --combine --kind similar --tasks 3 --count 240` draws new ones, also in the sizes of the paper: 420 problems have
    three similar tasks, and as many have four. A suffix sets the delay, also for sets: `@2`, `@0-1`, `@1-2:7` (drawn
    for each call with seed 7).

    A problem in a file (JSON Schema: `planoracle instances --schema asynctool`) has `"format": "planoracle/asynctool"`,
    `"version": 1`, `name`, `delay` (turns, or an object with `least`, `most`, `seed` and delays of single `tools`) and
    `tasks`. A task has `id`, `question`, `family`, `ground_truth` (call strings such as `read_price(symbol='ALPH')`)
    and `initial`, the initial state. `family` is a bundled tool family or a [class of yours](../../../.docs/tools.md),
    or `null`: calls then return nothing, and only the calls are graded. `tools` may list names, or documents as in the
    paper's Figure 11. A file with `problems` has several; `file.json#name` selects one. Every reference call is
    executed when a file is read; a failing one is an error.

    As an instance, a call is an action of one turn with a minimum lag to the next call of its chain, and the closing
    message is the last action, counted in the makespan. For a constant delay d and g = d + 1 the optimum is max(sum of
    n, (max n - 1) * g + number of longest chains) + 1 for chains of n calls; tests compare it with the solver and with
    exhaustive search.

    Plan language
    -------------
    A submission has `turns`: the agent's messages, a chat log (only `assistant` messages count), call objects, or the
    whole transcript as text. A message that could not be read is `{"unreadable": reason, "text": text}`.

    | message | meaning |
    |---|---|
    | `{"id": "trade", "func_name": "read_price", "params": {"symbol": "ALPH"}}` | a call, alone or within text |
    | `tool_calls` of a chat message | a call; the arguments are these three fields, or `task_id` and the parameters |
    | `{"content": "ALL COMPLETED"}`, or text with these words and no call | the closing message |
    | `{"content": ...}` with anything else, or the text `wait` | a wait |
    | anything else; several calls (see `several_calls`) | unreadable: the turn passes |

    Rules
    -----
    One message is one turn. A call is executed when it is made. With delay d, the result of a call in turn t can be
    used in turn t + 1 + d. It arrives with the answer to the message before that turn; results may arrive in another
    order than the calls. The delay depends on the number of the call within its sub-task, so plans cannot change it.
    A call before its input is known is *premature*: a guess, which is executed nevertheless. The closing message need
    not wait for the last results (Figure 12). A run succeeds if all sub-tasks are solved; see `closing`.

    Violations: `unreadable`, `unknown_task`, `other_tool` (a tool of another sub-task), `unknown_tool`, `failed_call`,
    `premature`, `after_close`, `missing_call`, `wrong_state`, `not_closed`.

    Options: single rules with `--set asynctool.RULE=VALUE`. The profiles `paper` and `released` differ in
    `refuse_unread` only (no verdict if too many lines that look like messages cannot be read: `true`, `false`).

    | rule | default | alternatives |
    |---|---|---|
    | `f1` | `nestful`: sets, without unknown functions, averaged over runs | `micro`: multisets, pooled |
    | `f1_scope` | `task`: labels count for their own sub-task (B.1: "incorrect tools for the tasks") | `run`: for all |
    | `char` | `calls`: all reference calls are made | `results`: their results are obtained; `both` |
    | `closing` | `implied` (2.3: "trajectory completion and environment consistency") | `required`: by a message |
    | `several_calls` | `refused`: several calls in a message are unreadable | `first`: the first one counts |

    Metrics
    -------
    The path of a sub-task matches if its reference calls were all made, as a multiset, and its state matches if it
    equals that after the reference calls (B.1). Turns count the closing message, also one that `closing=implied`
    adds at the end of a run, and so does the optimum. With `closing=required` a run without it fails. The Same-task
    Streak is the "longest consecutive sequence of turns" with one sub-task (3.2): `streak`, also called `streak_turns`,
    counts the turns from the first to the last call of a sub-task without a call of another one between them,
    `streak_calls` these calls, and `streak_excess` the calls beyond the shortest possible streak.
    F1 = 2 * hits / (2 * hits + false positives + misses), and 1 if there is nothing to match; for Figure 14 the F1 of
    functions is 0.286, with `f1_scope=run` 0.571. Over a set, shares count sub-tasks and runs alike: 112 of the 114
    accuracies of Table 1 are multiples of 1/1884 or 1/712. Causes of failure, for the first missing reference call:

    | cause | condition (the first that applies) | paper |
    |---|---|---|
    | `insufficient_temporal_awareness` | its function had wrong parameters before the input was known | Figure 13 |
    | `wrong_parameter` | its function was called with other parameters | 3.2 |
    | `tool_confusion` | a function of another sub-task was called, or the call was made for another one | Figure 14 |
    | `format` | a message that may have been the call was unreadable or named no task | 3.2 |
    | `wrong_call` | other calls instead; an extra call or a wrong order made the state wrong | 3.2 |
    | `neglected_task` | none of these: the call was omitted | Figure 15 |

    Differences between paper and released code
    -------------------------------------------
    There is no released code. Options cover what the paper leaves open. Figures of the paper (358 tasks, 712 problems)
    and of our problems are not comparable; `planoracle audit --tables asynctool` compares their sizes.

    - The paper composes problems by *weighted random sampling*. Its sample sizes (12 * 10, 66 * 2, 12 * 20, 220 * 1)
      imply that classes and sets of classes have equal weight, as in this package.
    - It does not define NESTFUL's F1; `f1=nestful` is our interpretation. It does not define how an agent waits.

    Known errors of references
    --------------------------
    None are known: the paper has no reference plans. `planoracle compare asynctool` compares a sequential agent with
    the optimum: it needs 1.5 times the optimal turns with a delay of 1, and twice the optimal turns for three tasks
    with a delay of 2.

    Live runs
    ---------
    A message has any form of the plan language. Legal commands are the next reference call of each task once its input
    is known, and the wait; once all reference calls have been made, only the closing message. They contain the
    solution, so they are for action masks and for agents that are not language models.

    A run ends with the closing message, or after 20 turns plus 3 times the turns of the sequential reference calls;
    with `bounded=False` after 10,000 turns. Results are answers of the role `user`; in Figure 12 they have the role
    `tool`. The settings `zero-shot` and `few-shot` ask for one call per message; `few-shot` shows a successful run of
    other tasks. As in Figure 8, the functions of all tasks are one list.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("asynctool/cross2/01"))
    >>> run.legal()[0].text
    '{"id": "numbers_4", "func_name": "common_divisor", "params": {"first": 45, "second": 120}}'
    >>> print(run.step(run.legal()[0].text).observation.text)
    {"wait": "The call is being executed."}
    >>> print(run.step("WAIT").observation.text)
    {"wait": "The call is being executed."}
    {"id": "numbers_4", "function name": "common_divisor(first=45, second=120)", "response": {"divisor": 15}}
    >>> run.step("ALL COMPLETED").done, run.run().success
    (True, False)
    """

    name = "asynctool"
    title = "AsyncTool"
    plan_fields = ("turns", "plan")
    tick_origin = 1
    has_discrete_time = True
    waits_are_commands = True
    allows_hints = False
    group_units: Mapping[str, str] = {"size": "tasks", "delay": "turns"}
    heuristics: Mapping[str, str] = {"asynctool-sequential": "planoracle.heuristics.recipe2plan_dfs:sequential"}
    tool_families = lazy("planoracle.instances.benchmarks.asynctool.problem_model:FAMILIES")

    catalog = lazy("planoracle.instances.benchmarks.asynctool.problems")
    reader = lazy("planoracle.instances.benchmarks.asynctool.problems")
    language = lazy("planoracle.instances.benchmarks.asynctool.language")
    rules = lazy("planoracle.instances.benchmarks.asynctool.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.asynctool.run")
    metrics = lazy("planoracle.instances.benchmarks.asynctool.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.asynctool.feedback")
    live = lazy("planoracle.instances.benchmarks.asynctool.live")
    generator = lazy("planoracle.instances.benchmarks.asynctool.generator")
    _encoding = lazy("planoracle.instances.benchmarks.asynctool.problem_model")

    def note(self, name: str) -> str:
        """Return a note on the origin of the bundled problems."""
        return "asynctool: AsyncTool's data are not released; these problems are ours and follow its paper"

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the values of a problem by group.

        ``task``: families of the sub-tasks (Figure 6); ``size``: kind and number (Table 6); ``tasks``: number
        (Table 7); ``delay``: that of results (Table 8).
        """
        if not self.reader.covers(name):
            return {"task": [], "size": [], "tasks": [], "delay": []}
        problem: AsyncToolProblem = self.reader.problem(name)
        delay_with_seed = name.partition("@")[2]
        delay = delay_with_seed.partition(":")[0] or "1"
        number = str(len(problem.tasks))
        return {"task": [*problem.families], "size": [problem.size], "tasks": [number], "delay": [delay]}

    def document(self, problem: Instance) -> dict[str, Any]:
        """Return a problem with its calls."""
        return dict(self.reader.to_document(problem.origin))

    def render(self, problem: Instance, schedule: Schedule) -> str:
        """Write one message per line."""
        messages = self.language.written(problem, schedule)
        return "\n".join(map(json.dumps, messages))

    def formula_optimum(self, problem: Instance) -> int | None:
        """Return the minimum number of turns; ``None`` if delays differ."""
        return cast("int | None", self._encoding.optimal_turns(problem.origin))

    def is_bounded_by_optimum(self, run: AnyRun) -> bool:
        """Return true for a run without violations; premature and extra calls can beat the optimum."""
        return not run.verdict.violations

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a call by its number, task and function."""
        task, _, name = action.partition("/")
        if task == "closing":
            return name
        number, _, function = name.partition(" ")
        return f"call {number} of {task} ({function})"


benchmark = AsyncTool()
