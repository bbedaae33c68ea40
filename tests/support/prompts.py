"""Versions of the prompts that ship: ``python -m tests.support.prompts`` writes them down after one was raised."""

from __future__ import annotations

import json
from pathlib import Path

from planoracle.instances.model.cache import of_text
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.prompts import FOLDER, Prompt, bundled_prompt

FILE = Path(__file__).with_name("prompts.json")
_INSTANCES = Path(__file__).resolve().parents[2] / "instances"


def prompts() -> dict[str, Prompt]:
    """Return all prompts that ship, by the path of their file."""
    found = {}
    for path in sorted((*_INSTANCES.glob(f"{FOLDER}/*.*"), *_INSTANCES.glob(f"benchmarks/*/{FOLDER}/*.*"))):
        room = path.parent.parent
        package = "planoracle.instances" if room == _INSTANCES else f"planoracle.instances.benchmarks.{room.name}"
        found[path.relative_to(_INSTANCES).as_posix()] = bundled_prompt(package, path.name)
    return found


def versions(found: dict[str, Prompt]) -> dict[str, list[object]]:
    """Return the versions and digests of prompts."""
    return {name: [one.version, of_text(one.text)[:16]] for name, one in found.items()}


def used_names() -> set[str]:
    """Return the names of all prompts that settings name."""
    settings = [one for name in registry.names() for one in registry.get(name).settings.values()]
    return {name for one in settings for name in (*(f"{file}.md" for file in one.files), *one.examples)}


if __name__ == "__main__":
    FILE.write_text(json.dumps(versions(prompts()), indent=1) + "\n", encoding="utf-8")
