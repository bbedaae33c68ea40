"""Travel: airports, flights and their fares, bookings paid from a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_BOOKINGS, _MAX_SEATS = 200, 9

Flight = Annotated[str, "code of the flight"]
Cabin = Literal["economy", "business"]


class Leg(TypedDict):
    """A flight: codes of its airports, when it leaves, seats left, and fares in cents."""

    origin: str
    destination: str
    departs: str
    seats: int
    economy: int
    business: int


class Booking(TypedDict):
    """A booking made before; every ``number`` occurs once and ``paid`` is in cents."""

    number: int
    flight: str
    cabin: Cabin
    seats: int
    paid: int


class Initial(TypedDict):
    """Code of the airport nearest to each city, flights by code, the budget in cents, and bookings."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    cities: dict[str, str]
    flights: dict[str, Leg]
    budget: int
    bookings: list[Booking]


class Travel(Toolbox):
    """A travel agency that books flights and pays them from a budget."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._cities = dict(initial["cities"])
        self._flights = {code: dict(flight) for code, flight in initial["flights"].items()}
        self._seats = {code: flight["seats"] for code, flight in self._flights.items()}
        self._budget = initial["budget"]
        self._bookings = {one["number"]: one | {"status": "booked"} for one in initial["bookings"]}
        self._most = len(self._bookings) + _MAX_BOOKINGS

    def state(self) -> dict[str, Any]:
        """Return the budget, the seats left and all bookings."""
        bookings = {str(number): dict(one) for number, one in self._bookings.items()}
        return {"budget": self._budget, "seats": dict(self._seats), "bookings": bookings}

    @tool
    def find_airport(self, city: Annotated[str, "name of the city"]) -> dict[str, Any]:
        """Look up the code of the airport nearest to a city."""
        if city not in self._cities:
            raise ToolError(f"there is no city named {city[:80]!r}")
        return {"airport": self._cities[city]}

    @tool
    def list_flights(
        self,
        origin: Annotated[str, "code of the airport of departure"],
        destination: Annotated[str, "code of the airport of arrival"],
    ) -> dict[str, Any]:
        """List the direct flights from one airport to another, with departure times and the seats left."""
        return {
            "flights": [
                {"flight": code, "departs": flight["departs"], "seats": self._seats[code]}
                for code, flight in self._flights.items()
                if flight["origin"] == origin and flight["destination"] == destination
            ]
        }

    @tool
    def read_fare(self, flight: Flight, cabin: Annotated[Cabin, "class of travel"]) -> dict[str, Any]:
        """Read the fare of one seat on a flight, in cents."""
        return {"flight": flight, "cabin": cabin, "fare": self._fare(flight, cabin)}

    @tool
    def book_flight(
        self, flight: Flight, cabin: Annotated[Cabin, "class of travel"], seats: Annotated[int, "number of seats"]
    ) -> dict[str, Any]:
        """Book seats on a flight and pay them from the budget. The result is the number of the booking."""
        paid = self._fare(flight, cabin) * seats
        if not 1 <= seats <= _MAX_SEATS:
            raise ToolError(f"seats must lie between 1 and {_MAX_SEATS}")
        if seats > self._seats[flight]:
            raise ToolError(f"flight {flight!r} has {self._seats[flight]} seats left")
        if paid > self._budget:
            raise ToolError(f"the budget does not suffice for {paid} cents")
        if len(self._bookings) >= self._most:
            raise ToolError("too many bookings have been made")
        number = max(self._bookings, default=1_000) + 1
        given = {"number": number, "flight": flight, "cabin": cabin, "seats": seats, "paid": paid}
        self._bookings[number] = given | {"status": "booked"}
        self._seats[flight] -= seats
        self._budget -= paid
        return {"booking": number, "paid": paid}

    @tool
    def cancel_booking(self, booking: Annotated[int, "number of the booking"]) -> dict[str, Any]:
        """Cancel a booking. What was paid returns to the budget, the seats can be booked again."""
        found = self._bookings.get(booking)
        if found is None or found["status"] != "booked":
            raise ToolError(f"there is no booking {booking} that could be cancelled")
        found["status"] = "cancelled"
        if found["flight"] in self._seats:
            self._seats[found["flight"]] += found["seats"]
        self._budget += found["paid"]
        return {"booking": booking, "refunded": found["paid"]}

    def _fare(self, flight: str, cabin: str) -> int:
        if flight not in self._flights:
            raise ToolError(f"there is no flight {flight[:80]!r}")
        fare: int = self._flights[flight][cabin]
        return fare
