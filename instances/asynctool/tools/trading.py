"""Trading: prices are read, orders placed against an account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_ORDERS = 1_000

Symbol = Annotated[str, "ticker symbol"]


class Stock(TypedDict):
    """A listed company; prices in cents."""

    company: str
    price: int


class Initial(TypedDict):
    """State of the market and of the account; money in cents, holdings in shares."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    market: dict[str, Stock]
    cash: int
    holdings: dict[str, int]


class Trading(Toolbox):
    """A brokerage account. Orders are open until they are executed or cancelled."""

    Initial = Initial

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
        if not 1 <= shares <= 10**6:
            raise ToolError("shares must lie between 1 and 1,000,000")
        if limit < 1:
            raise ToolError("limit must be positive")
        if len(self._orders) >= _MAX_ORDERS:
            raise ToolError("the account has too many orders")
        held = self._holdings.get(symbol, 0)
        if side == "buy" and limit * shares > self._cash:
            raise ToolError("there is not enough cash")
        if side == "sell" and shares > held:
            raise ToolError("there are not enough shares")
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
        if symbol not in self._market:
            raise ToolError(f"there is no stock with the symbol {symbol[:80]!r}")
        return self._market[symbol]
