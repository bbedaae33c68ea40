"""Dishes of our own, in the style of ParaCook's: what we bundle, and what random kitchens serve."""

from __future__ import annotations

from typing import Final

from planoracle.instances.floors.floor import Dish, Facts, Need, Vessel

#: Category of our own dishes and kitchens.
OWN: Final = "own"

#: As long as in ParaCook; other cookware, which takes other food.
FACTS: Final = Facts(
    move=1,
    chop=4,
    wash=6,
    plate_return=10,
    cookware=(
        Vessel("pan", 24, "chopped", ("tofu", "pepper", "onion")),
        Vessel("pot", 16, "raw", ("lentils", "noodles", "potato")),
    ),
)

_NEEDS: Final = {
    "bread_and_radish": "raw flatbread, chopped radish",
    "crudites": "chopped carrot, chopped radish",
    "herb_salad": "raw herbs, chopped carrot, chopped radish",
    "fried_tofu": "raw flatbread, cooked tofu",
    "fried_peppers": "raw flatbread, cooked pepper, raw herbs",
    "potatoes": "cooked potato, raw herbs",
    "lentil_stew": "cooked lentils, chopped carrot",
    "noodle_bowl": "cooked noodles, cooked tofu, raw herbs",
    "noodles_and_onion": "cooked noodles, cooked onion",
}


def _need(words: str) -> Need:
    state, _, ingredient = words.strip().partition(" ")
    vessels = (vessel.name for vessel in FACTS.cookware if ingredient in vessel.ingredients)
    return Need(ingredient, state, next(vessels, "") if state == "cooked" else "")


#: Our dishes by name, ``own/crudites``.
DISHES: Final = {
    f"{OWN}/{name}": Dish(f"{OWN}/{name}", tuple(map(_need, needs.split(",")))) for name, needs in _NEEDS.items()
}
