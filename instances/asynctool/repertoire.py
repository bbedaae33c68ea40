"""What there can be to do in a problem of AsyncTool."""

from __future__ import annotations

import json

from planoracle.instances.asynctool.encode import problem_of
from planoracle.instances.asynctool.language import CLOSING, WAIT, call_message
from planoracle.instances.model import Instance
from planoracle.instances.repertoire import Repertoire


def repertoire(problem: Instance) -> Repertoire:
    """Return the gold calls, the wait and the closing message."""
    calls = [(task.id, call) for task in problem_of(problem).tasks for call in task.gold]
    names = {json.dumps(call_message(task, call)): f"{task}: {call}"[:200] for task, call in calls}
    names |= {json.dumps(WAIT): "wait", json.dumps(CLOSING): "ALL COMPLETED"}
    return Repertoire(tuple(dict.fromkeys(names.values())), lambda command: names.get(command, command))
