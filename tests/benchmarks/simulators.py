"""How fast the released simulators are, to set beside ours: ``python tests/benchmarks/simulators.py FOLDER ...``.

A folder is a copy of ``portal-cornell/robotouille`` or ``ykzhang721/TimeArena``. The first needs ``gym==0.26.2`` and
``numpy<2``; neither needs us. What draws pictures and asks models is left out. Processor time.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time
from types import ModuleType
from typing import Any

KITCHENS = (
    "synchronous/3_burger",
    "asynchronous/5_potato_soup",
    "asynchronous/9_onion_potato_soup_and_fried_onion_ring_lettuce_burger_and_onion_cheese_sandwich",
)
TASKS = ("household1", "household2")


class _Renderer:
    """Draws nothing."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def reset(self) -> None:
        pass

    def __deepcopy__(self, memo: object) -> _Renderer:
        return self


def _stub(name: str, path: Path | None = None, **content: object) -> None:
    module: Any = ModuleType(name)
    module.__path__ = [] if path is None else [str(path)]
    module.__dict__.update(content)
    sys.modules[name] = module


def robotouille(folder: Path) -> None:
    """Play its kitchens at random, twenty steps each, with the texts that its agents read."""
    _stub("robotouille", folder / "robotouille")
    _stub("renderer.renderer", RobotouilleRenderer=_Renderer)
    _stub("utils", folder / "utils", pddlgym_interface=None)
    _stub("utils.pddlgym_interface")
    _stub("utils.robotouille_wrapper", RobotouilleWrapper=None)
    from robotouille.robotouille_env import create_robotouille_env

    for name in KITCHENS:
        rng = Random(1)
        times = [process_time()]
        run = create_robotouille_env(name)
        times.append(process_time())
        run.reset()
        times.append(process_time())
        for _ in range(20):
            state = run.current_state
            moves, _texts = state.get_valid_actions_and_str()
            move = rng.choice(moves)
            run.step([move if player == state.current_player else (None, None) for player in state.get_players()])
        times.append(process_time())
        made, reset, steps = (after - before for before, after in pairwise(times))
        print(f"{20 / steps:9.1f} steps/s with texts, made in {made:.2f} s, reset in {reset:.2f} s  {name}", flush=True)


def timearena(folder: Path) -> None:
    """Play two tasks at random, by decisions that it can read, most of which it refuses."""
    _stub("TimeArena", folder / "TimeArena")
    from TimeArena.environment import TimeArena

    rng = Random(1)
    count = 0
    start = process_time()
    with redirect_stdout(StringIO()):
        while process_time() - start < 5:
            run = TimeArena()
            run.load(Namespace(taskName=list(TASKS), constraint=False))
            run.getInstruction()
            words = [f"{verb} {thing}" for verb in run.name2actions for thing in run.name2objects]
            words = [said for said in words if run.is_valid(said) == (True, True)]
            said = "wait"
            for _ in range(80):
                *_, busy, _wrong = run.step(said)
                count += 1
                said = said if busy else rng.choice(["wait", *words])
    print(f"{count / (process_time() - start):9.1f} steps/s with texts  {'+'.join(TASKS)}")


def main(folders: list[str]) -> None:
    """Measure what is in some folders."""
    for folder in map(Path, folders):
        path = folder.resolve()
        sys.path.insert(0, str(path))
        os.chdir(path)
        (timearena if (path / "TimeArena").is_dir() else robotouille)(path)


if __name__ == "__main__":
    main(sys.argv[1:])
