"""Versions of the bundled prompts; ``python -m tests.support.prompts`` records them after a change."""

from __future__ import annotations

import json
from pathlib import Path

from planoracle.instances.model.cache import of_text
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.prompts import FOLDER, Prompt, bundled_prompt

FILE = Path(__file__).with_name("prompts.json")
_INSTANCES = Path(__file__).resolve().parents[2] / "instances"


def prompts() -> dict[str, Prompt]:
    """Return all bundled prompts by the path of their file."""
    by_path = {}
    for path in sorted((*_INSTANCES.glob(f"{FOLDER}/*.*"), *_INSTANCES.glob(f"benchmarks/*/{FOLDER}/*.*"))):
        folder = path.parent.parent
        package = "planoracle.instances" if folder == _INSTANCES else f"planoracle.instances.benchmarks.{folder.name}"
        by_path[path.relative_to(_INSTANCES).as_posix()] = bundled_prompt(package, path.name)
    return by_path


def versions(bundled: dict[str, Prompt]) -> dict[str, list[object]]:
    """Return version and digest of each prompt."""
    return {name: [one.version, of_text(one.text)[:16]] for name, one in bundled.items()}


def used_names() -> set[str]:
    """Return the file names of all prompts that settings use."""
    settings = [one for name in registry.names() for one in registry.get(name).setting_versions.values()]
    return {name for one in settings for name in (*(f"{file}.md" for file in one.files), *one.examples)}


if __name__ == "__main__":
    FILE.write_text(json.dumps(versions(prompts()), indent=1) + "\n", encoding="utf-8")
