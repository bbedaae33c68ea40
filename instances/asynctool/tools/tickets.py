"""Tickets: what customers report to a support desk, and who sees to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

#: Tickets opened in a run and characters of a subject or solution.
_MAX_OPENED, _MAX_TEXT = 40, 200

Customer = Annotated[str, "name of the customer, exactly as registered"]
Number = Annotated[int, "number of the ticket"]
Urgency = Literal["low", "normal", "high"]


class Ticket(TypedDict):
    """A ticket that is not resolved; every ``number`` occurs once, ``specialist`` is empty if it is nobody's."""

    number: int
    customer: str
    subject: str
    urgency: Urgency
    specialist: str


class Initial(TypedDict):
    """Names of the customers and of the specialists, and the tickets."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    customers: list[str]
    specialists: list[str]
    tickets: list[Ticket]


class Tickets(Toolbox):
    """A support desk. A ticket is resolved by the specialist it is assigned to."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._customers = frozenset(initial["customers"])
        self._specialists = frozenset(initial["specialists"])
        self._tickets: dict[int, dict[str, Any]] = {one["number"]: one | {"solution": ""} for one in initial["tickets"]}
        self._most = len(self._tickets) + _MAX_OPENED

    def state(self) -> dict[str, Any]:
        """Return all tickets by number."""
        return {"tickets": {str(number): dict(one) for number, one in self._tickets.items()}}

    @tool
    def list_tickets(self, customer: Customer) -> dict[str, Any]:
        """List all tickets of a customer; a ticket without a solution is not resolved yet."""
        self._known(customer)
        return {"tickets": [dict(one) for one in self._tickets.values() if one["customer"] == customer]}

    @tool
    def open_ticket(
        self,
        customer: Customer,
        subject: Annotated[str, "what it is about, in the customer's words"],
        urgency: Annotated[Urgency, "how urgent it is"],
    ) -> dict[str, Any]:
        """Open a new ticket for a customer, assigned to nobody. The result is its number."""
        self._known(customer)
        if not 1 <= len(subject) <= _MAX_TEXT:
            raise ToolError(f"subjects have 1 to {_MAX_TEXT} characters")
        if len(self._tickets) >= self._most:
            raise ToolError("too many tickets have been opened")
        number = max(self._tickets, default=1_000) + 1
        given = {"number": number, "customer": customer, "subject": subject, "urgency": urgency}
        self._tickets[number] = given | {"specialist": "", "solution": ""}
        return {"ticket": number}

    @tool
    def assign_ticket(
        self, ticket: Number, specialist: Annotated[str, "name of the specialist, exactly as registered"]
    ) -> dict[str, Any]:
        """Assign a ticket that is not resolved to a specialist, who takes it over from any other."""
        found = self._open(ticket)
        if specialist not in self._specialists:
            raise ToolError(f"no specialist is named {specialist[:80]!r}")
        if found["specialist"] == specialist:
            raise ToolError(f"ticket {ticket} is assigned to {specialist!r} already")
        found["specialist"] = specialist
        return {"ticket": ticket, "specialist": specialist}

    @tool
    def resolve_ticket(
        self, ticket: Number, solution: Annotated[str, "how it was solved, exactly as it shall be noted"]
    ) -> dict[str, Any]:
        """Resolve a ticket that is assigned to a specialist."""
        found = self._open(ticket)
        if not 1 <= len(solution) <= _MAX_TEXT:
            raise ToolError(f"solutions have 1 to {_MAX_TEXT} characters")
        if not found["specialist"]:
            raise ToolError(f"ticket {ticket} is assigned to nobody")
        found["solution"] = solution
        return {"ticket": ticket, "status": "resolved"}

    def _known(self, customer: str) -> None:
        if customer not in self._customers:
            raise ToolError(f"no customer is named {customer[:80]!r}")

    def _open(self, ticket: int) -> dict[str, Any]:
        found = self._tickets.get(ticket)
        if found is None:
            raise ToolError(f"there is no ticket {ticket}")
        if found["solution"]:
            raise ToolError(f"ticket {ticket} is resolved already")
        return found
