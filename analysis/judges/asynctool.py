"""AsyncTool: accuracy at the levels of step, sub-task and task, turns against the optimum, causes of failure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planoracle.analysis.judges.common import given, shared_fields
from planoracle.analysis.optimum import optimum
from planoracle.instances.asynctool.causes import causes
from planoracle.instances.asynctool.encode import optimal_turns, problem_of
from planoracle.instances.asynctool.language import messages
from planoracle.instances.asynctool.metrics import measure
from planoracle.instances.asynctool.profile import Profile
from planoracle.instances.asynctool.rules import as_replay, replay
from planoracle.instances.model import Instance
from planoracle.instances.status import Status

__all__ = ["AsyncToolJudge"]


class AsyncToolJudge:
    """Judge under one profile."""

    def __init__(self, rules: Profile) -> None:
        self.rules = rules

    def judge(self, instance: Instance, submission: dict[str, Any]) -> dict[str, Any]:
        """Judge ``submission["turns"]`` (or ``"plan"``)."""
        problem = problem_of(instance)
        run = replay(problem, messages(given(submission, "turns", "plan")), self.rules)
        figures = measure(run, self.rules)
        found = causes(run)
        best = optimal_turns(problem)
        if best is None:
            exact = optimum(instance)
            best = exact.makespan if exact.status == Status.optimal else None
        tasks = len(problem.tasks)
        return shared_fields(as_replay(run)) | {
            "optimal_makespan": best,
            "details": {
                "func_f1": figures.functions.f1,
                "param_f1": figures.parameters.f1,
                "subtask_char": figures.char / tasks,
                "subtask_env": figures.env / tasks,
                "subtask_acc": figures.accurate / tasks,
                "task_char": figures.char == tasks,
                "task_env": figures.env == tasks,
                "overall": run.success,
                "streak": figures.streak,
                "streak_excess": figures.streak_excess,
                "turns": figures.turns,
                "optimal_turns": best,
                "optimal_calls": figures.optimal_calls,
                "turn_efficiency": best / figures.turns if run.success and run.closed and best else None,
                "premature_calls": figures.premature_calls,
                "idle_turns": figures.idle_turns,
                "usable_idle_turns": figures.usable_idle_turns,
                "func_f1_micro": figures.functions_micro.f1,
                "param_f1_micro": figures.parameters_micro.f1,
                "cause": next((cause.cause for cause in found if cause.failed), None),
                "causes": [cause._asdict() for cause in found],
                "subtasks": tasks,
                "labels": {
                    "functions": asdict(figures.functions_micro),
                    "parameters": asdict(figures.parameters_micro),
                },
                "closed": run.closed,
            },
        }
