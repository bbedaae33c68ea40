"""Published numbers of steps: the horizon lengths of the paper's Table 3, one for all kitchens of a task."""

from __future__ import annotations

__all__ = ["PUBLISHED", "published_steps"]

#: By task.
PUBLISHED = {
    "0_cheese_sandwich": 10,
    "1_lettuce_sandwich": 14,
    "2_lettuce_tomato_sandwich": 24,
    "3_burger": 10,
    "4_cheeseburger": 15,
    "5_double_cheeseburger": 23,
    "6_lettuce_tomato_cheeseburger": 36,
    "7_two_lettuce_chicken_sandwich": 44,
    "8_two_lettuce_tomato_burger": 63,
    "9_onion_cheese_burger_and_lettuce_tomato_chicken_sandwich": 57,
    "0_cheese_chicken_sandwich": 21,
    "1_lettuce_chicken_sandwich": 27,
    "2_lettuce_tomato_fried_chicken_sandwich": 37,
    "3_tomato_burger_and_fries": 42,
    "4_onion_cheese_burger_and_fried_onion": 46,
    "5_potato_soup": 19,
    "6_onion_soup": 42,
    "7_tomato_soup_and_lettuce_chicken_sandwich": 46,
    "8_onion_tomato_soup_and_two_chicken_sandwich": 68,
    "9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich": 82,
}


def published_steps(name: str) -> int | None:
    """Return the number published for the task of a kitchen's name, ``None`` if there is none.

    It was made for the released kitchen of the task; its variants may need more or fewer steps. Ours have none.

    >>> published_steps("3_burger"), published_steps("asynchronous__5_potato_soup__42")
    (10, 19)
    >>> published_steps("robotouille/synchronous/3_burger@42"), published_steps("kitchens/synchronous/3_burger")
    (10, None)
    """
    if name.startswith("kitchens/"):
        return None
    parts = name.rpartition("/")[2].partition("@")[0].split("__")
    return next((PUBLISHED[part] for part in parts if part in PUBLISHED), None)
