"""Tool families that spend money: orders on a brokerage account, and bookings of flights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.benchmarks.asynctool.tools.base import InitialState, Toolbox, ToolError, refuse_if, tool

_MAX_ORDERS = 1_000

Symbol = Annotated[str, "ticker symbol"]


class Stock(TypedDict):
    """A listed company; prices in cents."""

    company: str
    price: int


class Trading(Toolbox):
    """A brokerage account. Orders are open until they are executed or cancelled."""

    class Initial(InitialState):
        """State of the market and of the account; money in cents, holdings in shares."""

        market: dict[str, Stock]
        cash: int
        holdings: dict[str, int]

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._market = {symbol: dict(stock) for symbol, stock in initial["market"].items()}
        self._cash = initial["cash"]
        self._holdings = dict(initial["holdings"])
        self._orders: dict[int, dict[str, Any]] = {}

    def state(self) -> dict[str, Any]:
        """Return cash, holdings and orders; prices never change."""
        orders = {str(number): dict(order) for number, order in self._orders.items()}
        return {"cash": self._cash, "holdings": dict(self._holdings), "orders": orders}

    @tool
    def find_ticker(self, company: Annotated[str, "name of the company, exactly as listed"]) -> dict[str, Any]:
        """Look up the ticker symbol of a company."""
        for symbol, stock in self._market.items():
            if stock["company"] == company:
                return {"symbol": symbol}
        raise ToolError(f"no company is listed as {company[:80]!r}")

    @tool
    def read_price(self, symbol: Symbol) -> dict[str, Any]:
        """Read the current price of one share, in cents."""
        return {"symbol": symbol, "price": self._stock(symbol)["price"]}

    @tool
    def place_order(
        self,
        side: Annotated[Literal["buy", "sell"], "whether to buy or to sell"],
        symbol: Symbol,
        shares: Annotated[int, "number of shares"],
        limit: Annotated[int, "highest (buy) or lowest (sell) price per share, in cents"],
    ) -> dict[str, Any]:
        """Place a limit order. It is executed at once if the current price allows it, else it stays open."""
        price = self._stock(symbol)["price"]
        refuse_if(not 1 <= shares <= 10**6, "shares must lie between 1 and 1,000,000")
        refuse_if(limit < 1, "limit must be positive")
        refuse_if(len(self._orders) >= _MAX_ORDERS, "the account has too many orders")
        held = self._holdings.get(symbol, 0)
        refuse_if(side == "buy" and limit * shares > self._cash, "there is not enough cash")
        refuse_if(side == "sell" and shares > held, "there are not enough shares")
        executed = price <= limit if side == "buy" else price >= limit
        if executed:
            sign = 1 if side == "buy" else -1
            self._cash -= sign * price * shares
            self._holdings[symbol] = held + sign * shares
        number = len(self._orders) + 1
        status = "executed" if executed else "open"
        self._orders[number] = {"side": side, "symbol": symbol, "shares": shares, "limit": limit, "status": status}
        return {"order": number, "status": status}

    @tool
    def cancel_order(self, order: Annotated[int, "number of the order"]) -> dict[str, Any]:
        """Cancel an open order."""
        found = self._orders.get(order)
        if found is None or found["status"] != "open":
            raise ToolError(f"there is no open order {order}")
        found["status"] = "cancelled"
        return {"order": order, "status": "cancelled"}

    @tool
    def read_account(self) -> dict[str, Any]:
        """Read the cash balance, in cents, and the shares held."""
        return {"cash": self._cash, "holdings": dict(self._holdings)}

    def _stock(self, symbol: str) -> dict[str, Any]:
        refuse_if(symbol not in self._market, f"there is no stock with the symbol {symbol[:80]!r}")
        return self._market[symbol]


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


class Travel(Toolbox):
    """A travel agency that books flights and pays them from a budget."""

    class Initial(InitialState):
        """Code of the airport nearest to each city, flights by code, the budget in cents, and bookings."""

        cities: dict[str, str]
        flights: dict[str, Leg]
        budget: int
        bookings: list[Booking]

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
        refuse_if(city not in self._cities, f"there is no city named {city[:80]!r}")
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
        refuse_if(not 1 <= seats <= _MAX_SEATS, f"seats must lie between 1 and {_MAX_SEATS}")
        refuse_if(seats > self._seats[flight], f"flight {flight!r} has {self._seats[flight]} seats left")
        refuse_if(paid > self._budget, f"the budget does not suffice for {paid} cents")
        refuse_if(len(self._bookings) >= self._most, "too many bookings have been made")
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
        refuse_if(flight not in self._flights, f"there is no flight {flight[:80]!r}")
        fare: int = self._flights[flight][cabin]
        return fare
