"""Records: a small table, one label and some columns of whole numbers in every row."""

from __future__ import annotations

from collections.abc import Mapping
from operator import eq, gt, lt
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

Column = Annotated[str, "name of the column"]

_RELATIONS = {"below": lt, "equal": eq, "above": gt}


class Row(TypedDict):
    """A row of the table; every ``id`` occurs once, all rows have the same columns."""

    id: int
    label: str
    values: dict[str, int]


class Initial(TypedDict):
    """The table."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    rows: list[Row]


class Records(Toolbox):
    """A table whose cells can be searched and changed; its rows and columns stay the same."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._labels = {row["id"]: row["label"] for row in initial["rows"]}
        self._rows: dict[int, dict[str, int]] = {row["id"]: dict(row["values"]) for row in initial["rows"]}

    def state(self) -> dict[str, Any]:
        """Return the numbers of every row."""
        return {"rows": {str(row): dict(values) for row, values in self._rows.items()}}

    @tool
    def filter_rows(
        self,
        column: Column,
        relation: Annotated[Literal["below", "equal", "above"], "how the value must compare with the number"],
        number: Annotated[int, "the number to compare with"],
    ) -> dict[str, Any]:
        """List the rows whose value in a column is below, equal to or above a number."""
        fits = _RELATIONS[relation]
        return self._listing([(row, value) for row, value in self._column(column) if fits(value, number)])

    @tool
    def rank_rows(
        self,
        column: Column,
        order: Annotated[Literal["ascending", "descending"], "smallest or largest value first"],
        count: Annotated[int, "how many rows to list"],
    ) -> dict[str, Any]:
        """Sort the rows by a column and list the first ones. Rows of equal value keep their order."""
        cells = self._column(column)
        if not 1 <= count <= len(cells):
            raise ToolError(f"count must lie between 1 and {len(cells)}")
        sign = 1 if order == "ascending" else -1
        return self._listing(sorted(cells, key=lambda cell: sign * cell[1])[:count])

    @tool
    def measure_column(
        self, column: Column, measure: Annotated[Literal["sum", "smallest", "largest"], "what to take of its values"]
    ) -> dict[str, Any]:
        """Take the sum, the smallest or the largest of all values in a column."""
        values = [value for _, value in self._column(column)]
        return {measure: sum(values) if measure == "sum" else min(values) if measure == "smallest" else max(values)}

    @tool
    def set_number(
        self,
        row: Annotated[int, "id of the row"],
        column: Column,
        number: Annotated[int, "the new value"],
    ) -> dict[str, Any]:
        """Change the value of one row in a column."""
        self._column(column)
        if row not in self._rows:
            raise ToolError(f"there is no row {row}")
        before = self._rows[row][column]
        self._rows[row][column] = number
        return {"row": row, "before": before, "now": number}

    def _column(self, column: str) -> list[tuple[int, int]]:
        cells = [(row, values[column]) for row, values in self._rows.items() if column in values]
        if not cells or len(cells) < len(self._rows):
            raise ToolError(f"there is no column {column[:80]!r}")
        return cells

    def _listing(self, cells: list[tuple[int, int]]) -> dict[str, Any]:
        return {"rows": [{"row": row, "label": self._labels[row], "value": value} for row, value in cells]}
