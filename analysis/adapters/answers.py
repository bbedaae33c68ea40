"""What the server of tools answers, in a form whose schema an assistant can read."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

_STATUS = "optimal (proved), feasible (not proved best), infeasible (proved), or unknown"


class Found(BaseModel):
    """Names of problems."""

    names: list[str] = Field(description="The first of them")
    total: int = Field(description="How many there are in all")


class Described(BaseModel):
    """A problem in words."""

    instance: str
    unit: str = Field(description="What a tick is")
    instructions: str = Field(description="What the rules are, and how a plan is written")
    introduction: str = Field(description="What is to be done, with what")


class Solved(BaseModel):
    """What is known of the best plan of a problem."""

    instance: str
    status: str = Field(description=_STATUS)
    makespan: int | None = Field(description="Length of the plan, in ticks")
    lower_bound: int | None = Field(description="Ticks that every plan takes at least, proved")
    unit: str = Field(description="What a tick is")
    plan: str | None = Field(description="The plan in the benchmark's language, accepted by its rules")
    proof: str = Field(description="How the status was settled")


class Violated(BaseModel):
    """One rule that a plan breaks."""

    index: int | None = Field(description="Which command broke it, from 0, as handed in; null: none did alone")
    kind: str
    subject: str
    message: str


class Graded(BaseModel):
    """The verdict of the rules on a plan."""

    instance: str
    scored: bool = Field(description="False if the plan could not be judged; reason says why")
    reason: str | None
    success: bool | None
    main_score: float | None = Field(description="The benchmark's main figure; 1 is full marks")
    makespan: int | None = Field(description="Ticks up to the latest end of a command that was carried out")
    optimal_makespan: int | None = Field(description="The proved optimum, in ticks; null if unproved")
    unit: str
    progress: float | None = Field(description="Share of the work that was done")
    violations: list[Violated] = Field(description="The first rules broken, also beyond the end of the run")
    violations_in_all: int
    metrics: dict[str, Any] = Field(description="The figures that the benchmark's paper has")
    report: str = Field(description="What is wrong with the plan, and what it loses against the best one, in words")


class Explained(BaseModel):
    """Why the optimum is what it is."""

    instance: str
    status: str = Field(description=_STATUS)
    makespan: int | None
    lower_bound: int | None
    unit: str
    explained: bool = Field(description="Whether the lines prove the status completely")
    lines: list[str] = Field(description="The argument, step by step")


class Step(BaseModel):
    """A command that the rules allow now."""

    command: str
    kind: str = Field(description="act, or wait")
    cost: int | None = Field(description="Ticks by which it puts the best end off; null: nothing leads to success then")
    best: int | None = Field(description="Best makespan after it, in ticks")
    status: str = Field(description=_STATUS)
    shortest: int | None = Field(description="Ticks; with longest, the lengths that cost the same; null: no choice")
    longest: int | None


class Advised(BaseModel):
    """What to do next."""

    instance: str
    unit: str
    best: int | None = Field(description="Best makespan that the run so far leaves, in ticks")
    status: str = Field(description=_STATUS)
    options: list[Step] = Field(description="Commands that keep it; with everything, all that the rules allow")
    plan: str | None = Field(description="The run so far and the best completion")
    over: str | None = Field(description="Why the run cannot go on, if so")
    clock: int = Field(description="Ticks; the time before which nothing else can start")
    grid: int = Field(description="Ticks; waits and pieces of actions have lengths that are multiples of it")
