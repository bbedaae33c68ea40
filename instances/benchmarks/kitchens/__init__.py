"""Kitchens in which the agent chooses the actions: those of Robotouille, and kitchens of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planoracle.instances.benchmarks.kitchens.robotouille import Robotouille
from planoracle.instances.protocol.benchmark import lazy
from planoracle.instances.protocol.scoring import Reference

if TYPE_CHECKING:
    from planoracle.instances.benchmarks.kitchens.kitchen import Kitchen


class Kitchens(Robotouille):
    """Kitchens of our own: thirty kitchens modelled on the tasks of Robotouille, and your kitchen files.

    Source
    ------
    The kitchens, their texts and their variants are our own. Their tasks are those of Robotouille's paper (appendices
    A.4 and A.7), but **they are not the kitchens of that benchmark**: optima and plans of
    [Robotouille](robotouille.py) do not apply to them, and no number of steps was published for them.

    Problems
    --------
    | name | content |
    |---|---|
    | `kitchens/synchronous/3_burger` | a bundled kitchen; ten in each of `synchronous`, `asynchronous`, `multi_agent` |
    | `kitchens/synchronous/3_burger@7` | its variant with seed 7; any seed works |
    | `kitchens/asynchronous@7`, `kitchens@7` | the ten variants of a set, all thirty variants, with one seed |
    | `kitchens/synchronous/3_burger~2` | the same kitchen with two cooks |

    A file in the format `planoracle/kitchen` without `"benchmark": "robotouille"` belongs to this benchmark; its fields
    are those of [Robotouille's problems](robotouille.py#problems). Goals of the bundled kitchens are
    dishes, each on a separate table:

    | dish | meaning |
    |---|---|
    | `bread, cut lettuce, bread` | the first part on the table, the last on top, the others in any order |
    | `bread / cooked chicken / bread` | exactly this order |
    | `cut fried potato` | one thing on the table |
    | `soup: potato, cut onion` | in boiling water, in a bowl on the table |

    Food is raw: lettuce, tomato, onion and potato can be cut, onion and potato can be fried after that; patties can be
    cooked, chicken can be cooked or fried. In the synchronous kitchens patties and chicken are already cooked. A stack
    may contain further things, as in the simulator.

    A variant places the things on random stations and the players at random stations, and adds up to three stations and
    two items. Goal, traits, meals and things in hands do not change. Three of four items stand alone on a station while
    stations are free, containers always do. If the original kitchen has an empty station, the variant has one, too.

    Plan language
    -------------
    As for [Robotouille](robotouille.py#plan-language): a list of actions, or text that contains them.

    Rules
    -----
    As for [Robotouille](robotouille.py#rules), with its profiles `paper` (default) and `released`; options
    have its name (`--set robotouille.moves=joint`).

    Metrics
    -------
    As for [Robotouille](robotouille.py#metrics). There are no published numbers, so with `limit=published`
    there is no step limit.

    Differences between paper and released code
    -------------------------------------------
    The paper contradicts itself or the released files in some details. The bundled kitchens use:

    | kitchens | decision |
    |---|---|
    | all but the sixth of `synchronous`, `multi_agent` | any order in a stack (A.7); some released files fix one |
    | `synchronous/8` | with tomato (name) |
    | `asynchronous/9` | its sandwich has onion and chicken (A.7), not cheese (name) |
    | `multi_agent/5` | the chicken is cooked (A.4, name), not fried (A.7) |
    | `multi_agent/7`, `multi_agent/10` | the water boils (A.4); the released files do not require this |

    Known errors of references
    --------------------------
    None: these kitchens have no references.

    Live runs
    ---------
    As for [Robotouille](robotouille.py#live-runs), with the same settings.

    Example
    -------
    >>> from planoracle import load
    >>> kitchen = load("kitchens/asynchronous/5_potato_soup@7")
    >>> kitchen.text
    'Soup of a whole potato, in a bowl on a table'
    >>> len(kitchen.objects), kitchen.players
    (10, ('robot1',))
    """

    name = "kitchens"
    title = "Kitchens of our own"
    citation = ""
    original_data = ""

    catalog = lazy("planoracle.instances.benchmarks.kitchens.problems")
    reader = lazy("planoracle.instances.benchmarks.kitchens.problems")
    generator = None

    def note(self, name: str) -> str:
        """Return a note on the origin of the bundled kitchens."""
        return "kitchens: our own kitchens, modelled on Robotouille's paper; the released ones are robotouille/..."

    @property
    def references(self) -> Sequence[Reference[Kitchen]]:
        """None: no number of steps was published for them."""
        return ()


benchmarks = (Kitchens(), Robotouille())
