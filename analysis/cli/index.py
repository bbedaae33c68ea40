"""What verbs there are, and what each is for: the overview of them all is drawn without importing any."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PANELS", "REMOVED", "VERBS", "Verb"]


class Verb(NamedTuple):
    """A verb.

    Attributes
    ----------
    place
        The function that carries it out, and the module of this folder that it is in.
    about
        What the text of its own help begins with.
    """

    place: str
    about: str


#: Subcommands by the panel of the help text.
PANELS = {
    "Solve": {
        "solve": Verb("solve.solve", "Compute proved optimal schedules and validate them with the benchmark's rules."),
        "compare": Verb("compare.compare", "Compare reference plans and heuristics with the proved optimum."),
    },
    "Grade": {
        "grade": Verb("grade.grade", "Replay and grade plans, or summarize files of grades."),
        "repair": Verb(
            "repair.repair",
            "Compute for each plan the nearest plan that follows the rules.",
        ),
        "audit": Verb(
            "audit.audit",
            "Check published references: validity of their plans, and shorter plans.",
        ),
    },
    "Run": {
        "run": Verb("run.run", "Run agents and models on problems, and grade their plans."),
    },
    "Explain": {
        "explain": Verb(
            "explain.explain",
            "Explain why no schedule is shorter than the optimum, or why there is none.",
        ),
        "verify": Verb("verify.verify", "Check proofs that no schedule is shorter, step by step."),
        "critique": Verb(
            "critique.critique",
            "Report the errors of each plan, its distance from the optimum, and its most costly decisions.",
        ),
        "regret": Verb(
            "regret.regret",
            "Compute the regret of each decision: the increase in the best reachable makespan.",
        ),
        "next": Verb("next.next_", "List the commands that keep the best makespan reachable, and the best completion."),
    },
    "Create": {
        "generate": Verb(
            "generate.generate",
            "Generate random problems; the same seed, parameters and version give the same bytes.",
        ),
        "benchmark": Verb("benchmark.benchmark", "List the benchmarks, or create the package of a new one."),
    },
    "Show": {
        "instances": Verb(
            "instances.instances", "List problems by name, prefix (BENCHMARK/SET), glob (BENCHMARK/*/Vada_*) or file."
        ),
        "gantt": Verb(
            "gantt.gantt",
            "Draw a schedule as a Gantt chart, with one row per agent and object.",
        ),
        "report": Verb(
            "report.report", "Write an HTML page with a leaderboard, and each plan drawn above the optimum."
        ),
    },
    "Serve": {
        "mcp": Verb(
            "mcp.mcp",
            "Serve tools by the Model Context Protocol: problems, describe, solve, explain, grade, next.",
        ),
    },
}
VERBS = {name: verb for verbs in PANELS.values() for name, verb in verbs.items()}

#: Message for each subcommand, and each option of a subcommand, that the release before still had.
REMOVED = {
    **{
        name: f"{name} has been removed; use planoracle {call}"
        for name, call in {
            "schedule": "solve NAME --heuristic improve",
            "optima": "solve --bundled, or verify --bundled in place of --check",
            "speedup": "compare NAME --agents 1,2,3,4 --summary",
            "collect": "grade SUBMISSIONS --collect FILE",
            "summary": "grade GRADES",
            "prompt": "run NAME --show-prompts",
            "tables": "audit --tables",
            "schema": "instances --schema",
        }.items()
    },
    **{
        f"grade {option}": f"{option} has been removed; use --set {rule}"
        for option, rule in {
            "--reference": "reference=VALUE",
            "--waits": "price_waits=true",
            "--limit": "limit=VALUE",
            "--rest": "price_rest=true",
        }.items()
    },
    "compose": "compose has been removed; use planoracle generate BENCHMARK --combine, which prints the same names",
    **{
        f"run {option}": f"{option} has been removed; {replacement}"
        for option, replacement in {
            "--hints": "use planoracle next for the legal commands and their costs",
            "--base-url": "use --model-base-url",
            "--key-variable": "use the variable of inspect_ai's provider, such as OPENAI_API_KEY",
            "--timeout": "inspect_ai waits for answers and repeats requests",
            "--retries": "inspect_ai repeats requests that fail",
            "--input-price": "see the costs of the logs with inspect view",
            "--output-price": "see the costs of the logs with inspect view",
            "--cached-price": "see the costs of the logs with inspect view",
            "--send-seed": "inspect_ai decides what is sent",
            "--no-send-seed": "inspect_ai decides what is sent",
        }.items()
    },
    **{
        f"generate {option}": f"{option} has been removed; compare the problems with planoracle compare FOLDER -H all "
        "--format csv, and select rows with pandas"
        for option in ("--difficulty", "--min-loss", "--greedy", "--select", "--tries", "--time-limit")
    },
    "doctor": "doctor has been removed; use planoracle --version --verbose, which prints versions and extras",
}
