"""Users' domains: reading, faults, rules, texts, and all commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.runner import invoke

from planoracle import environment
from planoracle.instances.benchmarks.kitchens.compiled_kitchen import CompiledKitchen
from planoracle.instances.benchmarks.kitchens.domain import COUNTS, bundled
from planoracle.instances.benchmarks.kitchens.domain_files import domain_of
from planoracle.instances.benchmarks.kitchens.failures import failure
from planoracle.instances.benchmarks.kitchens.kitchen import PROFILES, Kitchen
from planoracle.instances.benchmarks.kitchens.language import reading, right_line
from planoracle.instances.benchmarks.kitchens.measures import Foresight, foresight
from planoracle.instances.benchmarks.kitchens.problems import kitchen_from_document, to_document
from planoracle.instances.benchmarks.kitchens.simulation import trace
from planoracle.instances.benchmarks.kitchens.simulator_files import environment_from_document
from planoracle.instances.errors import InputError
from planoracle.instances.files import catalog
from tests.support import toast
from tests.support.robotouille import compare_rules_at_random, min_steps_of


def of(document: dict[str, Any], **more: Any) -> Kitchen:
    """Return the kitchen with a domain in its file."""
    return environment_from_document(toast.kitchen(domain=document, **more), "toast.json", "toast")


TOAST = of(toast.domain())


def test_bundled_domain_equals_the_original(shared: Path) -> None:
    path = shared / "benchmarks" / "robotouille" / "domain.json"
    original = domain_of(json.loads(path.read_text(encoding="utf-8")), "domain.json", "robotouille")
    assert replace(original, sentences=()) == bundled()
    assert original.is_standard
    assert original.sentence_of["atop"] == "{0} is directly on top of {1}"
    assert COUNTS == {"delayed": 4, "repetitive": 3}


def test_kitchen_names_its_domain_file_or_contains_it(tmp_path: Path) -> None:
    path = toast.write(tmp_path)
    assert catalog.single(str(path)) == TOAST
    lines = tmp_path / "more.jsonl"
    lines.write_text(f"{json.dumps(toast.kitchen())}\n" * 2)
    assert [problem.domain for problem in catalog.read_problems(str(lines))] == [TOAST.domain] * 2
    with pytest.raises(InputError, match="is a domain, not a kitchen"):
        catalog.single(str(tmp_path / "domain" / "toast.json"))


def test_documents_in_our_format_contain_the_domain() -> None:
    written = json.loads(json.dumps(to_document(TOAST)))
    assert written["config"] == {"toast_time": {"default": 2}, "num_salts": {"default": 3, "bread": 2}}
    assert kitchen_from_document(written, "copy") == TOAST
    assert "domain" not in to_document(replace(TOAST, domain=bundled()))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.json", "domain: cannot be read: No such file"),
        ("../domain.json", "domain: must be a file in the folder of this one or below it"),
        ("/etc/hostname", "domain: must be a file in the folder of this one or below it"),
        ("a\0b", "domain: must be a file in the folder of this one or below it"),
        ("link.json", "domain: must be a file in the folder of this one or below it"),
        (5, "domain: must be the name of a file in the folder of the kitchen, or a domain"),
    ],
)
def test_domain_outside_the_folder_is_refused(name: object, message: str, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text(json.dumps(toast.domain()))
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    path = toast.write(folder, domain=name)
    with pytest.raises(InputError, match=message) as caught:
        catalog.single(str(path))
    assert (caught.value.source, caught.value.value) == (str(path), name)


def test_domain_file_of_a_kitchen_that_is_no_file_is_refused() -> None:
    with pytest.raises(InputError, match="domain: must be the content itself, because this document is not from a"):
        environment_from_document(toast.kitchen(), "-", "toast")


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    document = toast.domain()
    change(document)
    return document


def with_action(**fields: Any) -> dict[str, Any]:
    """Return the domain with a last action that has other fields."""
    entry = toast.action("burn", "Burn {i1} on {s1} using {p1}", "item_on i1 s1, loc p1 s1") | fields
    return changed(lambda document: document["action_defs"].append(entry))


def with_predicate(**fields: Any) -> dict[str, Any]:
    entry = toast.predicate("isburnt", "{0} is burnt", "item") | fields
    return changed(lambda document: document["predicate_defs"].append(entry))


def with_effect(kind: str = "delayed", param: str = "i1", fx: str = "iscut i1", *inner: Any, **more: Any) -> Any:
    return with_action(sfx=[toast.effect(kind, param, fx, *inner, **more)])


LAST = "action_defs[19]"
NEW = "predicate_defs[49]"
CREATED = {"name": "water", "type": "meal", "param": "m1"}


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (toast.domain(object_types=["station", "guest"]), "object_types[1]", "must be one of station, item, player"),
        (toast.domain(rules=[]), "rules", "unknown key"),
        (toast.domain(version="2.0.0"), "version", "must be '1.0.0'"),
        (with_predicate(name="vacant"), f"{NEW}.name", "is given twice"),
        (with_predicate(name="is burnt"), f"{NEW}.name", "must be letters, digits"),
        (with_predicate(param_types=[]), f"{NEW}.param_types", "must have at least one type"),
        (with_predicate(param_types=["itme"]), f"{NEW}.param_types[0]", "must be one of .*did you mean item"),
        (with_predicate(language_descriptors={"1": "x"}), f"{NEW}.language_descriptors", "number of an argument, 0"),
        (with_predicate(language_descriptors={"0": "{1}"}), f"{NEW}.language_descriptors.0", r"may contain \{0\}"),
        (
            changed(lambda document: document["predicate_defs"].remove({"name": "vacant", "param_types": ["station"]})),
            "predicate_defs",
            "must define vacant of the types station",
        ),
        (with_action(name="toast"), f"{LAST}.name", "is given twice"),
        (with_action(cost=3), f"{LAST}.cost", "unknown key"),
        (with_action(precons=toast.literals("isburned i1")), f"{LAST}.precons[0].predicate", "no such predicate"),
        (with_action(precons=toast.literals("atop i1 i1")), f"{LAST}.precons[0].params", "takes 2 different"),
        (with_action(precons=toast.literals("clear s1")), f"{LAST}.precons[0].params", "s1 is of the type station"),
        (with_action(precons=toast.literals("clear i-1")), f"{LAST}.precons[0].params", "such as i1"),
        (
            with_action(precons=toast.literals("clear i1, not clear i1")),
            f"{LAST}.precons[1]",
            "is given twice",
        ),
        (with_action(language_description="Burn {i9}"), f"{LAST}.language_description", r"may contain \{i1\}, \{s1\}"),
        (with_action(language_description="Burn {i1}{s1}"), f"{LAST}.language_description", "once at most, apart"),
        (with_action(language_description="{i1} {s1}"), f"{LAST}.language_description", "must contain a word"),
        (with_effect("deletion"), f"{LAST}.sfx[0].type", "must be 'conditional', 'creation', 'delayed' or 'repet"),
        (with_effect(param="i2"), f"{LAST}.sfx[0].param", "must be a parameter of the precons or immediate_fx"),
        (with_effect(fx="iscut i2"), f"{LAST}.sfx[0].fx[0].params", "must be a parameter of the precons"),
        (with_effect("conditional"), f"{LAST}.sfx[0].conditions", "is missing"),
        (with_effect(conditions=[]), f"{LAST}.sfx[0].conditions", "must be absent in an effect of the type delayed"),
        (with_effect("creation"), f"{LAST}.sfx[0].created_obj", "is missing"),
        (
            with_effect("creation", "i1", "", created_obj=CREATED | {"name": "steam"}),
            f"{LAST}.sfx[0].created_obj.name",
            "a predicate, issteam of the type meal",
        ),
        (
            with_effect("creation", "i1", "", created_obj=CREATED | {"param": "i1"}),
            f"{LAST}.sfx[0].created_obj.param",
            "must differ from the parameters",
        ),
        (
            with_effect("creation", "i1", "", toast.effect("delayed", "i1"), created_obj=CREATED),
            f"{LAST}.sfx[0].sfx",
            "must be empty in an effect of the type creation",
        ),
    ],
)
def test_faulty_domains_are_refused(document: dict[str, Any], field: str, message: str, tmp_path: Path) -> None:
    path = toast.write(tmp_path, document)
    with pytest.raises(InputError, match=message) as caught:
        catalog.single(str(path))
    assert caught.value.source == str(tmp_path / "domain" / "toast.json")
    assert caught.value.field == field
    with pytest.raises(InputError, match=message) as caught:
        of(document)
    assert (caught.value.source, caught.value.field) == ("toast.json", f"domain.{field}")


def test_effects_in_each_other_are_limited() -> None:
    inner = toast.effect("delayed", "i1")
    for _ in range(10):
        inner = toast.effect("delayed", "i1", "", inner)
    with pytest.raises(InputError, match="at most 10 effects within each other"):
        of(with_action(sfx=[inner]))


def test_action_with_too_many_choices_of_objects_is_refused() -> None:
    conditions = ", ".join(f"isbread i{number}" for number in range(1, 7))
    entry = toast.action("mix", "Mix with {p1}", f"nothing p1, {conditions}")
    document = changed(lambda content: content["action_defs"].append(entry))
    items = [{"name": "bread", "x": 0, "y": 1, "stack-level": level} for level in range(20)]
    with pytest.raises(InputError, match="more than 200000 choices of objects") as caught:
        of(document, items=items, goal=[])
    assert caught.value.value == "mix"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"toast_times": {"default": 2}}, "must be one of .*; did you mean toast_time"),
        ({"num_toasts": {"default": 2}}, "must be one of num_cuts, cook_time, fry_time, toast_time, num_salts"),
        ({"toast_time": {"table": 2}}, "must be a kind of item"),
    ],
)
def test_config_of_an_action_of_the_user(config: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        of(toast.domain(), config=config)


def test_numbers_without_a_config_are_those_of_the_simulator() -> None:
    domain = of(toast.domain(), config={}).domain
    assert domain.config["toast_time"] == {"default": 3}
    assert domain.config["num_salts"] == {"default": 3}
    assert domain == TOAST.domain.with_usual_counts()


# Rules


def test_search_agrees_with_an_exhaustive_search_and_the_known_plan() -> None:
    small = of(toast.domain(), goal=toast.kitchen()["goal"][:2])
    result = invoke_solve(small)
    assert result["status"] == "optimal"
    assert result["makespan"] == min_steps_of(small, PROFILES["released"])
    assert invoke_solve(TOAST)["makespan"] == len(toast.PLAN) == 14


def invoke_solve(kitchen: Kitchen) -> dict[str, Any]:
    from planoracle import solve

    result = solve(kitchen)
    return {"status": result.status, "makespan": result.makespan}


def test_actions_without_player_belong_to_the_next_player() -> None:
    entry = toast.action("cool", "Cool down {s1}", "ison s1", "not ison s1")
    kitchen = of(changed(lambda document: document["action_defs"].append(entry)))
    engine = CompiledKitchen(kitchen)
    state = engine.start()
    for text in ("Move robot1 from table1 to toaster1", "Switch on toaster1 using robot1"):
        state = engine.step(state, engine.find(state, text) or 0)
    assert "Cool down toaster1" in engine.texts(state)
    after = engine.step(state, engine.find(state, "Cool down toaster1") or 0)
    assert ("ison", "toaster1") not in engine.facts(after)
    assert reading(kitchen, ["(cool toaster1)", "cool down Toaster1."], PROFILES["paper"]).commands == [
        "Cool down toaster1",
        "Cool down toaster1",
    ]


def test_condition_that_must_not_hold_is_a_cause_of_failures() -> None:
    conditions = toast.literals("item_on i1 s1, loc p1 s1, not nothing p1")
    run = trace(of(with_action(precons=conditions)), ["Burn bread1 on table1 using robot1"])
    assert (run.refusals[0].message, failure(run).cause) == ("needs not nothing robot1", "hands")


def test_work_without_a_delayed_effect_is_not_long_running() -> None:
    kitchen = of(with_action(sfx=[toast.effect("repetitive", "i1", "istoasted i1")]))
    run = trace(kitchen, ["Burn bread1 on table1 using robot1"])
    assert run.refusals == ()
    assert foresight(run) == Foresight(False, 1, 0, None, 1)


def test_effects_that_differ_in_nested_objects_are_one_effect() -> None:
    # So did walks in the released code; Python's equality of its effects looks at the object of the outer one.
    warm = toast.effect("delayed", "s1", "ison s1", toast.effect("delayed", "i1"))
    entry = toast.action("warm", "Warm {i1} at {s1} using {p1}", "loc p1 s1, clear i1", "", warm)
    kitchen = of(changed(lambda document: document["action_defs"].append(entry)))
    engine = CompiledKitchen(kitchen)
    state = engine.start()
    for thing in ("bread1", "cheese1"):
        state = engine.step(state, engine.find(state, f"Warm {thing} at table1 using robot1") or 0)
    assert [running.count for running in engine.running(state)] == [2]


def random_domain(random: Random) -> dict[str, Any]:
    """Return the domain with two random actions, whose effects are in each other."""
    document = toast.domain()
    facts = ("ison s1", "istoasted i1", "issalted i1", "spread_on i1 i2", "iscut i1", "clear i1", "nothing p1")

    def some(count: int) -> str:
        parts = random.sample(facts, count)
        return ", ".join(part if random.random() < 0.7 else f"not {part}" for part in parts)

    def random_effect(depth: int) -> dict[str, Any]:
        kind = random.choice(("conditional", "delayed", "repetitive"))
        inner = [random_effect(depth + 1) for _ in range(random.randrange(2 if depth else 3))] if depth < 3 else []
        more = {"conditions": toast.literals(some(1))} if kind == "conditional" else {}
        return toast.effect(kind, random.choice(("i1", "i2", "s1")), some(random.randrange(3)), *inner, **more)

    for name in ("first", "second"):
        effects = [random_effect(0) for _ in range(random.randrange(3))]
        conditions = "loc p1 s1, clear i1, clear i2"
        text = f"Do {name} with {{i1}} and {{i2}} at {{s1}} using {{p1}}"
        document["action_defs"].append(toast.action(name, text, conditions, some(2), *effects))
    return document


@pytest.mark.parametrize("seed", range(8))
def test_compiled_rules_of_random_domains_agree_with_the_interpreter(seed: int) -> None:
    kitchen = of(random_domain(Random(seed)))
    for profile in PROFILES.values():
        compare_rules_at_random(kitchen, profile, seed, 40)


# Texts


def test_prompt_describes_the_actions_and_facts_of_the_domain() -> None:
    run = environment(TOAST)
    rules = run.instructions()
    assert "The rules of the kitchen" not in rules
    assert (
        "- Switch on {s1} using {p1} (needs s1 to be toaster, s1 not to be on and p1 at s1): s1 is switched on" in rules
    )
    assert "after 3 steps (that of the action counts) i1 is toasted and i1 is not toastable" in rules
    assert "- {p1} salts {i2} with {i1}" in rules
    assert "once done 3, for bread 2 times i2 is salted" in rules
    assert "bread1 (toastable)" in run.introduction()
    for text in toast.PLAN[:9]:
        answer = run.step(text).observation.text
    assert "toaster1 (on): bread1 (toasted)" in answer
    assert "cheese1 is spread on bread1" in answer
    for text in toast.PLAN[9:]:
        run.step(f"I do it. Action: {text}")
    assert run.success


def test_prompt_states_relations_that_never_change() -> None:
    entry = toast.predicate("near", "{0} stands near {1}", "station", "station")
    document = changed(lambda content: content["predicate_defs"].append(entry))
    kitchen = kitchen_from_document(to_document(of(document)) | {"more": [["near", "table1", "toaster1"]]}, "test")
    assert "table1 stands near toaster1." in environment(kitchen).introduction()


def test_prompt_of_the_original_domain_is_that_of_the_benchmark(shared: Path) -> None:
    path = shared / "benchmarks" / "robotouille" / "domain.json"
    original = json.loads(path.read_text(encoding="utf-8"))
    burger = shared / "benchmarks" / "robotouille" / "synchronous" / "3_burger.json"
    document = json.loads(burger.read_text(encoding="utf-8"))
    with_domain = environment_from_document(document | {"domain": original}, "burger.json", "burger")
    without = environment_from_document(document, "burger.json", "burger")
    assert environment(with_domain).instructions() == environment(without).instructions()
    assert environment(with_domain).introduction() == environment(without).introduction()
    assert replace(with_domain, domain=without.domain) == without


@pytest.mark.parametrize(
    "plan",
    [
        toast.PLAN,
        "\n".join(f"{number}. **{text}**." for number, text in enumerate(toast.PLAN, start=1)),
        "\n".join(f"Thought: next.\nAction: {text.upper()}" for text in toast.PLAN),
        ["(salt robot1 salt1 bread1)" if "salts" in text else text for text in toast.PLAN],
    ],
)
def test_plans_of_the_domain_are_read(plan: object) -> None:
    assert reading(TOAST, plan, PROFILES["paper"]).commands[:12] == toast.PLAN[:12]
    assert len(reading(TOAST, plan, PROFILES["paper"]).commands) == 14


def test_example_of_an_action_exists_in_every_domain() -> None:
    assert right_line(TOAST) == "Move robot1 from table1 to table2"
    waiting = changed(lambda document: document.update(action_defs=document["action_defs"][:15:-1]))
    assert right_line(of(waiting)) == "Spread bread1 on cheese1 using robot1"


# Commands


def rows(*arguments: str) -> list[dict[str, Any]]:
    result = invoke(*arguments, "--format", "jsonl")
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_kitchen_of_a_domain_in_all_commands(tmp_path: Path) -> None:
    goal = [{"predicate": "istoasted", "args": ["bread"], "ids": [1]}]
    path = str(toast.write(tmp_path, goal=goal))
    best = [*toast.PLAN[:5], "Do nothing", "Do nothing"]
    (solved,) = rows("solve", path)
    assert (solved["status"], solved["makespan"]) == ("optimal", len(best))
    plans = tmp_path / "plans.jsonl"
    actions = {"best": best, "off": [text for text in best if not text.startswith("Switch")]}
    entries = [{"id": name, "instance": "toast", "actions": texts} for name, texts in actions.items()]
    plans.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    right, off = rows("grade", str(plans), "--problems", path)
    assert (right["success"], right["optimality"], right["prioritised"]) == (True, 1, True)
    assert (off["success"], off["failure"]) == (False, "transition")
    assert "toaster1 to be on" in invoke("critique", str(plans), "--problems", path, "--no-regret").stdout
    assert rows("next", path)[0]["best"] == len(best)
    played = rows("run", path, "--agent", "greedy", "--run", str(tmp_path / "run"))
    assert [row["success"] for row in played] == [True]
    assert "Switch on {s1} using {p1}" in invoke("run", path, "--show-prompts").stdout
    references = tmp_path / "references.jsonl"
    references.write_text(json.dumps({"instance": "toast", "makespan": 9}))
    (audited,) = rows("audit", str(references), "--problems", path)
    assert (audited["verdict"], audited["optimum"]) == ("too_high", len(best))


def test_variants_keep_the_domain(tmp_path: Path) -> None:
    original = toast.write(tmp_path)
    changed_kitchen = catalog.single(f"{original}@42")
    assert isinstance(changed_kitchen, Kitchen)
    assert changed_kitchen.domain == TOAST.domain
    assert any(fact[0] == "istoastable" for fact in changed_kitchen.facts)
    assert catalog.single(f"{original}@42~2").players == ("robot1", "robot2")
