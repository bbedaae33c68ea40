"""Checks of names, problem files, rules, plans as text, and hostile input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from random import Random

from planoracle.analysis.contract.cases import (
    BrokenContractError,
    ContractCase,
    NotApplicableError,
    broken_plans,
    require,
    require_equal,
    view,
)
from planoracle.analysis.grading.grader import Grader
from planoracle.instances.errors import InputError, PlanError, UnknownNameError
from planoracle.instances.files.strict_json import load_json
from planoracle.instances.generate.styles import generate
from planoracle.instances.model.cache import fingerprint
from planoracle.instances.protocol import registry
from planoracle.instances.protocol.benchmark import AnyBenchmark
from planoracle.instances.text import to_json

# Number of names whose problems are loaded; a catalogue may have thousands.
_LOADED = 20
# Characters of a text of repeated parts.
_FLOOD = 30_000

_DEEP: list[object] = []
for _ in range(900):
    _DEEP = [_DEEP]
_NUMBERS = (0, -1, 10**9, 2**63, 10**40, 10**400, 0.5, -0.0, 1e308, float("nan"), True, None)
_TEXTS = (
    "",
    " ",
    "\0",
    "\ud800",
    "\x1b[2J",
    "\u202e",
    "\u2028",
    "9" * 4301,
    "1e999",
    "²",
    "null",
    '{"a":' * 300,
    "[" * 900,
)
_FLOODED = ("a", " ", "\n", "(", '{"', "[1,", "1. ", "Action: ", "0 ", "wait\n", "</think>")
_KEYS = ("content", "action", "plan", "tool_calls", "messages", "start", "agent1")


def names(benchmark: AnyBenchmark, seed: int) -> None:
    """Check that names are unique and load problems; other names are rejected."""
    general_groups = [*benchmark.groups("")]
    for text in (*_TEXTS, f"{benchmark.name}/x", "a/b/c/d/e/f+g_h@i"):
        require_equal([*benchmark.groups(text)], general_groups, f"groups of the name {text[:40]!r}")
    catalog = benchmark.catalog
    if catalog is None:
        raise NotApplicableError("this benchmark has no bundled problems")
    every = catalog.names()
    require_equal(len(set(every)), len(every), "number of different names")
    prefix = f"{benchmark.name}/"
    strange = [name for name in every if not name.startswith(prefix) or not catalog.covers(name)]
    require(not strange, f"names that begin with {prefix} and are covered", strange)
    for name in Random(seed).sample(every, min(len(every), _LOADED)):
        problem = catalog.load(name)
        require_equal(problem.name, name, "name of the problem")
        is_registered = registry.find(problem.benchmark)
        require(is_registered, f"a registered benchmark of {name}", problem.benchmark)
        label, members = catalog.set_of(name)
        require(not label or name in members, f"{name} in its set {label}", members[:5])
    name_below = f"{every[0]}/x" if every else "x"
    for name in (f"{prefix}no such problem", name_below, ""):
        try:
            catalog.load(name)
        except UnknownNameError:
            require(not catalog.covers(name), f"no problem {name!r}", "one that is covered but not loaded")
        else:
            raise BrokenContractError(f"expected an UnknownNameError; found a problem (name {name!r})")


def rules(benchmark: AnyBenchmark, seed: int) -> None:
    """Check that there are two rule profiles, and that each rule can be set by name and text."""
    profiles = benchmark.rules.profiles
    has_profiles = {"paper", "released"} <= set(profiles)
    require(has_profiles, "the profiles paper and released", sorted(profiles))
    for name, profile in profiles.items():
        require_equal(benchmark.rules.profile(name), profile, f"profile {name}")
        for rule in profile.__dataclass_fields__:
            default = str(getattr(profile, rule))
            for value in benchmark.rules.choices.get(rule, (default,)):
                variant = benchmark.rules.profile(name, **{rule: value})
                variant_value = str(getattr(variant, rule))
                require_equal(variant_value.lower(), str(value).lower(), f"rule {rule}")
    for options in ({"no_such_rule": "true"}, {"refuse_unread": "perhaps"}):
        try:
            benchmark.rules.profile("paper", **options)
        except UnknownNameError:
            continue
        raise BrokenContractError(f"expected an UnknownNameError; found a profile (rule {options})")


def sentences(benchmark: AnyBenchmark, seed: int) -> None:
    """Check that topics of critiques have different keys, and each kind of violation belongs to one topic."""
    topics = benchmark.feedback.TOPICS
    keys = [topic.key for topic in topics]
    kinds = list(chain.from_iterable(topic.kinds for topic in topics))
    for subject, values in (("keys", keys), ("kinds", kinds)):
        different = set(values)
        require_equal(len(different), len(values), f"number of different {subject}")


def generated(benchmark: AnyBenchmark, seed: int) -> None:
    """Check that a seed and a number always give the same random problem, other numbers another one."""
    if benchmark.generator is None:
        raise NotApplicableError("this benchmark generates no problems")
    for number in range(3):
        draw = generate(benchmark.name, seed, number)
        same_draw = generate(benchmark.name, seed, number)
        require_equal(fingerprint(draw.problem), fingerprint(same_draw.problem), "fingerprint of the same draw")
        second_draw = generate(benchmark.name, seed, number + 3)
        differs = fingerprint(draw.problem) != fingerprint(second_draw.problem)
        require(differs, "another problem for another number", number)


def documents(case: ContractCase) -> None:
    """Check that a problem written as a document and read again is equal, with the same fingerprint."""
    problem = case.problem
    text = to_json(case.benchmark.document(problem))
    document = load_json(text.encode(), "document")
    benchmarks = map(registry.get, registry.names())
    reader = next((benchmark for benchmark in benchmarks if benchmark.recognises(document)), None)
    if reader is None:
        raise BrokenContractError("expected a benchmark that recognises the document; found none")
    (repeated,) = reader.read(document, "document")
    document_again = registry.of(repeated).document(repeated)
    without_benchmark = {"benchmark": ""}
    require_equal(document_again | without_benchmark, document | without_benchmark, "document")
    if repeated.benchmark != problem.benchmark:
        raise NotApplicableError("files of this benchmark are read as problems of the general rules")
    require_equal(fingerprint(repeated), fingerprint(problem), "fingerprint of the problem read")
    require(repeated == problem, "an equal problem", repeated)


def plans(case: ContractCase) -> None:
    """Check that a plan has the same verdict in each field of a submission and in fenced text."""
    plan, benchmark = case.optimum.plan, case.benchmark
    expected = benchmark.run(case.problem, plan, case.rules).verdict
    fields = (*benchmark.plan_fields, "output", "response")
    forms: list[object] = [{field: plan} for field in fields]
    forms.append({"plan": f"My plan:\n```\n{plan}\n```\n"})
    for form in forms:
        verdict = benchmark.run(case.problem, form, case.rules).verdict
        require_equal(verdict, expected, "verdict of the same plan", form)


def hostile_messages(case: ContractCase) -> None:
    """Check that hostile messages of a live run are answered, and never raise an error or succeed."""
    for loop in ("closed", "open"):
        start = case.environment(loop=loop)
        for message in hostile_values():
            run = start.fork()
            transition = run.step(message)
            require(isinstance(transition.observation.text, str), "a text as the answer", transition, message)
            require_equal(run.messages()[0]["role"], "system", "role of the first message", message)
            try:
                verdict = run.run().verdict
            except PlanError:
                require(loop == "open", "a submission that can be read", "a PlanError", message)
                continue
            require(not verdict.success, "no success", verdict, message)
            record = json.dumps(run.submission())
            require_equal(json.dumps(json.loads(record)), record, "submission as JSON", message)
        unchanged = view(case.environment(loop=loop))
        require_equal(view(start), unchanged, "state of the run before", "all messages")


def hostile_plans(case: ContractCase) -> None:
    """Check that hostile submissions give a grade without success, or a typed error."""
    grader = Grader(details=False)
    damaged = []
    for n, plan in enumerate(broken_plans(case) * 5):
        damaged.append(_damage(plan, Random(case.seed + n)))
    for value in (*hostile_values(), *damaged):
        for submission in (value, {"plan": value, case.benchmark.plan_fields[0]: value}):
            try:
                replay = case.benchmark.run(case.problem, submission, case.rules)
            except InputError as error:
                length = len(str(error))
                require(length < 20_000, "a short error", length, value)
                continue
            verdict = replay.verdict
            repeated = case.benchmark.run(case.problem, submission, case.rules).verdict
            require_equal(verdict, repeated, "verdict of the same submission", value)
            require(0 <= verdict.progress <= 1, "progress from 0 to 1", verdict.progress, value)
            require(not replay.success or value in damaged, "no success", verdict, value)
            grade = grader.grade_run(replay, {"instance": case.problem.name})
            json.dumps(grade.row())


def hostile_values() -> Iterator[object]:
    """Yield values on which readers, clocks and regular expressions may fail."""
    yield from (*_NUMBERS, *_TEXTS)
    yield from ([], {}, [[]], [None], {"": None}, _DEEP)
    nested: list[object] = [*_NUMBERS[::3], *_TEXTS[::4]]
    nested += [[[]], _DEEP]
    for key in _KEYS:
        yield from ({key: value} for value in nested)
    yield from (text * (_FLOOD // len(text)) for text in _FLOODED)


def _damage(plan: object, random: Random) -> object:
    """Return a plan with a part of its text removed, repeated or replaced."""
    text = plan if isinstance(plan, str) else json.dumps(plan)
    size = len(text)
    start, end = sorted(random.randrange(size) for _ in range(2))
    part = text[start:end]
    replacement = random.choice(("", part * 2, *_TEXTS, "-1", "10e9"))
    text = text[:start] + replacement + text[end:]
    try:
        return text if isinstance(plan, str) else json.loads(text)
    except ValueError:
        return text
