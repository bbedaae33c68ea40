"""What can lie on a floor, by number, and what becomes of it when a cook uses a station: looked up, not worked out.

Times are no part of a thing. Whether a vessel is cooking is.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple, TypeAlias

from planoracle.instances.floors.floor import PLATE, Floor
from planoracle.instances.floors.profile import FloorRules

__all__ = ["DIRTY", "FILL_HELD", "FILL_LYING", "NOTHING", "POUR_IN", "POUR_OUT", "PUT", "TAKE", "Form", "Things"]

#: Ingredient and state.
Food: TypeAlias = tuple[str, str]

NOTHING: Final = 0
DIRTY: Final = 1
#: How a hand and a station exchange: what is put into a vessel, held or lying; what is poured, out of or into it.
TAKE, PUT, FILL_LYING, FILL_HELD, POUR_OUT, POUR_IN = range(6)


class Form(NamedTuple):
    """A thing: an ingredient by itself (no ``vessel``), or a vessel with what is in it, sorted."""

    vessel: str
    foods: tuple[Food, ...]
    cooking: bool = False


class Things:
    """The things of a floor.

    Attributes
    ----------
    forms
        By number.
    ticks
        By number: what an ingredient more takes, 0 for all but cookware.
    """

    def __init__(self, floor: Floor, rules: FloorRules) -> None:
        self.stamped = rules.cooking == "stamp"
        self.vessels = {one.name: one for one in floor.facts.cookware}
        self.forms: list[Form] = [Form("", ()), Form("dirty", ())]
        self.ticks: list[int] = [0, 0]
        self._numbers: dict[Form, int] = {form: number for number, form in enumerate(self.forms)}
        self._exchanges: dict[tuple[int, int, bool], tuple[int, int, int] | None] = {}
        self._fits: dict[tuple[int, tuple[int, ...]], bool] = {}
        self.dishes = tuple(tuple((need.ingredient, need.state) for need in dish.needs) for dish in floor.orders)
        self.meals = tuple(tuple(sorted(dish)) for dish in self.dishes)
        self.plate = self.number(Form(PLATE, ()))

    def number(self, form: Form) -> int:
        """Return the number of a thing."""
        found = self._numbers.get(form)
        if found is None:
            found = self._numbers[form] = len(self.forms)
            self.forms.append(form)
            self.ticks.append(self.vessels[form.vessel].ticks if form.vessel in self.vessels else 0)
        return found

    def food(self, name: str, state: str = "raw") -> int:
        """Return the number of an ingredient."""
        return self.number(Form("", ((name, state),)))

    def chopped(self, thing: int) -> int:
        """Return what chopping makes of a thing, `NOTHING` if it cannot be chopped."""
        form = self.forms[thing]
        if form.vessel or not form.foods or form.foods[0][1] != "raw":
            return NOTHING
        return self.food(form.foods[0][0], "chopped")

    def cooked(self, thing: int) -> int:
        """Return what a vessel becomes when its time is over."""
        form = self.forms[thing]
        return self.number(Form(form.vessel, tuple(sorted((name, "cooked") for name, _ in form.foods))))

    def exchange(self, held: int, lying: int, stove: bool) -> tuple[int, int, int] | None:
        """Return what is then held, what lies there, and how it went; ``None`` if it does not go."""
        key = (held, lying, stove)
        if key not in self._exchanges:
            self._exchanges[key] = self._exchange(*key)
        return self._exchanges[key]

    def _exchange(self, held: int, lying: int, stove: bool) -> tuple[int, int, int] | None:
        mine, its = self.forms[held], self.forms[lying]
        if not held:
            return (lying, NOTHING, TAKE) if lying else None
        if not lying:
            return None if stove and mine.vessel not in self.vessels else (NOTHING, held, PUT)
        if DIRTY in (held, lying):
            return None
        if not mine.vessel and its.vessel:
            filled = self._filled(its, mine.foods[0])
            return None if filled is None else (NOTHING, filled, FILL_LYING)
        if mine.vessel and not its.vessel and not stove:
            filled = self._filled(mine, its.foods[0])
            return None if filled is None else (filled, NOTHING, FILL_HELD)
        if mine.vessel == PLATE and its.vessel:
            # Two plates: into the held one, even from an empty one, which changes nothing.
            return (self._poured(mine, its), self._emptied(its), POUR_OUT) if its.foods else None
        if its.vessel == PLATE and mine.vessel and mine.foods and not stove:
            return (self._emptied(mine), self._poured(its, mine), POUR_IN)
        return None

    def _filled(self, vessel: Form, food: Food) -> int | None:
        foods = tuple(sorted((*vessel.foods, food)))
        if vessel.vessel == PLATE:
            return self.number(Form(PLATE, foods))
        kind = self.vessels[vessel.vessel]
        if food[1] != kind.takes or food[0] not in kind.ingredients:
            return None
        return self.number(Form(vessel.vessel, foods, cooking=True))

    def _poured(self, plate: Form, vessel: Form) -> int:
        return self.number(Form(PLATE, tuple(sorted((*plate.foods, *vessel.foods)))))

    def _emptied(self, vessel: Form) -> int:
        return self.number(Form(vessel.vessel, (), vessel.cooking and self.stamped))

    # What is there must be good for something.

    def fits(self, served: int, things: tuple[int, ...]) -> bool:
        """Whether all the food there is, sorted by number, can still become part of the orders that are left."""
        key = (served, things)
        found = self._fits.get(key)
        if found is None:
            found = self._fits[key] = self._fit(served, things)
        return found

    def _fit(self, served: int, things: tuple[int, ...]) -> bool:
        loads = [self.forms[thing] for thing in things if self.forms[thing].foods]
        loads.sort(key=lambda form: (form.vessel != PLATE, -len(form.foods)))
        wanted = [list(dish) for dish in self.dishes[served:]]

        def place(position: int) -> bool:
            if position == len(loads):
                return True
            form = loads[position]
            tried = set()
            for number, dish in enumerate(wanted):
                signature = tuple(dish)
                if signature in tried:
                    continue
                tried.add(signature)
                for taken in set(product(*(self._ends(food, form) for food in form.foods))):
                    left = list(dish)
                    try:
                        for one in taken:
                            left.remove(one)
                    except ValueError:
                        continue
                    wanted[number], before = left, dish
                    good = place(position + 1)
                    wanted[number] = before
                    if good:
                        return True
            return False

        return place(0)

    def _ends(self, food: Food, form: Form) -> list[Food]:
        """Return what a food can be in the end, being where it is."""
        name, state = food
        if form.vessel == PLATE or state == "cooked":
            return [food]
        ends = [food]
        if form.vessel:
            return [food, (name, "cooked")]
        states = {state, "chopped"} if state == "raw" else {state}
        if state == "raw":
            ends.append((name, "chopped"))
        if any(kind.takes in states and name in kind.ingredients for kind in self.vessels.values()):
            ends.append((name, "cooked"))
        return ends
