"""Coverage-guided fuzzing of one surface for as long as one likes, see the README of this folder.

``python tests/fuzz/atheris_target.py SURFACE [CORPUS] [libFuzzer options]``
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

with atheris.instrument_imports(include=["planoracle"]):
    from planoracle.analysis.grade import Grader, grade_all
    from planoracle.analysis.submissions import read_submissions
    from planoracle.instances import catalogue, registry
    from planoracle.instances.asynctool import language as asynctool
    from planoracle.instances.asynctool import reader as asynctool_reader
    from planoracle.instances.asynctool import rules as asynctool_rules
    from planoracle.instances.asynctool.calls import parse_call
    from planoracle.instances.asynctool.encode import problem_of
    from planoracle.instances.errors import InputError
    from planoracle.instances.files import instance_from_document, to_document
    from planoracle.instances.kitchens import language as robotouille
    from planoracle.instances.kitchens import run as robotouille_run
    from planoracle.instances.literature.reader import read_data
    from planoracle.instances.reading import load_json
    from planoracle.instances.recipe2plan import language as recipe2plan
    from planoracle.instances.recipe2plan import rules as recipe2plan_rules
    from planoracle.instances.recipe2plan.profile import PROFILES as RECIPES
    from planoracle.instances.recipe2plan.reader import read_cooking, recognises
    from planoracle.instances.robotouille import reader as robotouille_reader
    from planoracle.instances.timearena import language as timearena
    from planoracle.instances.timearena import rules as timearena_rules
    from planoracle.instances.timearena.profile import PROFILES as ARENA
    from planoracle.instances.timearena.world import world

from support.specimens import EXAMPLES, documents, submissions
from support.trusting import trusting

RECIPE = catalogue.load("recipe2plan/timed/Vada_Daikon-Radish")
HOUSE = world("timearena/household1")
FILES_TEXT = problem_of(catalogue.load("asynctool/files_1+text_2"))
SOUP: Any = catalogue.problem("kitchens/asynchronous/5_potato_soup")
TEA = catalogue.read(next(path for path in EXAMPLES if path.endswith("tea.json")))[0]
GRADER = Grader(problems=trusting())


def _plan(data: bytes) -> Any:
    """Return JSON if it is, else text."""
    try:
        return load_json(data, "plan")
    except InputError:
        return data.decode("utf-8", "replace")


def documents_of(data: bytes) -> None:
    """Read a file of any of our formats, or an original one."""
    document = load_json(data, "file")
    if robotouille_reader.recognises(document):
        robotouille_reader.kitchen_of(document, "file")
    elif asynctool_reader.recognises(document):
        asynctool_reader.read(document, "file")
    elif recognises(document):
        read_cooking("file", document)
    else:
        to_document(instance_from_document(document, "file"))


def literature(data: bytes) -> None:
    """Read a text in a format of the literature."""
    read_data(data, "file")


def recipes(data: bytes) -> None:
    """Read and replay a plan or log of Recipe2Plan under both profiles."""
    for rules in RECIPES.values():
        recipe2plan_rules.replay(RECIPE, recipe2plan.parse(_plan(data), RECIPE, rules), rules)


def arena(data: bytes) -> None:
    """Read and replay decisions of TimeArena under both profiles."""
    for rules in ARENA.values():
        timearena_rules.replay(HOUSE, timearena.parse(_plan(data), HOUSE, rules), 400, rules)


def transcripts(data: bytes) -> None:
    """Read and replay a transcript of AsyncTool, and read the text as a call."""
    asynctool_rules.replay(FILES_TEXT, asynctool.messages(_plan(data)))
    parse_call(data.decode("utf-8", "replace"))


def kitchens(data: bytes) -> None:
    """Read and run actions in a kitchen."""
    robotouille_run.as_replay(robotouille_run.replay(SOUP, robotouille.parse(_plan(data), SOUP.domain)))


def pieces(data: bytes) -> None:
    """Read and referee a schedule."""
    registry.get("generic").run(TEA, data.decode("utf-8", "replace"))


def lines(data: bytes) -> None:
    """Grade lines of submissions for problems that take no time to solve."""
    entries = read_submissions(io.BytesIO(data), "lines")
    wanted = {one["instance"] for one in submissions()}
    small = (entry for entry in entries if not isinstance(entry[1], dict) or str(entry[1].get("instance")) in wanted)
    for grade in grade_all(small, GRADER):
        if (grade.reason or "").startswith("internal error"):
            raise AssertionError(grade.reason)
        json.dumps(grade.row(trace=True))


def _plans(benchmark: str) -> list[bytes]:
    chosen = (one["plan"] for one in submissions() if benchmark in one["instance"])
    return [plan.encode() if isinstance(plan, str) else json.dumps(plan).encode() for plan in chosen]


#: What is fuzzed, and what a corpus begins with.
SURFACES: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "documents": (documents_of, lambda: [json.dumps(document).encode() for document in documents().values()]),
    "literature": (
        literature,
        lambda: [b"2 2\n0 3 1 2\n1 4 0 1\n", b"1 1 0 0\n0 1 1 1 [0]\n", b"PRECEDENCE RELATIONS:\n"],
    ),
    "recipe2plan": (recipes, lambda: _plans("recipe2plan/")),
    "timearena": (arena, lambda: _plans("timearena/")),
    "asynctool": (transcripts, lambda: [*_plans("asynctool/"), b"f(a=[1, 'b'], c={'d': None})"]),
    "robotouille": (kitchens, lambda: _plans("kitchens/")),
    "generic": (pieces, lambda: _plans("tea.json")),
    "lines": (lines, lambda: [json.dumps(one).encode() for one in submissions()]),
}


def main() -> None:
    """Fuzz the surface named first; the rest of the arguments is libFuzzer's."""
    if len(sys.argv) < 2 or sys.argv[1] not in SURFACES:
        sys.exit(f"which surface? {', '.join(SURFACES)}")
    function, seeds = SURFACES[sys.argv.pop(1)]
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        corpus = Path(sys.argv[1])
        corpus.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(seeds()):
            (corpus / f"seed{number}").write_bytes(data)

    def target(data: bytes) -> None:
        try:
            function(data)
        except InputError as error:
            if len(str(error)) > 20_000:
                raise AssertionError("the message is too long") from error

    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
