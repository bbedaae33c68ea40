"""Class of tools of a user, as a file that ``--tools`` names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal


@dataclass
class _Jar:
    """Amount in a jar, with notes that are compared by ``==``."""

    amount: int
    notes: list[str] = field(default_factory=list)


class Pantry:
    """Jars with amounts, and a list of what to buy."""

    def __init__(self, amounts: dict[str, int], largest_order: int = 10) -> None:
        self.jars = {item: _Jar(amount) for item, amount in amounts.items()}
        self.orders: list[list[str]] = []
        self._largest_order = largest_order

    def look(self) -> dict[str, int]:
        """List the amounts."""
        self._has_looked = True  # private attributes are not compared
        return {item: jar.amount for item, jar in self.jars.items()}

    def take(self, item: Annotated[str, "name of the item"], amount: int = 1) -> dict[str, int | str]:
        """Take an amount of an item out of its jar."""
        if item not in self.jars:
            return {"error": f"there is no {item}"}
        if amount > self.jars[item].amount:
            raise ValueError("there is not as much")
        self.jars[item].amount -= amount
        return {"left": self.jars[item].amount}

    def order(self, items: list[str], speed: Literal["slow", "fast"] = "slow") -> list[list[str]]:
        """Order items; the result are all orders."""
        if len(items) > self._largest_order:
            raise ValueError("too many items")
        self.orders.append(items)
        items.append(speed)
        return self.orders
