"""Robotouille (Gonzalez-Pumariega et al., 2025): kitchens in which actions must be chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from planoracle.plugin import Benchmark, InputError, Rules, SubmissionLimit, lazy

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen


class Robotouille(Benchmark["Kitchen", list[str], Rules]):
    """Robotouille: kitchens in which the actions must be chosen, and the fewest steps win.

    Source
    ------
    Gonzalez-Pumariega et al.: *Robotouille: An Asynchronous Planning Benchmark for LLM Agents* (2025). The facts of the
    released kitchens come from [its repository](https://github.com/portal-cornell/robotouille), MIT licence, copyright
    (c) 2023 PoRTaL Group (`data/LICENSE.txt`); notation and labels are ours.
    `python -m tests.support.robotouille_originals examples variants` in the repository writes `data/released.json`
    again, from the simulator's `environments/env_generator/examples` and a folder of generated variants.

    Problems
    --------
    Robots move between stations, carry, stack, cut, cook, fry and boil, one action a step. A kitchen asks for burgers,
    sandwiches or soups.

    | name | content |
    |---|---|
    | `robotouille` | the 200 variants on which the paper evaluates |
    | `robotouille/synchronous/3_burger` | released; ten in each of `synchronous`, `asynchronous`, `multi_agent` |
    | `robotouille/synchronous/3_burger@42` | its variant (seeds 42, 84, ..., 420; not in `multi_agent`) |
    | `robotouille/synchronous@42`, `robotouille/synchronous@*` | variants of a set with one seed, all variants |
    | `robotouille/synchronous/3_burger~2` | the same kitchen with two cooks (also `--agents 2`) |

    `asynchronous/3.1_lettuce_cheeseburger` and `multi_agent/multi_fries_and_chicken_lettuce_tomato_sandwich` were
    released, but the paper does not count them: they are in no set. With more cooks the present ones stay; new ones
    stand with empty hands at vacant stations, empty stations first. Variants for other seeds are [kitchens of our
    own](../kitchens/__init__.py).

    A file in our format names objects by kind and number. Types follow from kinds, most facts from positions:

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
    | `stations` | things on each: items from the bottom up, containers |
    | `players` | `at` (nowhere), `holds` (nothing); in the order in which they act |
    | `containers` | the meals in each (none) |
    | `elsewhere` | objects without position (none) |
    | `traits` | further predicates of single objects: `iscookable`, `iscut`, ... |
    | `goal`, `roles` | atoms over roles and objects, all true at once; roles without an atom (none) |
    | `more`, `less` | facts beside, or against, those that follow from the positions (none) |
    | `text` | the goal in words |
    | `config` | `num_cuts`, `cook_time`, `fry_time`: numbers by kind of item, `default` for all others (3) |
    | `benchmark` | `robotouille` for a kitchen of this benchmark (default `kitchens`) |

    The simulator's files are read as its builder reads them: objects sorted by cell (x, then y) and numbered kind by
    kind unless their names carry numbers; a player stands at the station it faces and holds the thing on its own cell,
    an item rather than a container; stacks follow `stack-level`. An id of digits is a role, another id names an object.
    Random objects, two stations on a cell, goals with arguments of the wrong type and unknown keys are rejected; keys
    that begin with `_` are notes. With `--data robotouille=DIR` names are the simulator's files in that folder.

    Plan language
    -------------
    A submission has `actions`: a list of actions as the simulator writes them (`Move robot1 from table1 to stove1`), of
    records with an `"action"`, or [model output](../../model_output/README.md). Of text the `Action:` lines count, or
    what follows `Plan:`. Numbering, decoration, case and spacing do not matter, and text that is no action is ignored
    except on `Action:` lines. `Finish` ends the plan. Of several actions with one text the first legal one is meant.
    `limit` is an optional number of steps.

    Rules
    -----
    One action a step, by the player whose turn it is. An action is legal if its conditions hold; different parameters
    stand for different objects. `Do nothing` is always legal. A refused action changes nothing and, by default, takes
    no step; it is `unknown_action`, `unknown_object`, `not_your_turn` or `precondition`. A step has three parts:

    1. The immediate changes of the action happen, and its effects join the list of effects. An effect that is already
       in the list registers the repetition.
    2. Every effect ticks, in order; finished effects leave the list.
    3. The goal is tested (a goal that is true at the start costs one step), and the next player acts.

    | effect | meaning |
    |---|---|
    | conditional | at every tick: its changes and inner effects if its conditions hold, else *opposite* changes |
    | delayed | after four ticks (`config` + 1), including that of the starting step: usable in step t + 4 |
    | repetitive | after the action has been done three times (`config`), with any pauses |
    | creation | a new object with the next number of its kind |

    Consequences: a patty off the stove pauses and continues on *that* stove; each stove and sink has its own timer.
    Boiling continues while the *pot* is on the stove, even if the water is in a bowl by then. Cutting makes food that
    could be fried whole unfryable, unless it is `isfryableifcut`. A pot started at two sinks gets two waters; pouring
    takes one of them and leaves the pot `container_empty`. Frying can be started again without effect.

    A goal holds for *some* choice of objects: `bread#1` is any bread, `bread#2` another one. The objects of a role are
    fixed at the start; if none of the kind exists, they are the first ones created. Several players act in turns, each
    turn is a step, and a station has room for one player.

    | rule | `paper` | `released` | meaning |
    |---|---|---|---|
    | `skip_after_finish` | `false` | `true` | after an effect that finishes, the next one misses this tick |
    | `moves` | `turns` | `turns` | or `joint`: all players act, then tick and goal test follow; times are rounds |
    | `goal` | `conditions` | `conditions` | or `text`: also what the words of the goal ask for |
    | `normalize` | `true` | `false` | read the entries of a list as tolerantly as free text |
    | `refuse_unread` | `true` | `false` | no verdict if too many lines that look like steps cannot be read |
    | `limit` | `optimum` | `optimum` | reference of the step limit, or `published` |
    | `stop_at_limit` | `true` | `false` | a graded run ends at its step limit, and is no success beyond it |
    | `count_refused` | `false` | `false` | a refused action takes a step, in which the kitchen stays as it is |
    | `price_rest` | `false` | `false` | `true`: also solve the rest of failed runs |

    Options: `--profile paper` or `released`; single rules with `--set robotouille.RULE=VALUE`. Solving uses `released`
    by default, since the simulator's verdicts do; grading uses `paper`.

    Metrics
    -------
    Success, `optimality` (of successes) and `steps_to_go` (from the end of a failed run, at the step limit at the
    latest) are those of section 4.2.2 of the paper; repeated transitions (an action that was tried in the same state
    before), refused actions and failures (`transition`, `action`, `goal` or `budget`, as far as a trace decides) of
    4.2.3 and A.9; `prioritised` is our definition for 4.2.4. `within_limit` is `null` if the reference is unknown.
    States are identical only with equal timers. `steps_to_go` and `lost` need `price_rest`.

    Differences between paper and released code
    -------------------------------------------
    `skip_after_finish` is the only difference that changes optimal plans. The paper says that cooking times and cuts
    can be set in the file of a kitchen (A.2); the released code never reads them. All released files have its
    constants, so that `config` counts in both profiles. The paper measures all ten variants of a task by one number of
    steps, which was found for the task's own kitchen.

    Known errors of references
    --------------------------
    Of the 20 published horizon lengths (Table 3) eight are too large. All optima are proved, with the released rules.

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

    The words of `synchronous/8_two_lettuce_tomato_burger` ask for tomatoes, its conditions do not: by the words it
    takes 59 steps (`--set robotouille.goal=text`). The audit compares words and conditions of every kitchen: dishes
    named like `two lettuce tomato burgers` or `a chicken sandwich with lettuce`, and how their parts are prepared.

    Live runs
    ---------
    Closed loop: a message is one action; of several the first counts, and a message without action is answered and not
    submitted. With several players `observation.player` names the next one; a record `{"robot1": ..., "robot2": ...}`
    lets all players act who have not acted in this round, and a missing or refused action does nothing. A run ends with
    the goal (`completed`), with `Finish` (`handed_in`) and after 10,000 actions. By default it also ends as in the
    paper: at the step limit, or the third time that five messages in a row brought no action (`refused`). The limit is
    1.5 times the bundled optimum, else the best known plan; if nothing is known, 30 steps for each condition of the
    goal and at least 100, for every player. Open loop: one message is the whole plan.

    The setting `react` is the paper's `last-reasoning-action-mpc` (A.8): temperature 0.7, one example, and only the
    last reasoning and action in memory. The example is a sandwich from our kitchens, made in the fewest steps.

    Example
    -------
    >>> from planoracle import environment, load
    >>> run = environment(load("robotouille/synchronous/3_burger"))
    >>> print(run.step("I need the patty. Action: Pick up patty1 from table3 using robot1").observation.text)
    "Pick up patty1 from table3 using robot1": refused, needs robot1 at table3
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
    original_data = "the simulator's kitchens"
    bins: Mapping[str, tuple[float, ...]] = {
        "optimality": (1, 1.25, 1.5),  # Figure 3
        "steps_to_go": (0.5, 1),  # Figure 4
        "repeated_transitions": (0, 5, 10, 20, 40),  # Figure 6, whose bins the paper does not state
    }

    catalog = lazy("planoracle.instances.benchmarks.robotouille.problems")
    reader = lazy("planoracle.instances.benchmarks.robotouille.reader")
    language = lazy("planoracle.instances.benchmarks.kitchens.language")
    rules = lazy("planoracle.instances.benchmarks.robotouille.rules:RULE_SET")
    runs = lazy("planoracle.instances.benchmarks.kitchens.run")
    metrics = lazy("planoracle.instances.benchmarks.robotouille.metrics:METRICS")
    feedback = lazy("planoracle.instances.benchmarks.robotouille.feedback")
    live = lazy("planoracle.instances.benchmarks.robotouille.live")
    generator = lazy("planoracle.instances.benchmarks.robotouille.generator")
    _goal_texts = lazy("planoracle.instances.benchmarks.kitchens.goal_text")
    _words = lazy("planoracle.instances.benchmarks.kitchens.descriptions")
    _layouts = lazy("planoracle.instances.benchmarks.kitchens.kitchen_layout")

    def groups(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the task of a variant, without its seed, as in Table 3."""
        return {"task": [name.partition("/")[2].partition("@")[0]]}

    def document(self, problem: Kitchen) -> dict[str, Any]:
        """Return a kitchen in our format."""
        return dict(self.reader.to_document(problem))

    def by_text(self, problem: Kitchen) -> tuple[Kitchen, str] | None:
        """Return the kitchen with the conditions that the goal lacks, and these."""
        atoms = self._goal_texts.lacking(problem)
        text = f"its text also asks for {', '.join(self._words.condition_in_words(atom, 'is') for atom in atoms)}"
        return (self._goal_texts.by_text(problem), text) if atoms else None

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


benchmark = Robotouille()
