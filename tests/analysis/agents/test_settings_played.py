"""Every setting of every benchmark, played by a model that says what the optimal agent does, as the setting wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from planoracle import grade, load
from planoracle.analysis.agents.agent import Said
from planoracle.analysis.agents.examples import spoken
from planoracle.analysis.agents.play import play
from planoracle.analysis.agents.setting import Call, Speaker, environment_for
from planoracle.analysis.problems import read
from planoracle.instances import registry
from planoracle.instances.environment import Message
from planoracle.instances.errors import InputError
from planoracle.instances.manner import Manner
from planoracle.instances.problem import Problem
from planoracle.instances.prompted import prompted
from planoracle.instances.settings import Sampling
