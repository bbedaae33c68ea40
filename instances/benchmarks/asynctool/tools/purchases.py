"""Tool families that spend money: orders on a brokerage account, and bookings of flights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from planoracle.instances.benchmarks.asynctool.tools.base import (
    ToolFamily,
    dict_of,
    entry_of,
    fields,
    list_of,
    operation,
    refuse_if,
    row_of,
)

_MAX_ORDERS = 1_000

Symbol = Annotated[str, "ticker symbol"]


#: A listed company; prices in cents.
Stock = fields(company=str, price=int)


class Trading(ToolFamily):
    """A brokerage account. Orders are open until they are executed or cancelled."""

    #: State of the market and of the account; money in cents, holdings in shares.
    Initial = fields(market=dict_of(Stock), cash=int, holdings=dict_of(int))
    COMPARED = ("cash", "holdings", "orders")

    def __init__(self, initial: Mapping[str, Any]) -> None:
        super().__init__({**initial, "orders": []})

    @operation
    def find_ticker(self, company: Annotated[str, "name of the company, exactly as listed"]) -> dict[str, Any]:
        """Look up the ticker symbol of a company."""
        market = self.data["market"].items()
        stocks = [{"symbol": symbol, **stock} for symbol, stock in market]
        stock = row_of(stocks, "company", company, f"no company is listed as {company[:80]!r}")
        return {"symbol": stock["symbol"]}

    @operation
    def read_price(self, symbol: Symbol) -> dict[str, Any]:
        """Read the current price of one share, in cents."""
        price = self._stock(symbol)["price"]
        return {"symbol": symbol, "price": price}

    @operation
    def place_order(
        self,
        side: Annotated[Literal["buy", "sell"], "whether to buy or to sell"],
        symbol: Symbol,
        shares: Annotated[int, "number of shares"],
        limit: Annotated[int, "highest (buy) or lowest (sell) price per share, in cents"],
    ) -> dict[str, Any]:
        """Place a limit order. It is executed at once if the current price allows it, else it stays open."""
        price = self._stock(symbol)["price"]
        orders, holdings = self.data["orders"], self.data["holdings"]
        balance = holdings.get(symbol, 0)
        lacks_cash = side == "buy" and limit * shares > self.data["cash"]
        lacks_shares = side == "sell" and shares > balance
        refuse_if(not 1 <= shares <= 10**6, "shares must lie between 1 and 1,000,000")
        refuse_if(limit < 1, "limit must be positive")
        refuse_if(len(orders) >= _MAX_ORDERS, "the account has too many orders")
        refuse_if(lacks_cash, "there is not enough cash")
        refuse_if(lacks_shares, "there are not enough shares")
        executed = price <= limit if side == "buy" else price >= limit
        if executed:
            sign = 1 if side == "buy" else -1
            self.data["cash"] -= sign * price * shares
            holdings[symbol] = balance + sign * shares
        status = "executed" if executed else "open"
        result = {"order": len(orders) + 1, "status": status}
        order = {"side": side, "symbol": symbol, "shares": shares, "limit": limit}
        orders.append(result | order)
        return result

    @operation
    def cancel_order(self, order: Annotated[int, "number of the order"]) -> dict[str, Any]:
        """Cancel an open order."""
        pending = (entry for entry in self.data["orders"] if entry["status"] == "open")
        cancelled = row_of(pending, "order", order, f"there is no open order {order}")
        cancelled["status"] = "cancelled"
        return {"order": order, "status": "cancelled"}

    @operation
    def read_account(self) -> dict[str, Any]:
        """Read the cash balance, in cents, and the shares held."""
        return {"cash": self.data["cash"], "holdings": dict(self.data["holdings"])}

    def _stock(self, symbol: str) -> Any:
        return entry_of(self.data["market"], symbol, f"there is no stock with the symbol {symbol[:80]!r}")


_MAX_BOOKINGS, _MAX_SEATS = 200, 9

Flight = Annotated[str, "code of the flight"]
Cabin = Literal["economy", "business"]


#: A flight: codes of its airports, when it leaves, seats left, and fares in cents.
Leg = fields(origin=str, destination=str, departs=str, seats=int, economy=int, business=int)

#: A booking made before; every ``number`` occurs once and ``paid`` is in cents.
Booking = fields(number=int, flight=str, cabin=Cabin, seats=int, paid=int)


class Travel(ToolFamily):
    """A travel agency that books flights and pays them from a budget."""

    #: Code of the airport nearest to each city, flights by code, the budget in cents, and bookings.
    Initial = fields(cities=dict_of(str), flights=dict_of(Leg), budget=int, bookings=list_of(Booking))
    COMPARED = ("budget", "flights", "bookings")

    def __init__(self, initial: Mapping[str, Any]) -> None:
        bookings = [booking | {"status": "booked"} for booking in initial["bookings"]]
        super().__init__({**initial, "bookings": bookings})
        self._max_bookings = len(bookings) + _MAX_BOOKINGS

    @operation
    def find_airport(self, city: Annotated[str, "name of the city"]) -> dict[str, Any]:
        """Look up the code of the airport nearest to a city."""
        airport = entry_of(self.data["cities"], city, f"there is no city named {city[:80]!r}")
        return {"airport": airport}

    @operation
    def list_flights(
        self,
        origin: Annotated[str, "code of the airport of departure"],
        destination: Annotated[str, "code of the airport of arrival"],
    ) -> dict[str, Any]:
        """List the direct flights from one airport to another, with departure times and the seats left."""
        flights = []
        for code, flight in self.data["flights"].items():
            is_direct = flight["origin"] == origin and flight["destination"] == destination
            if is_direct:
                row = {"flight": code, "departs": flight["departs"], "seats": flight["seats"]}
                flights.append(row)
        return {"flights": flights}

    @operation
    def read_fare(self, flight: Flight, cabin: Annotated[Cabin, "class of travel"]) -> dict[str, Any]:
        """Read the fare of one seat on a flight, in cents."""
        fare = self._flight(flight)[cabin]
        return {"flight": flight, "cabin": cabin, "fare": fare}

    @operation
    def book_flight(
        self, flight: Flight, cabin: Annotated[Cabin, "class of travel"], seats: Annotated[int, "number of seats"]
    ) -> dict[str, Any]:
        """Book seats on a flight and pay them from the budget. The result is the number of the booking."""
        booked, bookings = self._flight(flight), self.data["bookings"]
        paid = booked[cabin] * seats
        seats_left = booked["seats"]
        refuse_if(not 1 <= seats <= _MAX_SEATS, f"seats must lie between 1 and {_MAX_SEATS}")
        refuse_if(seats > seats_left, f"flight {flight!r} has {seats_left} seats left")
        refuse_if(paid > self.data["budget"], f"the budget does not suffice for {paid} cents")
        refuse_if(len(bookings) >= self._max_bookings, "too many bookings have been made")
        numbers = (booking["number"] for booking in bookings)
        number = max(numbers, default=1_000) + 1
        entry = {"number": number, "flight": flight, "cabin": cabin, "seats": seats, "paid": paid}
        bookings.append(entry | {"status": "booked"})
        booked["seats"] -= seats
        self.data["budget"] -= paid
        return {"booking": number, "paid": paid}

    @operation
    def cancel_booking(self, booking: Annotated[int, "number of the booking"]) -> dict[str, Any]:
        """Cancel a booking. What was paid returns to the budget, the seats can be booked again."""
        active = (entry for entry in self.data["bookings"] if entry["status"] == "booked")
        cancelled = row_of(active, "number", booking, f"there is no booking {booking} that could be cancelled")
        cancelled["status"] = "cancelled"
        flight = self.data["flights"].get(cancelled["flight"])
        if flight is not None:
            flight["seats"] += cancelled["seats"]
        self.data["budget"] += cancelled["paid"]
        return {"booking": booking, "refunded": cancelled["paid"]}

    def _flight(self, code: str) -> Any:
        return entry_of(self.data["flights"], code, f"there is no flight {code[:80]!r}")
