"""Own instances: a submission is a list of pieces."""

from __future__ import annotations

import json
from typing import Any

from planoracle.analysis.judges.common import given
from planoracle.analysis.repairs.common import Dropped, Reading, Wish
from planoracle.instances.benchmarks import language
from planoracle.instances.model import Instance
from planoracle.instances.reading import load_json
from planoracle.instances.referee import referee
from planoracle.instances.schedule import Schedule

__all__ = ["OwnReader"]


class OwnReader:
    """Pieces count as they are; those of actions that do not exist are dropped."""

    names: tuple[str, ...] = ("plan",)

    def read(self, instance: Instance, submission: dict[str, Any]) -> Reading:
        """Read ``submission["plan"]``."""
        plan = given(submission, *self.names)
        rows = load_json(plan, "plan") if isinstance(plan, str | bytes) else plan
        unknown = [_names_nothing(instance, row) for row in rows] if isinstance(rows, list) else []
        kept = [row for row, strange in zip(rows, unknown, strict=True) if not strange] if any(unknown) else rows
        schedule = language(instance.benchmark).parse(instance, kept)
        replay = referee(instance, schedule)
        return Reading(
            instance,
            plan,
            replay,
            tuple(Wish(n, json.dumps(piece._asdict()), piece) for n, piece in enumerate(schedule.pieces)),
            tuple(
                Dropped(n, row["action"][:80], "there is no such action")
                for n, (row, strange) in enumerate(zip(rows, unknown, strict=True))
                if strange
            ),
        )

    def write(self, instance: Instance, schedule: Schedule) -> list[dict[str, Any]]:
        """Write a schedule as a list of pieces."""
        return [piece._asdict() for piece in schedule.pieces]


def _names_nothing(instance: Instance, row: Any) -> bool:
    name = row.get("action") if isinstance(row, dict) else None
    return isinstance(name, str) and name not in instance.by_id
