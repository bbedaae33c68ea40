"""Robotouille (Gonzalez-Pumariega et al., 2025): planning in kitchens with a minimum of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from planoracle.instances.errors import InputError
from planoracle.instances.protocol.benchmark import Benchmark, lazy
from planoracle.instances.protocol.capabilities import SubmissionLimit
from planoracle.instances.protocol.profiles import Rules

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen


class Robotouille(Benchmark["Kitchen", list[str], Rules]):
    """Robotouille: planning in kitchens, with the minimum number of steps as the objective.

    Source
    ------
    Gonzalez-Pumariega et al.: *Robotouille: An Asynchronous Planning Benchmark for LLM Agents* (2025). The facts of the
    released kitchens come from [its repository](https://github.com/portal-cornell/robotouille), MIT licence, copyright
    (c) 2023 PoRTaL Group (`data/robotouille/LICENSE.txt`); notation and labels are ours. In our repository,
    `python -m tests.support.robotouille_originals examples variants` generates `data/robotouille/released.json` from
    the simulator's `environments/env_generator/examples` and a folder of generated variants.

    Problems
    --------
    Robots move between stations, carry, stack, cut, cook, fry and boil, one action per step. The goals are burgers,
    sandwiches and soups.

    | name | content |
    |---|---|
    | `robotouille` | the 200 variants of the paper's evaluation |
    | `robotouille/synchronous/3_burger` | released; ten in each of `synchronous`, `asynchronous`, `multi_agent` |
    | `robotouille/synchronous/3_burger@42` | its variant (seeds 42, 84, ..., 420; not in `multi_agent`) |
    | `robotouille/synchronous@42`, `robotouille/synchronous@*` | variants of a set with one seed, all variants |
    | `robotouille/synchronous/3_burger~2` | the same kitchen with two cooks (also `--agents 2`) |
    | `mine.json@42`, `mine.json@42~2` | variant of a kitchen file with seed 42 (any seed), also with two cooks |

    `asynchronous/3.1_lettuce_cheeseburger` and `multi_agent/multi_fries_and_chicken_lettuce_tomato_sandwich` were
    released, but are not used in the paper, so they are in no set. Additional cooks start with empty hands at vacant
    stations, at empty ones first. Variants for other seeds are [kitchens of our own](__init__.py), or those of a file.

    `mine.json@42` works for every file of a kitchen, in all commands and as `instance` of submissions (with
    `--problems mine.json` also `NAME@42`). A file of the simulator is shuffled on its grid as by the released
    generator, with the same random numbers: 200 of 200 released variants are reproduced from the files of their tasks.
    The generator adds stations and items, dissolves stacks, and takes the next seed if the things do not fit. It places
    one player and leaves meals behind, so files with several players or with meals have no variants. A file in our
    format has no grid; its variants are made like those of [our own kitchens](__init__.py).

    A file in our format names objects by kind and number. The kind determines the type; positions determine most facts:

    ```json
    {
      "format": "planoracle/kitchen", "version": 1, "name": "toast", "text": "A grilled patty on bread",
      "stations": {"table1": ["bread1"], "stove1": ["patty1"], "table2": ["pot1"], "sink1": []},
      "players": {"robot1": {"at": "table1"}},
      "traits": {"patty1": ["iscookable"]},
      "goal": [["iscooked", "patty#1"], ["atop", "patty#1", "bread#1"], ["item_on", "bread#1", "table2"]]
    }
    ```

    | field | meaning (default) |
    |---|---|
    | `stations` | things on each station: items from the bottom up, containers |
    | `players` | `at` (nowhere), `holds` (nothing); in the order in which the players act |
    | `containers` | meals in each container (none) |
    | `elsewhere` | objects without a position (none) |
    | `traits` | further predicates of single objects: `iscookable`, `iscut`, ... |
    | `goal`, `roles` | atoms over roles and objects, which must be true at once; roles without an atom (none) |
    | `more`, `less` | facts that are true or false contrary to the positions (none) |
    | `text` | goal in words |
    | `config` | `num_cuts`, `cook_time`, `fry_time`: numbers by kind of item, `default` for all others (3) |
    | `domain` | domain with other predicates and actions, see below (that of the benchmark) |
    | `benchmark` | `robotouille` for a kitchen of this benchmark (default `kitchens`) |

    The simulator's files are read as by its builder. Objects are sorted by cell (x, then y) and numbered kind by kind,
    unless their names end in numbers. A player stands at the station it faces and holds the thing on its own cell, an
    item rather than a container. Stacks follow `stack-level`. An id of digits is a role, any other id names an object.
    Random objects, two stations on a cell, goals with arguments of the wrong type and unknown keys are rejected; keys
    that begin with `_` are notes. With `--data robotouille=DIR` names are the simulator's files in that folder.

    **Domains.** A kitchen file of either format may name its domain, `"domain": "domain/toast.json"`: a file like the
    simulator's `domain/robotouille.json`, in the folder of the kitchen or below it. It may also contain the domain
    itself, as documents do that we write. The predicates, actions and effects of the domain replace those of the
    benchmark in all commands: solving, grading, prompts, live runs, variants, audits.
    [An example](../../../tests/facts/data/domain/toast.json) has a toaster.

    | field | meaning |
    |---|---|
    | `object_types` | some of `station`, `item`, `player`, `container`, `meal` |
    | `predicate_defs` | `name`, `param_types`, `language_descriptors`; `istoaster` makes `toaster` a kind of station |
    | `action_defs` | `name`, `precons`, `immediate_fx`, `sfx`, and `language_description`: how plans write it |
    | `precons`, `immediate_fx`, `fx`, `conditions` | lists of `predicate`, `params`, `is_true` |
    | `sfx` | `type`, `param`, `fx` and inner `sfx`; `conditions` of a conditional, `created_obj` of a creation effect |

    The types of effects are explained below. Delays and repetitions are in the `config` of the kitchen: `toast_time` or
    `num_toasts` for an action `toast`, by kind or for all kinds (`default`, 3). Facts about one object at the start are
    its `predicates` or `traits`, other ones `more`. Prompts describe all actions of the domain with their conditions
    and effects, and show all facts that these change; the sentence of a predicate is that of its first argument.
    Keys that begin with `_` are notes; `version`, `name` and `input_json` have no effect.

    What the rules cannot represent is refused, with file, field, value and what is accepted: other types of objects,
    effects that delete objects, effects within a creation effect, predicates without arguments, parameters that only
    effects name or that have two types, and a domain without the predicates of positions (`loc`, `vacant`, `item_on`,
    ...). The search knows nothing about other actions than the benchmark's, so small kitchens only are solved to
    optimality; of larger ones there is often a plan and a bound.

    Plan language
    -------------
    A submission has `actions`: a list of actions as the simulator writes them (`Move robot1 from table1 to stove1`), of
    records with an `"action"`, or [model output](../../model_output/README.md). In a text, the `Action:` lines count,
    or the lines after `Plan:`. Numbering, decoration, case and spacing do not matter. Text that is not an action is
    ignored except on `Action:` lines. Actions may also be in the names of the domain: `(move robot1 table1 stove1)`,
    `pick-up robot_1 bread_1 table_1`, `stack(robot1, bread2, chicken1, table3)`, `["cook", "robot1", "patty1",
    "stove1"]`, `{"action": "cut", "args": [...]}`, `wait`. Arguments of one type stand in the order of the sentences
    (from, to; on top of). A station that the sentence does not name must be the one where it happens; it is shown as
    `(at table3)`. The names of meals are ignored. The only player, and the number of the only object of a kind, may be
    missing. `Finish` ends the plan. If several actions have the same text, the first legal
    one is executed. `limit` is an optional number of steps.

    Rules
    -----
    A step is one action of the player whose turn it is. An action is legal if its conditions are true; different
    parameters stand for different objects. `Do nothing` is always legal. A refused action changes nothing and, by
    default, takes a step; its kind is `unknown_action`, `unknown_object`, `not_your_turn` or `precondition`. A step
    has three parts:

    1. The immediate changes of the action are made, and its effects are added to the list of effects. An effect that is
       already in the list counts the repetition.
    2. Every effect advances by one tick, in order; finished effects are removed.
    3. The goal is tested (a goal that is true at the start takes one step), and the turn passes to the next player.

    | effect | meaning |
    |---|---|
    | conditional | at every tick: its changes and inner effects if its conditions are true, else *opposite* changes |
    | delayed | after four ticks (`config` + 1), including that of the starting step: usable in step t + 4 |
    | repetitive | after three repetitions of the action (`config`), with any pauses |
    | creation | a new object with the next number of its kind |

    Consequences: cooking pauses while a patty is off the stove and continues on *that* stove; each stove and sink has
    its own timer. Boiling continues while the *pot* is on the stove, even after the water was poured into a bowl. The
    first cut makes food that could be fried whole unfryable, unless it is `isfryableifcut`. A pot filled at two sinks
    gets two waters; pouring takes one of them and leaves the pot `container_empty`. Repeated frying has no effect.

    A goal is reached if it is true for *some* choice of objects: `bread#1` is any bread, `bread#2` another one. The
    candidates of a role are fixed at the start; if no object of the kind exists, they are the first ones created.
    Several players act in turns, each turn is a step, and a station has space for one player.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `skip_after_finish` | `false` | `true` | the effect after a finished effect in the list misses the tick |
    | `moves` | `turns` | `turns` | or `joint`: all players act, then tick and goal test follow; times are rounds |
    | `goal` | `conditions` | `conditions` | or `text`: also the requirements in the words of the goal |
    | `normalize` | `true` | `false` | read the entries of a list as tolerantly as free text |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |
    | `limit` | `optimum` | `optimum` | reference of the step limit, or `published` |
    | `stop_at_limit` | `true` | `false` | a graded run ends at its step limit; later successes do not count |
    | `count_refused` | `true` | `false` | a refused action takes a step (2: "the current state s if a is invalid") |
    | `price_rest` | `false` | `false` | also compute the minimum remaining steps of failed runs |

    Options: `--profile paper` or `released`; single rules with `--set robotouille.RULE=VALUE`. Solving uses `released`
    by default, as the simulator's verdicts do; grading uses `paper`.

    Metrics
    -------
    Section 4.2.2 of the paper defines success, `optimality` (of successful runs) and `steps_to_go` (from the end of a
    failed run, or from its step limit if that is earlier). Sections 4.2.3 and A.9 define repeated transitions (an
    action that was tried before in the same state), refused actions and failures (`transition`, `action`, `goal`,
    `state` or `budget`, as far as a trace decides). A goal failure is `state` if the reasoning before an action calls
    an ingredient "already" cut, cooked or fried that is not, and the run uses it unprepared; other misreadings, and bad
    starts, cannot be decided without a reader. `recovered_mistake` and `repeated_mistake` are those of A.12.
    `prioritised` is our definition for section 4.2.4. `within_limit` is `null` if the reference is unknown. States are
    identical only if their timers are equal. `steps_to_go` and `lost` need `price_rest`.

    Differences between paper and released code
    -------------------------------------------
    `skip_after_finish` is the only difference that changes optimal plans. By the paper, the file of a kitchen can set
    cooking times and numbers of cuts (A.2); the released code never reads them. All released files contain the
    constants of the code, so `config` applies in both profiles. The paper uses one number of steps for all ten variants
    of a task, computed for the task's own kitchen.

    Known errors of references
    --------------------------
    Of the 20 published horizon lengths (Table 3), eight are too large. All optima are proved, by the released rules.

    | kitchen | published | optimum |
    |---|--:|--:|
    | `synchronous/0_cheese_sandwich` | 10 | 8 |
    | `synchronous/3_burger` | 10 | 8 |
    | `synchronous/6_lettuce_tomato_cheeseburger` | 36 | 35 |
    | `synchronous/7_two_lettuce_chicken_sandwich` | 44 | 43 |
    | `synchronous/8_two_lettuce_tomato_burger` | 63 | 39 |
    | `asynchronous/7_tomato_soup_and_lettuce_chicken_sandwich` | 46 | 44 |
    | `asynchronous/8_onion_tomato_soup_and_two_chicken_sandwich` | 68 | 62 |
    | `asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_...` | 82 | 80 |

    Of the 200 variants 37 need more steps than the published number, 139 fewer (one half of it), 24 just as many.
    `planoracle audit --tables robotouille` and `planoracle audit robotouille` print both comparisons.

    The words of the goal of `synchronous/8_two_lettuce_tomato_burger` require tomatoes, its conditions do not. By the
    words it takes 59 steps (`--set robotouille.goal=text`). The audit compares words and conditions of every kitchen:
    names of dishes such as `two lettuce tomato burgers` or `a chicken sandwich with lettuce`, and the preparation of
    their parts. It also compares the dishes in the captions of the paper (Figures 11 to 40, and A.4): the chicken of
    `multi_agent/5_lettuce_tomato_chicken_sandwich` should be fried, and the soup of
    `multi_agent/7_onion_potato_tomato_soup` boiled. With boiling, the soup takes 41 steps instead of 36.

    Live runs
    ---------
    Closed loop: a message is one action, the first in its text. A message without an action is a refused action, in the
    submission `(no action)` or the beginning of its text. With several players, `observation.player` is the next one. A
    record `{"robot1": ..., "robot2": ...}` contains actions of all players who have not acted in this round; a player
    whose action is missing or refused does nothing. A run ends when the goal is reached (`completed`), with `Finish`
    (`handed_in`) and after 10,000 actions. By default it also ends at the step limit, as in the paper ("Baselines
    exceeding this step limit are terminated", 4.2.2); no number of refusals ends it. The limit is 1.5 times the bundled
    optimum or, without one, the best known plan. Without either it is 30 steps for each condition of the goal, at least
    100, for every player. Open loop: one message is the whole plan.

    The settings are those of the paper: `io`, `io-cot`, `react`, `react-prior`, and the histories of Table 4, all with
    temperature 0.7 and one example. `react` is the paper's `last-reasoning-action-mpc` (A.8), with only the last
    reasoning and action in memory. The example is a sandwich from our kitchens, with an optimal plan.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("robotouille/synchronous/3_burger"))
    >>> print(run.step("I need the patty. Action: Pick up patty1 from table3 using robot1").observation.text)
    "Pick up patty1 from table3 using robot1": refused, it is not one of the valid actions
    robot1 at table1, hands empty
      table1: bottombun1
      table2: topbun1
      table3: patty1 (cooked)
    Valid actions:
    - Move robot1 from table1 to table2
    - Move robot1 from table1 to table3
    - Pick up bottombun1 from table1 using robot1
    - Do nothing
    """

    name = "robotouille"
    title = "Robotouille"
    citation = "Gonzalez-Pumariega et al., 2025"
    plan_fields = ("actions", "plan")
    submission_limit = SubmissionLimit("limit", 10_000, "a number of steps", optional=True)
    tick_origin = 1
    has_discrete_time = True
    waits_are_commands = True
    mismatch_share = 0.1
    step_reward = "score"
    original_data = "the simulator's kitchens"
    bins: Mapping[str, tuple[float, ...]] = {
        "optimality": (1, 1.25, 1.5),  # Figure 3
        "steps_to_go": (0.5, 1),  # Figure 4
        "repeated_transitions": (0, 5, 10, 20, 40),  # Figure 6, whose bins the paper does not state
    }

    catalog = lazy("planoracle.instances.benchmarks.kitchens.released_kitchens")
    reader = lazy("planoracle.instances.benchmarks.kitchens.simulator_files")
    language = lazy("planoracle.instances.benchmarks.kitchens.language")
    rules = lazy("planoracle.instances.benchmarks.kitchens.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.kitchens.run")
    metrics = lazy("planoracle.instances.benchmarks.kitchens.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.kitchens.feedback")
    live = lazy("planoracle.instances.benchmarks.kitchens.live")
    generator = lazy("planoracle.instances.benchmarks.kitchens.generator")
    _goal_texts = lazy("planoracle.instances.benchmarks.kitchens.goal_text")
    _released = lazy("planoracle.instances.benchmarks.kitchens.released_kitchens")
    _words = lazy("planoracle.instances.benchmarks.kitchens.descriptions")
    _layouts = lazy("planoracle.instances.benchmarks.kitchens.kitchen_layout")
    _variants = lazy("planoracle.instances.benchmarks.kitchens.variants")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the task of a variant, without its seed, as in Table 3."""
        return {"task": [name.partition("/")[2].partition("@")[0]]}

    def document(self, problem: Kitchen) -> dict[str, Any]:
        """Return a kitchen in our format."""
        return dict(self.reader.to_document(problem))

    def by_text(self, problem: Kitchen) -> tuple[Kitchen, str] | None:
        """Return the kitchen with the conditions that the goal lacks for its text or caption, and these."""
        source, atoms = "its text", self._goal_texts.lacking(problem)
        if not atoms:
            place, atoms = self._released.lacking_of_caption(problem)
            source = f"the paper ({place})"
        if not atoms:
            return None
        conditions = [self._words.condition_in_words(atom, "is", problem.domain.sentence_of) for atom in atoms]
        return self._goal_texts.with_conditions(problem, atoms), f"{source} also asks for {', '.join(conditions)}"

    def with_agents(self, problem: Kitchen, crew: str) -> Kitchen:
        """Return the kitchen with so many cooks."""
        _, count, *rules = crew.split("~")
        if rules:
            raise InputError(
                "kitchens do not support assigning actions to cooks; every cook may do every action",
                field="only",
                value=rules[0],
            )
        return cast("Kitchen", self._layouts.with_cooks(problem, int(count)))

    def variant(self, problem: Kitchen, label: str) -> Kitchen:
        """Return the variant of a kitchen for a seed."""
        return cast("Kitchen", self._variants.variant(problem, label))
