"""ParaCook (Zhang et al., 2025): cooks in a grid kitchen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import Benchmark, lazy
from planoracle.instances.protocol.plan import Plan

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.grid_kitchens.grid_kitchen import GridKitchen
    from planoracle.instances.benchmarks.grid_kitchens.run import GridKitchenPlan
    from planoracle.instances.benchmarks.paracook.rules import Profile


def groups_of(name: str) -> dict[str, list[str]]:
    """Return the category of the dishes, and the number of orders or of listed dishes.

    >>> groups_of("paracook/cook/burger/seed_42/agent_num_2/orders_num_3")
    {'task': ['burger'], 'size': ['3']}
    """
    head, at, dishes = name.partition("@")
    orders = str(len(dishes.split("+")))
    if not at:
        orders = head.rpartition("orders_num_")[2]
    size = [orders] if orders.isdecimal() else []
    return {"task": head.split("/")[2:3], "size": size}


class ParaCook(Benchmark["GridKitchen", "GridKitchenPlan", "Profile"]):
    """ParaCook: cooks walk through a kitchen and serve orders as fast as they can.

    Source
    ------
    Zhang, Ma, Xu, Cao, Lu, Yuan, Shen, Zhang, Zhao, Yang: *ParaCook: On Time-Efficient Planning for Multi-Agent
    Systems* (2025, [arXiv 2510.11608](https://arxiv.org/abs/2510.11608)). [The authors'
    repository](https://github.com/zsq259/ParaCook) (read at commit `feddb878`) states no licence, so none of its data
    are bundled. Names of its problems refer to your copy; the bundled problems are our own, in the same style.

    Problems
    --------
    In the *cook* world one to three cooks walk on a map. In the *abstract* part agents execute tasks with durations and
    precedences. It is [a separate benchmark](../paracook_abstract/__init__.py), with the names and data of this page.

    | name | problems | content |
    |---|--:|---|
    | `paracook/abstract/burger/seed_42/orders_num_3` | 120 | tasks of three orders; `~2` at the end: two agents |
    | `paracook/cook/burger/seed_42/agent_num_2/orders_num_2` | 360 | a map with two cooks and two orders |
    | `paracook/cook/burger/seed_42/agent_num_2@burger_full+burger_basic` | any | the map with given dishes |
    | `paracook/cook/example/map2@burger/burger_basic` | any | maps of the prompts, without orders of their own |
    | `paracook/cook/own/seed_1/agent_num_2/orders_num_1` | 6 | our own; any seed, up to 9 cooks, up to 16 orders |
    | `paracook/abstract/own/seed_1/orders_num_2` | 12 | our own, with the tasks of the same orders |

    A dish of another category than the map's is written with its category (`sushi/sushi_fish`). `~1` after the name of
    a kitchen keeps only the first cook. `paracook`, `paracook/abstract` and `paracook/cook` are the authors' problems
    if a copy is configured; averages do not include ours then.

    The copy is a clone of the repository, or a folder with `abstract.json` (`problems`: lists of `[name, time, {other:
    lag}]`), `maps.json`, `orders.json` and `recipes.json`. Set it with `--data
    paracook=DIR`, the variable `PLANORACLE_DATA_PARACOOK`, or in Python `registry.use_data_folder("paracook", folder)`.
    Files of the data are problem files; a map file contains every setting of the map. A file of your own has the format
    `planoracle/floor` (`planoracle instances --schema paracook`; `planoracle instances NAME --export` writes it).

    Our kitchens are drawn at random with the seed in their names. A seed has a menu of three of our nine dishes, and a
    map of 10 by 8 tiles on which every station is reachable: a dispenser for each ingredient, two boards, two stoves
    with each cookware, four tables (two with a plate), a window, a sink, a plate return and two walls. Maps of a seed
    differ in cooks only; `orders_num_3` has the orders of `orders_num_2` and one more. `planoracle generate paracook`
    draws more.

    No solver plans kitchens. Our six with one order have bundled plans and lower bounds, which the rules replay:
    `solve NAME`, `compare`, `gantt`, `explain` and the agent `optimal` show them, and grades use them.

    | kitchen | `paper` | `released` |
    |---|---|---|
    | `own/seed_1/agent_num_1/orders_num_1` | 45, optimal | 45, optimal |
    | `own/seed_1/agent_num_2/orders_num_1` | 41, optimal | 41, at least 36 |
    | `own/seed_2/agent_num_1/orders_num_1` | 42, optimal | 42, optimal |
    | `own/seed_2/agent_num_2/orders_num_1` | 25, at least 19 | 25, at least 16 |
    | `own/seed_3/agent_num_1/orders_num_1` | 64, at least 63 | 64, at least 62 |
    | `own/seed_3/agent_num_2/orders_num_1` | 60, at least 49 | 60, at least 42 |

    They were computed by release 0.9.0 (`search, release 0.9.0`) and by the planners of releases 0.10 and 0.11
    (`lower bound reached`; `annealing, not proved`), and cannot be computed again. For other kitchens `solve` is
    refused, and grades have no `optimality`. `--recompute`, heuristics, `regret`, `next` and `repair` are refused for
    all kitchens.

    Plan language
    -------------
    A submission has `plan`, an object with a list of actions for every cook (a missing cook does nothing) or text that
    contains it; or `submissions`, the messages of a closed loop. `instance` is a problem, or a map with `orders`
    (`["burger_full"]`); orders of a setting give that setting. Unknown dishes, and orders that contradict the name,
    leave a submission unscored.

    | action | meaning |
    |---|---|
    | `{"action": "MoveTo", "target": [3, 4]}` | walk to a tile |
    | `{"action": "Interact", "target": "dispenser2"}` | take, put down, fill, pour or serve |
    | `{"action": "Process", "target": "sink"}` | chop on a board, wash in a sink |
    | `{"action": "Wait", "duration": 3}` | wait (default 1 tick; fractions are exact) |
    | `{"action": "Finish"}` | no further actions |

    `answers=released` reads text like the released code: it removes text from `<think>` to `</think>` and from `//` to
    the end of a line, then reads the first block fenced by three backquotes and `json`, or else the whole text with
    double instead of single quotes. `answers=lenient` reads [model
    output](../../model_output/README.md): JSON anywhere, other names of cooks, lines such as `agent1: MoveTo(3, 4)`,
    headings with lists below them, tables. Text that does not assign an action to a cook is unscored.

    Rules
    -----
    Cooks walk one tile per tick and can pass through each other. Chopping takes 4 ticks, washing 6, a pan 24 and a pot
    16 for every ingredient; interactions take no time. A plate returns dirty 10 ticks after its dish is served. Orders
    are served in sequence. Items lie only on stations, one per station. Pans accept chopped food of certain kinds, pots
    raw food. At equal times the cook whose action started earlier acts first, then the first cook on the map; a cook
    does all actions without duration at once. Any error ends the run:

    | error | condition |
    |---|---|
    | `unknown_agent`, `plan_not_a_list` | before the run: unknown cook; not a list of actions |
    | `malformed`, `unknown_action` | not an object with an action, invalid target or duration; unknown action |
    | `unreachable`, `negative_wait` | no free tile, or no path; a wait of less than 0 ticks |
    | `unknown_target`, `not_a_station`, `not_adjacent`, `wall` | target: unknown name, cook, distant station, wall |
    | `station_in_use` | another cook works at the board (with `sinks=one` also at the sink) |
    | `stove_empty`, `process_unsupported`, `stove_process` | Process at a stove or another station without work |
    | `nothing_to_chop`, `not_raw`, `nothing_to_wash` | the work has no result; detected at its end |
    | `nothing_here`, `cannot_place`, `wrong_for_cookware`, `stove_refuses`, `sink_refuses` | no exchange is possible |
    | `no_clean_plate`, `hands_full`, `no_dirty_plate`, `nothing_to_discard` | the same for plates and trash |
    | `serve_at_zero`, `serve_no_plate`, `no_order_left`, `dish_wrong_count`, `dish_mismatch` | wrong dish |
    | `after_finish` | an action after Finish (`finish=final`) |

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `cooking` | `stove` | `stamp` | time on a stove with contents counts; or the released time stamp, see below |
    | `sinks` | `one` | `shared` | cooks at a sink at a time |
    | `finish` | `final` | `ignored` | actions after Finish in a whole plan |
    | `end` | `served` | `plans` | the run ends with the last order, or with the last action |
    | `repeats` | `refused` | `counted` | of the [abstract part](../paracook_abstract/__init__.py#rules) |
    | `lists` | `agents` | `any` | of the abstract part |
    | `answers` | `lenient` | `released` | reader of text |
    | `price_optimum` | `true` | `false` | compare grades with the best plans |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like actions cannot be read |

    Options: `--profile paper` (default) or `released`; single rules with `--set paracook.RULE=VALUE`. `solve` shows
    the plans of `released` by default. The profile `released` agrees with the released simulator on 679 plans, 48
    closed loops and 3 summaries.

    Metrics
    -------
    `sequential_time` and `sequential_movement` are the released estimate for serial work, which counts for failures.
    `trace` and `final` need `--trace`. With `end=plans` utilisation counts only explicit waits as idle time. With
    `end=served` it is the time of work and walks until the last dish, divided by the time of the last dish.

    Differences between paper and released code
    -------------------------------------------
    The paper's statements are taken from its abstract, its prompts and summaries by others.

    | matter | prompts, paper | code |
    |---|---|---|
    | a second batch in a vessel | no exception | its time counts from the end of the *first* batch |
    | a vessel off the stove | pauses | time off the stove counts once it is back |
    | an emptied vessel | | continues "cooking" |
    | two ingredients in a pan | | take 48 ticks together and finish at the same moment |
    | boards and sinks | one cook at a time | boards only; the second cook at a sink fails at the end |
    | Finish | no further actions | ignored in the open loop |
    | time of an order list (OCT) | until the orders are complete | until all plans are used up |
    | utilisation (AU) | share of time at work | only explicit waits count as idle |
    | a failure | | counts as the sequential time |
    | trash, stoves without cookware, extinguisher | described | on no released map |

    Not included: the released prompts, the graphical interface, results of models and the figures of the paper.

    Known errors of references
    --------------------------
    `burger/seed_256` with one agent is a different kitchen than with two and three. `ingredient.json` is never read and
    lacks cheese, chicken, cucumber and others. The example command of the released README fails (`.json` is appended
    twice), and its `burger_basic` example for PLaG is not valid JSON.

    Live runs
    ---------
    Closed loop: whenever a cook is idle, the agent sends actions, `{"agent1": [action, ...]}`, as an object or within
    text. Time passes once every cook has an action. An error, including an unreadable or empty message, restarts the
    kitchen; the third error ends the run. Open loop: a message is the whole plan; after an error the agent sends
    another one, up to three, and the last one counts. By default a run ends after 500 ticks per order. The setting `io`
    asks for the whole plan at once.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("paracook/cook/own/seed_1/agent_num_2/orders_num_1"))
    >>> print(run.step('{"agent1": [{"action": "Wait", "duration": 3}]}').observation.text)
    agent1 waits, from 0 to 3
    0 ticks have passed, 0 of 1 orders are served.
    Next order: own/fried_tofu: flatbread raw, tofu cooked in a pan
    agent1 at [7, 3], hands empty, waits until 3
    agent2 at [5, 3], hands empty, nothing to do
      stove1: empty pan
      stove2: empty pan
      table1: empty plate
      table2: empty plate
    Next actions are needed for: agent2.
    """

    name = "paracook"
    title = "ParaCook"
    citation = "Zhang et al., 2025"
    plan_fields = ("submissions", "plan")
    address_fields = ("orders",)
    waits_are_commands = True
    mismatch_share = 0.1
    step_reward = "score"
    group_units: Mapping[str, str] = {"size": "orders"}
    original_data = "a clone of its repository, or the compact files"

    catalog = lazy("planoracle.instances.benchmarks.paracook.problems")
    reader = lazy("planoracle.instances.benchmarks.paracook.problems")
    language = lazy("planoracle.instances.benchmarks.paracook.language")
    rules = lazy("planoracle.instances.benchmarks.paracook.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.grid_kitchens.run")
    metrics = lazy("planoracle.instances.benchmarks.paracook.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.grid_kitchens.feedback")
    live = lazy("planoracle.instances.benchmarks.paracook.live")
    generator = lazy("planoracle.instances.benchmarks.paracook.generator")

    def note(self, name: str) -> str:
        """Return a note on the origin of the bundled problems."""
        note = "paracook: problems with own in their names are ours; ParaCook's own have no licence"
        return note if "/own/" in name else ""

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the category of the dishes and the number of orders."""
        return groups_of(name)

    def addressed_name(self, name: str, record: Mapping[str, Any]) -> str:
        """Return the name of the problem of a map and the ``orders`` of a submission."""
        return str(self.catalog.addressed(name, record))

    def parse(self, problem: GridKitchen, submission: object, rules: Profile | None = None) -> Plan[GridKitchenPlan]:
        """Read a submission, see `Benchmark.parse`; its ``orders`` must be those of the problem."""
        self.catalog.agree(problem, submission)
        return super().parse(problem, submission, rules)

    def check_copy(self, folder: Path) -> None:
        """Raise `InputError` with the missing files if a folder is not a copy of the released data."""
        self.catalog.local_copy.copy_in(folder)

    def document(self, problem: GridKitchen) -> dict[str, Any]:
        """Return a grid kitchen in our format."""
        return dict(self.catalog.to_document(problem))

    def with_agents(self, problem: GridKitchen, crew: str) -> GridKitchen:
        """Return the grid kitchen with its first cooks only."""
        _, count, *rules = crew.split("~")
        if rules:
            message = "is not supported in kitchens; every cook can do every action"
            raise InputError(message, field="only", value=rules[0])
        return problem.with_cooks(problem.name + crew, int(count))


benchmark = ParaCook()
