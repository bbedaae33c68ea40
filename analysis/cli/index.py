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


#: Verbs by what they are for.
PANELS = {
    "Solve": {
        "solve": Verb(
            "solve.solve", "Compute optimal schedules, with proof; every one is accepted by the benchmark's rules."
        ),
        "schedule": Verb(
            "schedule.schedule", "Schedule by a heuristic; every schedule is accepted by the benchmark's rules."
        ),
        "compare": Verb(
            "compare.compare",
            "Compare what the benchmark gives to compare with, and the heuristics, with the proved optimum.",
        ),
        "speedup": Verb(
            "speedup.speedup",
            "Solve problems with 1, 2, ... agents: how much faster they are, and where more of them stop helping.",
        ),
    },
    "Grade": {
        "grade": Verb(
            "grade.grade",
            "Replay and grade plans; averages per model, and per model and set, go to standard error.",
        ),
        "collect": Verb(
            "collect.collect",
            "Write submissions as JSON lines: id, instance, model, sample, source, line and the plan as it was found.",
        ),
        "summary": Verb(
            "summary.summary", "Sum grades up: a row per model, over all sets, then a row per model and set."
        ),
        "repair": Verb(
            "repair.repair",
            "Repair plans: fewest moved actions, then least total shift, then makespan; and the best time in their "
            "order.",
        ),
        "audit": Verb(
            "audit.audit",
            "Check references that others have published: whether a plan keeps them, whether one is shorter, and by "
            "how much.",
        ),
    },
    "Play": {
        "run": Verb("run.run", "Let agents and models play problems, and grade their plans."),
        "prompt": Verb(
            "prompt.prompt",
            "Show what a model is sent for a problem up to its first command; of a set or benchmark, the files of its "
            "prompts.",
        ),
    },
    "Understand": {
        "explain": Verb(
            "explain.explain",
            "Say why no schedule is shorter than the optimum, in steps to check by hand; or why there is none.",
        ),
        "verify": Verb(
            "verify.verify",
            "Check proofs that no schedule is shorter, step by step.",
        ),
        "critique": Verb(
            "critique.critique",
            "Say what is wrong with every plan, how far from the best it is, and which decisions cost most.",
        ),
        "regret": Verb(
            "regret.regret", "Price every decision of a plan by the best makespan within reach before and after it."
        ),
        "next": Verb(
            "advise.next_",
            "List the commands after which the best makespan can still be reached, and the best way on.",
        ),
    },
    "Make": {
        "generate": Verb(
            "generate.generate",
            "Make random problems: the same seed, parameters and version give the same bytes.",
        ),
        "benchmark": Verb("benchmark.benchmark", "List the benchmarks, or begin a new one."),
        "schema": Verb(
            "schema.schema", "Print the JSON Schema of the files that planoracle instances --export writes."
        ),
    },
    "Look": {
        "instances": Verb(
            "instances.instances",
            "List problems by name, prefix (BENCHMARK/SET), glob (BENCHMARK/*/Vada_*) or file.",
        ),
        "optima": Verb(
            "optima.optima",
            "List the proved optima that ship with the bundled problems, by which grading is quick and the same "
            "everywhere.",
        ),
        "tables": Verb(
            "tables.tables",
            "Compare figures published in the papers with recomputed ones.",
        ),
        "gantt": Verb(
            "gantt.gantt",
            "Draw a schedule: rows for the agent and every object, autonomous work hatched, windows marked.",
        ),
        "report": Verb(
            "report.report", "Write a page that needs no network: a leaderboard, and every plan over the optimum."
        ),
    },
    "Serve": {
        "mcp": Verb(
            "mcp.mcp",
            "Serve the tools problems, describe, solve, explain, grade and next by the Model Context Protocol.",
        ),
    },
}
VERBS = {name: verb for verbs in PANELS.values() for name, verb in verbs.items()}

#: Message for each subcommand, and each option of a subcommand, that the release before still had.
REMOVED = {
    "verify --sample": "--sample has been removed; grade the submissions again and compare the rows with pandas",
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
