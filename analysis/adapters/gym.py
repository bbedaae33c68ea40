"""Registers every benchmark with Gymnasium when it is imported, as ``planoracle/TITLE-v0``.

>>> import gymnasium
>>> import planoracle.analysis.adapters.gym
>>> run = gymnasium.make("planoracle/TimeArena-v0", instance="timearena/household1", reward=None)
>>> seen, info = run.reset(seed=0)
>>> [command.text for command in run.unwrapped.commands().values()]
['activate kettle', 'wash teapot', 'wash cup', 'wait']
"""

from __future__ import annotations

import re

from planoracle.analysis.adapters.extras import need
from planoracle.instances.protocol import registry

need("gymnasium", "gym")


def _id(title: str) -> str:
    words = re.findall("[A-Za-z0-9]+", title)
    return f"planoracle/{''.join(word[0].upper() + word[1:] for word in words)}-v0"


def _register() -> dict[str, str]:
    import gymnasium

    found = {name: _id(registry.get(name).title) for name in registry.names()}
    for name, identity in found.items():
        if identity not in gymnasium.registry:
            place = "planoracle.analysis.adapters.gym_environment:LiveEnv"
            gymnasium.register(identity, entry_point=place, kwargs={"benchmark": name})
    return found


#: The environments by the names of their benchmarks.
IDS = _register()
