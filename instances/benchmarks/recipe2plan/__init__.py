"""Recipe2Plan (Wu et al., 2025): two recipes, one cook, time constraints between steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NotImplementedType

from planoracle.plugin import Instance, Rules, ScheduleBenchmark, lazy


class Recipe2Plan(ScheduleBenchmark[object, Rules]):
    r"""Recipe2Plan: one cook prepares two recipes, with time constraints between some steps.

    Source
    ------
    Wu, Liu, Li, Kong, Feng: *Recipe2Plan: Evaluating Planning Abilities of LLMs for Efficient and Feasible Multitasking
    with Time Constraints Between Actions* (2025). The package contains the facts of the 24 released recipes (the paper
    says 29), their 65 pairs and the released reference plans.

    Problems
    --------
    `recipe2plan/timed/A_B` and `recipe2plan/untimed/A_B`, 65 each. Some steps run without the cook, some can be
    interrupted, some occupy objects with a temperature. In the *timed* problems some steps must start soon after
    others.

    In files of planoracle, recipes are tasks and their steps are named 0, 1, 2, ...; an autonomous step has
    `"attended": 0`, a tick is a second. An object is a resource of capacity 1 whose state is its temperature. An
    autonomous step that can be interrupted is rejected: under the rules its pieces could all run at the same time.

    A resource of a larger capacity is the volume of an object. A step with `sets` fills it to that number of units; a
    step without takes its `amount`, with every piece again. So `{"resource": "water", "amount": 250}` breaks the rule
    `object_volume` unless 250 units are left. The released recipes have no volumes, but the released code knows them.
    No solver does, so such problems are graded without an optimum.

    Plan language
    -------------
    `Step(number, recipe, duration, start)`, such as `Step(3, Tacos, 5 min, 00:10:00)`; times as `HH:MM:SS`, `MM:SS`,
    `5 min` or seconds. `Step(number, recipe, start)` has the nominal duration. A submission is one of:

    - the text or chat of a model; the part that is the plan counts (`parse_scope`). Tables may have columns for step,
      recipe, duration and start;
    - an open-loop log `{"response": text}`;
    - an interactive log `[{"response": text}, ...]` of one answer after the other on the same kitchen. A rejected
      answer changes only the clock; the run succeeds when every recipe is complete. `Action: Finish` is no rejected
      answer;
    - a list of commands: `[step, recipe, duration, start]`, objects with these keys, or texts.

    Plans of more than 100,000 commands or with numbers of more than 40 digits are rejected.

    Rules
    -----
    Commands run in order of their starts, ties as written. The first failing check ends the run:

    | violation | condition |
    |---|---|
    | `wrong_recipe`, `wrong_action` | the recipe or the step does not exist |
    | `time_error` | the start is before the clock; a later start advances the clock even if the command fails |
    | `infeasible_multitask` | a continuous step overlaps another; listed after `time_error` |
    | `object_occupancy` | an object is in use, except to set its current temperature for the same interval |
    | `object_temperature` | the last temperature set is not the required one |
    | `object_volume` | a volume that nothing has filled, or with too little left |
    | `time_constraint` | the start is later than the limit allows; see `window_on_resume` |
    | `repeated_action`, `action_duration` | longer than what is left of a finished or an unfinished step |
    | `execution_interruptibility` | shorter than what is left of a step that cannot be interrupted |
    | `dependency` | a prerequisite is not complete, or not finished at the start |
    | `no_action` | the plan has no command |
    | `missing_action` | a step is never carried out; only in the list of all violations |
    | `identical_refusals`, `too_many_turns` | an interactive run ends by `max_identical_refusals`, `max_turns` |

    Refusals are identical if the released environment answers them alike: its message names the step, but the start of
    a command only for objects and times in the past. Whole plans have no turns. An aborted run is a success only if
    every recipe was complete before. The limit of turns is that of the released `react_agent.py`. The bundled optimum
    of `timed/Pancakes_Chicken-Rice` has more commands; `solve --fewest-pieces` finds one with fewer.

    A continuous step advances the clock to its end, an autonomous step leaves it at its start. So nothing starts
    strictly inside a continuous step; a step that can be interrupted is split by giving two commands.

    Options: `--profile paper` (default) or `released`; single rules with `--set recipe2plan.RULE=VALUE`.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `reference` | `heuristic` | `heuristic` | or `optimal`; `r_efficiency_optimal` is always in a grade |
    | `ref_floor` | `false` | `true` | r_efficiency is at most 5 times efficiency |
    | `missing_ref` | `optimum` | `zero` | value for a problem without reference plan |
    | `undefined_ref` | `undefined` | `zero` | value if the reference saves no time in as many commands |
    | `clip_saved` | `true` | `true` | negative time saved counts as 0 |
    | `t_auto` | `executed` | `nominal` | durations of autonomous steps: as executed, or nominal of complete ones |
    | `reject_advances_clock` | `true` | `true` | a rejected command advances the clock |
    | `step_shapes` | `lenient` | `released` | the two forms of the released reader only |
    | `parse_scope` | `plan` | `everywhere` | steps in the part of the text that is the plan, or anywhere |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |
    | `timestamp_repair` | `false` | `false` | an option of the released code |
    | `score_if` | `success` | `complete` | a complete run scores even if a later command is rejected |
    | `fatal_time_constraint` | `true` | `false` | an interactive run ends at the first violated time constraint |
    | `max_failures` | `10` | `10` | an interactive run ends at the next rejected answer |
    | `max_identical_refusals` | `3` | `3` | an interactive run ends at this many in a row; 0: no limit |
    | `max_turns` | `unlimited` | `steps+10` | answers after which an interactive run ends |
    | `missing` | `failed` | `skipped` | problems without a plan |
    | `zero_duration` | `rejected` | `accepted` | commands of length zero |
    | `window_on_resume` | `true` | `true` | time constraints are checked at resumptions as well |

    Metrics
    -------
    For a run of n executed commands with latest end M, total duration T, and T_auto of it in autonomous steps:

    - *efficiency* (equation 1) = T_save / T_auto with T_save = max(0, T - M);
    - *r_efficiency* (equation 2) = efficiency / efficiency of the first n commands of the reference plan. With
      `reference=optimal` a successful run is compared with the whole optimal plan, because interruptions change n;
    - *multitasking_score* (equation 3) = r_efficiency of a successful run, else 0;
    - *progress* = share of steps that are complete, or prerequisite of a complete one;
    - *goal_ratio* = share of complete recipes.

    Averages count problems without a plan as failed. Undefined values are counted and left out.

    *Beliefs.* What a model believes of the recipes is compared with the problem, as in Table 9: which steps are
    autonomous (`concurrency`), which pairs of steps depend on each other directly (`dependency`), and which steps
    occupy an object (`resources`). Grades have them as `beliefs`; `planoracle grade` shows recall, precision and F1 per
    model, and per model and recipe. Items are added up over all recipes and runs. An unread belief is counted and left
    out; it is `missing`, names `no_recipe`, or is `unreadable`.

    Beliefs are fields of a submission, as `run --setting react` stores them: `beliefs`, with the three kinds or with
    recipes as keys, or a field for each kind. `parallel`, `objects` and `physical_constraints` are other names, the
    first and the last those of the released logs. Values are texts or JSON:

        {"instance": "recipe2plan/timed/Cobbler_Pancakes", "plan": "...", "beliefs": {
          "concurrency": "Cobbler: 0, 2, 7\nPancakes: none", "resources": {"Cobbler": {"oven": [0, 7]}},
          "dependency": "Cobbler: 1 -> 2, 2 -> 3\nPancakes: I cannot say"}}

    Of Cobbler's three autonomous steps all are believed, of Pancakes' three none: recall 3/6, precision 3/3, F1 6/9.
    Both links of Cobbler are right, of seven: recall 2/7, precision 2/2, F1 4/9; Pancakes' links are unreadable. Two of
    Cobbler's three objects are right; Pancakes' are not named. Without such fields, sections of the plan's text or of
    messages are read, under headings such as `Autonomous actions:`, `Dependencies:` and `Objects:`.

    Differences between paper and released code
    -------------------------------------------
    The options list them. With `zero_duration=accepted` a command of length zero after an autonomous step moves the end
    of that step back to its own start, as in the released code. So a plan can be shorter than every schedule. The
    optimum is that of plans without such commands; `optimal_makespan` of a shorter success is empty, and its regret is
    negative.

    Known errors of references
    --------------------------
    `timed/Pizza_Chocolate-Egg` has no released plan, and most released plans are not optimal. `planoracle regret` finds
    that 171 of the 3,168 decisions in the 129 plans lose 571 minutes, and 50 waits 261 minutes. The largest losses:

    | problem | decision | at | loss |
    |---|---|---|---|
    | `timed/Rainbow-Cupcakes_Chicken-Rice` | wait 30 min | 00:27:00 | 21 min 30 s |
    | `timed/Chicken-Rice_Chocolate-Egg` | step 4 of Chicken-Rice: add diced food to pan | 00:26:00 | 18 min |
    | `timed/Leche-Asada_Banana-Fry` | wait 5 min | 00:25:00 | 15 min |
    | `timed/Chicken-Rice_Strawberry-Cake` | wait 15 min | 00:11:00 | 15 min |
    | `timed/Tacos_Chicken-Rice` | step 2 of Chicken-Rice: warm pan over medium | 00:24:00 | 14 min |
    | `untimed/Chicken-Rice_Chocolate-Egg` | step 5 of Chicken-Rice: saute chicken until done | 00:23:00 | 14 min |

    The last one by hand: the shell of the egg is dry at 00:24:00. Then wiping (2 min), filling (3 min) and inserting
    the toy (2 min) occupy the cook, and 30 min of chilling follow, so no plan ends before 01:01:00. The reference
    starts to saute at 00:23:00, which occupies the cook until 00:38:00; the egg is ready at 01:15:00 at best.

    Live runs
    ---------
    One step is one turn, as in the paper: the first step of a message counts, after `Action:` if that is there. A
    rejected step changes only the clock. The agent ends the run with `Finish`; so do the eleventh rejection
    (`max_failures`), three identical ones in a row (`max_identical_refusals`) and, with `fatal_time_constraint`, a
    missed time constraint. With an open loop the one message is a
    plan.

    A command contains its start, so there is no wait command. The legal commands start at the clock, at the end of a
    running step, or so that a time constraint can be met at such an end. Steps that can be interrupted have all lengths
    that are multiples of the common divisor of all times (at most 100). `Finish` is legal once every recipe is complete
    or if nothing else is. The optimum of each bundled problem can be composed of legal commands.

    The setting `react` has a closed loop at temperature 0. First the model answers three questions on what recipes
    leave implicit: which steps are autonomous, which precede which, and which occupy an object. Then it answers with a
    thought and a step, in at most 512 tokens. It sees the recipes without these facts, with labels of our own instead
    of the sentences. The questions cover both recipes at once, with 256 tokens (the paper: 128 each). The solved
    example consists of two recipes of our own.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("recipe2plan/timed/Cobbler_Pancakes"))
    >>> print(run.step("Thought: the oven first.\nAction: Step(0, Cobbler, 10 min, 0)").observation.text)
    Step 0 of Cobbler has begun.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00).
    >>> print(run.step("Action: Step(2, Cobbler, 1 min, 0)").observation.text)
    Refused: Step 2 of Cobbler starts at 00:00:00, but step 1 of Cobbler comes first and has not been done.
    It is 00:00:00. Under way: step 0 of Cobbler (until 00:10:00).
    >>> run.legal()[0].text, len(run.legal())
    ('Step(1, Cobbler, 00:02:00, 00:00:00)', 70)
    """

    name = "recipe2plan"
    title = "Recipe2Plan"
    citation = "Wu et al., 2025"
    self_contained = True
    greedy_heuristics = ("recipe2plan-dfs",)
    heuristics: Mapping[str, str] = {
        "recipe2plan-dfs": "planoracle.heuristics.recipe2plan_dfs:waiting",
        "recipe2plan-dfs-literal": "planoracle.heuristics.recipe2plan_dfs:literal",
    }

    detail_fields = ("beliefs", "concurrency", "dependency", "resources", "objects", "parallel", "physical_constraints")

    catalog = lazy("planoracle.instances.benchmarks.recipe2plan.problems")
    language = lazy("planoracle.instances.benchmarks.recipe2plan.language")
    rules = lazy("planoracle.instances.benchmarks.recipe2plan.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.recipe2plan.run")
    metrics = lazy("planoracle.instances.benchmarks.recipe2plan.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.recipe2plan.feedback")
    live = lazy("planoracle.instances.benchmarks.recipe2plan.live")
    generator = lazy("planoracle.instances.benchmarks.recipe2plan.generator")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the recipes of a pair, with and without time constraints."""
        *_, setting, pair = ("", *name.split("/"))
        return {"task": [f"{setting}/{recipe}" for recipe in pair.split("_")]}

    def note(self, name: str) -> str:
        """Return how a released recipe differs from the printed one."""
        note = (
            "recipe2plan: Daikon-Radish is the released recipe; Table 6 prints 1 -> 2, 2 -> 3, 3 -> 4, 4 -> 5 instead "
            "of its dependencies 2 -> 6, 3 -> 5, 1 -> 8, 4 -> 13, and no time constraint between steps 9 and 13 (1 min)"
        )
        return note if "Daikon-Radish" in name else ""

    def optimum(self, problem: Instance) -> int | NotImplementedType | None:
        """Return ``None`` for a problem with volumes, which no solver knows."""
        return None if any(one.capacity > 1 for one in problem.resources) else super().optimum(problem)

    def check(self, problem: Instance) -> None:
        """Raise `InputError` for what plans cannot say or the rules do not know."""
        self.catalog.check(problem)

    def name_of(self, problem: Instance, action: str) -> str:
        """Name a step by its number and recipe."""
        task, _, name = action.rpartition("/")
        return f"step {name} of {task}"


benchmark = Recipe2Plan()
