"""Vehicle: doors, brake, engine, fuel and climate, each of which may depend on the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_COLDEST, _HOTTEST = 16, 28

Doors = Literal["locked", "unlocked"]
Brake = Literal["pressed", "released"]
Engine = Literal["on", "off"]


class Initial(TypedDict):
    """State of the vehicle: fuel and size of the tank in litres, temperatures in degrees Celsius."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    doors: Doors
    brake: Brake
    engine: Engine
    fuel: int
    tank: int
    outside: int
    climate: int


class Vehicle(Toolbox):
    """A parked vehicle, controlled from outside."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._tank, self._outside = initial["tank"], initial["outside"]
        self._now = {name: initial[name] for name in ("doors", "brake", "engine", "fuel", "climate")}

    def state(self) -> dict[str, Any]:
        """Return everything but the size of the tank and the weather."""
        return dict(self._now)

    @tool
    def read_gauges(self) -> dict[str, Any]:
        """Read everything the vehicle shows: litres of fuel and free in the tank, temperatures outside and set."""
        room = self._tank - self._now["fuel"]
        return self._now | {"free_in_tank": room, "outside_temperature": self._outside}

    @tool
    def set_doors(self, doors: Annotated[Doors, "what the doors shall be"]) -> dict[str, Any]:
        """Lock or unlock all doors. While the engine is on they cannot be unlocked."""
        if doors == "unlocked" and self._now["engine"] == "on":
            raise ToolError("the engine is on")
        return self._set("doors", doors)

    @tool
    def set_brake(self, brake: Annotated[Brake, "what the brake pedal shall be"]) -> dict[str, Any]:
        """Press or release the brake pedal."""
        return self._set("brake", brake)

    @tool
    def switch_engine(self, engine: Annotated[Engine, "what the engine shall be"]) -> dict[str, Any]:
        """Switch the engine on or off. It starts only with locked doors, a pressed brake and some fuel."""
        if engine == "on":
            if self._now["doors"] != "locked":
                raise ToolError("the doors are unlocked")
            if self._now["brake"] != "pressed":
                raise ToolError("the brake is released")
            if self._now["fuel"] <= 0:
                raise ToolError("there is no fuel")
        return self._set("engine", engine)

    @tool
    def add_fuel(self, litres: Annotated[int, "litres to add"]) -> dict[str, Any]:
        """Add fuel to the tank. The engine must be off and the tank must have room."""
        if self._now["engine"] == "on":
            raise ToolError("the engine is on")
        room = self._tank - self._now["fuel"]
        if not 1 <= litres <= room:
            raise ToolError(f"at least 1 litre must be added and the tank has room for {room}")
        self._now["fuel"] += litres
        return {"fuel": self._now["fuel"]}

    @tool
    def set_climate(self, celsius: Annotated[int, "temperature in degrees Celsius"]) -> dict[str, Any]:
        """Set the temperature inside. The engine must be on."""
        if self._now["engine"] != "on":
            raise ToolError("the engine is off")
        if not _COLDEST <= celsius <= _HOTTEST:
            raise ToolError(f"the temperature must lie between {_COLDEST} and {_HOTTEST} degrees")
        return self._set("climate", celsius)

    def _set(self, name: str, value: str | int) -> dict[str, Any]:
        if self._now[name] == value:
            raise ToolError(f"{name}: already {value}")
        self._now[name] = value
        return {name: value}
