"""Domain files of the simulator: reader and writer of users' predicates, actions and effects.

A file of a kitchen names its domain in the field ``domain``, see `domain_of`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema

from planoracle.instances.benchmarks.kitchens import domain as model
from planoracle.instances.benchmarks.kitchens.domain import (
    COUNTS,
    ActionSchema,
    Effect,
    KitchenDomain,
    Predicate,
    bundled,
    domain_for,
)
from planoracle.instances.benchmarks.kitchens.kitchen_layout import PLACES
from planoracle.instances.errors import InputError
from planoracle.instances.files.strict_entries import StrictEntry, input_error
from planoracle.instances.files.strict_json import load_json, read_companion
from planoracle.instances.text import did_you_mean

#: Maximum numbers: definitions of a domain, parameters of an action, and effects within each other.
_MAX_DEFINITIONS: Final = 500
_MAX_PARAMETERS: Final = 10
_MAX_DEPTH: Final = 10
# Maximum length of a text.
_MAX_TEXT = 200

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,59}")
_KIND = re.compile(r"[A-Za-z_][A-Za-z_-]{0,59}")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_SLOT = re.compile(r"\{(\w+)\}")
# A slot that touches a letter, a digit or another slot.
_TIGHT_SLOT = re.compile(r"[\w}]\{\w+\}|\{\w+\}[\w{]")


class DomainLiteral(StrictEntry):
    """Predicate over parameters, required or made true or false."""

    predicate: str
    params: list[str]
    is_true: bool


class DomainPredicate(StrictEntry):
    """Predicate with the types of its arguments."""

    name: str
    param_types: list[str]
    language_descriptors: dict[str, str] = Field(
        {}, description="sentences by the number of the argument that they are about, such as {0} is on {1}"
    )


class CreatedObject(StrictEntry):
    """Object that an effect creates."""

    name: str = Field(description="kind of the object")
    type: str
    param: str = Field(description="parameter of the object in the fx of the effect")


class DomainEffect(StrictEntry):
    """Special effect of an action."""

    type: Literal["conditional", "creation", "delayed", "repetitive"]
    param: str
    fx: list[DomainLiteral]
    sfx: list[DomainEffect]
    conditions: list[DomainLiteral] | None = Field(None, description="only of a conditional effect")
    created_obj: CreatedObject | None = Field(None, description="only of a creation effect")


class DomainAction(StrictEntry):
    """Action of a player."""

    name: str
    precons: list[DomainLiteral]
    immediate_fx: list[DomainLiteral]
    sfx: list[DomainEffect]
    language_description: str = Field(description="how plans write it, with {param} for the names of objects")


class DomainDocument(StrictEntry):
    """Domain of the simulator."""

    version: Literal["1.0.0"] = "1.0.0"
    name: str = ""
    input_json: str = Field("", description="keys and mouse buttons of the simulator; no effect")
    object_types: list[str]
    predicate_defs: list[DomainPredicate]
    action_defs: list[DomainAction]


def is_domain(document: Any) -> bool:
    """Return whether a document is a domain."""
    return isinstance(document, dict) and {"object_types", "predicate_defs", "action_defs"} <= document.keys()


def _file_or_domain(value: Any) -> Any:
    if value is not None and not isinstance(value, str | dict):
        raise ValueError("must be the name of a file in the folder of the kitchen, or a domain (an object)")
    return value


#: Field ``domain`` of a kitchen: a file of the simulator's format, or its content.
DomainField = Annotated[
    Any,
    BeforeValidator(_file_or_domain),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]}),
]


def domain_of(value: str | dict[str, Any] | None, source: str, benchmark: str) -> KitchenDomain:
    """Return the domain that a kitchen names.

    Parameters
    ----------
    value
        Name of a domain file in the folder of the kitchen's file or below it, its content, or ``None`` for the domain
        of the benchmark.
    source
        File of the kitchen, for the folder and the errors.

    Raises
    ------
    InputError
        Naming file, field and value of the first fault.
    """
    usual = domain_for(benchmark)
    if value is None:
        return usual
    if isinstance(value, dict):
        return _domain_from_document(value, source, "domain", benchmark)
    try:
        data, path = read_companion(value, source)
    except InputError as error:
        raise InputError(error.message, source=source, field="domain", value=value) from None
    return _domain_from_bytes(data, path, benchmark)


@lru_cache(maxsize=16)
def _domain_from_bytes(data: bytes, path: str, benchmark: str) -> KitchenDomain:
    """Return the domain of a file; kitchens with the same file share it."""
    return _domain_from_document(load_json(data, path), path, None, benchmark)


def _domain_from_document(document: Any, source: str, place: str | None, benchmark: str) -> KitchenDomain:
    """Turn the document of a domain into a `KitchenDomain`."""
    content = document
    if isinstance(document, dict):
        content = {key: document[key] for key in document if not key.startswith("_")}
    try:
        entry = DomainDocument.model_validate(content)
        return _Reader(entry).domain(benchmark)
    except ValidationError as error:
        raise input_error(error, "", DomainDocument).at(source, place) from None
    except InputError as error:
        raise error.at(source, place) from None


class _Reader:
    """Reader of one domain, which raises `InputError` for the first fault."""

    def __init__(self, document: DomainDocument) -> None:
        self._document = document
        self._signature: dict[str, tuple[str, ...]] = {}
        self._sentences: dict[str, str] = {}
        self._param_types: dict[str, tuple[str, str]] = {}  # by parameter, its type and the first action with it

    def domain(self, benchmark: str) -> KitchenDomain:
        """Return the domain."""
        document = self._document
        _check_count(document.predicate_defs, "predicate_defs")
        _check_count(document.action_defs, "action_defs")
        for i, object_type in enumerate(document.object_types):
            self._check_type(object_type, f"object_types[{i}]", bundled().types)
        for i, entry in enumerate(document.predicate_defs):
            self._add_predicate(entry, f"predicate_defs[{i}]")
        self._check_positions()
        actions: dict[str, ActionSchema] = {}
        for i, action_entry in enumerate(document.action_defs):
            place = f"action_defs[{i}]"
            _check_name(action_entry.name, f"{place}.name", actions)
            actions[action_entry.name] = self._action(action_entry, place)
        predicates = [Predicate(name, types) for name, types in self._signature.items()]
        return KitchenDomain.of(document.object_types, predicates, actions.values(), benchmark, self._sentences)

    def _check_type(self, object_type: str, place: str, accepted: Sequence[str]) -> None:
        if object_type not in accepted:
            message = f"must be one of {', '.join(accepted)}{did_you_mean(object_type, accepted)}"
            raise InputError(message, field=place, value=object_type)

    # Predicates

    def _add_predicate(self, entry: DomainPredicate, place: str) -> None:
        _check_name(entry.name, f"{place}.name", self._signature)
        types = tuple(entry.param_types)
        if not types:
            raise InputError("must have at least one type", field=f"{place}.param_types", value=[])
        for i, object_type in enumerate(types):
            self._check_type(object_type, f"{place}.param_types[{i}]", self._document.object_types)
        self._signature[entry.name] = types
        numbers = [str(number) for number in range(len(types))]
        for key, sentence in entry.language_descriptors.items():
            sentence_place = f"{place}.language_descriptors.{key}"
            if key not in numbers:
                message = f"must be the number of an argument, {' or '.join(numbers)}"
                raise InputError(message, field=f"{place}.language_descriptors", value=key)
            _check_text(sentence, sentence_place, numbers)
        descriptors = sorted(entry.language_descriptors.items())
        if descriptors:
            _, self._sentences[entry.name] = descriptors[0]

    def _check_positions(self) -> None:
        """Raise `InputError` without the predicates in which files state the positions of things."""
        present_types = set(self._document.object_types)
        for name in PLACES:
            types = bundled().signature[name]
            if present_types.issuperset(types) and self._signature.get(name) != types:
                message = f"must define {name} of the types {', '.join(types)}, which states positions of things"
                raise InputError(message, field="predicate_defs", value=list(self._signature.get(name, ())))

    # Actions

    def _action(self, entry: DomainAction, place: str) -> ActionSchema:
        scope: dict[str, str] = {}
        conditions = self._literals(entry.precons, f"{place}.precons", scope, entry.name)
        changes = self._literals(entry.immediate_fx, f"{place}.immediate_fx", scope, entry.name)
        if len(scope) > _MAX_PARAMETERS:
            raise InputError(f"must have at most {_MAX_PARAMETERS} parameters", field=place, value=len(scope))
        effects = self._effects(entry.sfx, f"{place}.sfx", scope, 1)
        _check_sentence(entry.language_description, f"{place}.language_description", list(scope))
        return ActionSchema(entry.name, entry.language_description, (), conditions, changes, effects)

    def _literals(
        self, entries: Sequence[DomainLiteral], place: str, scope: dict[str, str], action: str = ""
    ) -> tuple[model.Literal, ...]:
        """Return literals; those of an ``action`` add parameters to the scope, others must not."""
        _check_count(entries, place)
        literals: list[model.Literal] = []
        for i, entry in enumerate(entries):
            types = self._signature.get(entry.predicate)
            if types is None:
                message = f"there is no such predicate{did_you_mean(entry.predicate, self._signature)}"
                raise InputError(message, field=f"{place}[{i}].predicate", value=entry.predicate)
            params_place = f"{place}[{i}].params"
            if len(entry.params) != len(types) or len(set(entry.params)) < len(types):
                message = f"{entry.predicate} takes {len(types)} different parameters"
                raise InputError(message, field=params_place, value=entry.params)
            for param, object_type in zip(entry.params, types, strict=True):
                if action:
                    self._add_parameter(param, object_type, params_place, action)
                    scope[param] = object_type
                _check_parameter(param, object_type, params_place, scope)
            if any(literal[:2] == (entry.predicate, tuple(entry.params)) for literal in literals):
                raise InputError("is given twice", field=f"{place}[{i}]", value=[entry.predicate, *entry.params])
            literals.append(model.Literal(entry.predicate, tuple(entry.params), entry.is_true))
        return tuple(literals)

    def _add_parameter(self, param: str, object_type: str, place: str, action: str) -> None:
        """Raise `InputError` for a parameter that has another type elsewhere: the simulator takes the first."""
        if not _PARAMETER.fullmatch(param):
            raise InputError("must be letters, digits and _, such as i1", field=place, value=param)
        first_type, first_action = self._param_types.setdefault(param, (object_type, action))
        if first_type != object_type:
            message = f"{param} is of the type {first_type} in {first_action}, and must be so in all actions"
            raise InputError(message, field=place, value=object_type)

    def _effects(
        self, entries: Sequence[DomainEffect], place: str, scope: dict[str, str], depth: int
    ) -> tuple[Effect, ...]:
        _check_count(entries, place)
        if entries and depth > _MAX_DEPTH:
            raise InputError(f"must have at most {_MAX_DEPTH} effects within each other", field=place)
        return tuple(self._effect(entry, f"{place}[{i}]", scope, depth) for i, entry in enumerate(entries))

    def _effect(self, entry: DomainEffect, place: str, scope: dict[str, str], depth: int) -> Effect:
        if entry.param not in scope:
            raise InputError(_OUTSIDE, field=f"{place}.param", value=entry.param)
        is_conditional, is_creation = entry.type == "conditional", entry.type == "creation"
        for key, value, is_expected in (
            ("conditions", entry.conditions, is_conditional),
            ("created_obj", entry.created_obj, is_creation),
        ):
            if (value is not None) != is_expected:
                message = "is missing" if is_expected else f"must be absent in an effect of the type {entry.type}"
                raise InputError(message, field=f"{place}.{key}")
        creates, inner_scope = None, dict(scope)
        if entry.created_obj is not None:
            creates = self._creation(entry.created_obj, f"{place}.created_obj", scope)
            param, object_type, _ = creates
            inner_scope[param] = object_type
            if entry.sfx:
                raise InputError("must be empty in an effect of the type creation", field=f"{place}.sfx")
        return Effect(
            kind=entry.type,
            param=entry.param,
            changes=self._literals(entry.fx, f"{place}.fx", inner_scope),
            effects=self._effects(entry.sfx, f"{place}.sfx", inner_scope, depth + 1),
            conditions=self._literals(entry.conditions or (), f"{place}.conditions", scope),
            count=COUNTS.get(entry.type, 0),
            creates=creates,
        )

    def _creation(self, entry: CreatedObject, place: str, scope: dict[str, str]) -> tuple[str, str, str]:
        """Return parameter, type and kind of a created object."""
        self._check_type(entry.type, f"{place}.type", self._document.object_types)
        if not _KIND.fullmatch(entry.name) or self._signature.get(f"is{entry.name}") != (entry.type,):
            message = f"must be a kind without digits that has a predicate, is{entry.name} of the type {entry.type}"
            raise InputError(message, field=f"{place}.name", value=entry.name)
        if entry.param in scope:
            raise InputError("must differ from the parameters of the action", field=f"{place}.param", value=entry.param)
        return entry.param, entry.type, entry.name


_OUTSIDE = "must be a parameter of the precons or immediate_fx of the action"


def _check_parameter(param: str, object_type: str, place: str, scope: dict[str, str]) -> None:
    if param not in scope:
        raise InputError(_OUTSIDE, field=place, value=param)
    if scope[param] != object_type:
        raise InputError(f"{param} is of the type {scope[param]}, not {object_type}", field=place, value=param)


def _check_count(entries: Sequence[object], place: str) -> None:
    if len(entries) > _MAX_DEFINITIONS:
        raise InputError(f"must have at most {_MAX_DEFINITIONS} entries", field=place, value=len(entries))


def _check_name(name: str, place: str, present: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise InputError("must be letters, digits, _ and -, and begin with a letter", field=place, value=name)
    if name in present:
        raise InputError("is given twice", field=place, value=name)


def _check_text(text: str, place: str, slots: Sequence[str]) -> None:
    """Raise `InputError` for a text with other braces than those of some slots."""
    if len(text) > _MAX_TEXT or not text.isprintable():
        raise InputError(f"must be one line of at most {_MAX_TEXT} characters", field=place, value=text)
    accepted = ", ".join(f"{{{slot}}}" for slot in slots) or "no braces"
    if not set(_SLOT.findall(text)) <= set(slots) or set("{}") & set(_SLOT.sub("", text)):
        raise InputError(f"may contain {accepted}", field=place, value=text)


def _check_sentence(text: str, place: str, params: Sequence[str]) -> None:
    """Raise `InputError` for a sentence of an action that plans cannot state unambiguously."""
    _check_text(text, place, params)
    slots = _SLOT.findall(text)
    if len(set(slots)) < len(slots) or _TIGHT_SLOT.search(text):
        message = "must name each parameter once at most, apart from other words"
        raise InputError(message, field=place, value=text)
    words = [word for word in text.split() if _SLOT.search(word) is None]
    if not any(map(str.isalpha, "".join(words))):
        raise InputError("must contain a word", field=place, value=text)


def domain_document(domain: KitchenDomain) -> dict[str, Any]:
    """Return the document of a domain, without the numbers of a config; reading it gives an equal domain."""
    predicates = []
    for name, types in domain.predicates:
        sentence = domain.sentence_of.get(name)
        entry = {"name": name, "param_types": list(types)}
        predicates.append(entry if sentence is None else {**entry, "language_descriptors": {"0": sentence}})
    actions = []
    for action in domain.actions:
        actions.append(
            {
                "name": action.name,
                "precons": _literal_entries(action.conditions),
                "immediate_fx": _literal_entries(action.changes),
                "sfx": [_effect_entry(effect) for effect in action.effects],
                "language_description": action.text,
            }
        )
    return {"object_types": list(domain.types), "predicate_defs": predicates, "action_defs": actions}


def _literal_entries(literals: Sequence[model.Literal]) -> list[dict[str, Any]]:
    entries = []
    for predicate, params, value in literals:
        entries.append({"predicate": predicate, "params": list(params), "is_true": value})
    return entries


def _effect_entry(effect: Effect) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": effect.kind,
        "param": effect.param,
        "fx": _literal_entries(effect.changes),
        "sfx": [_effect_entry(nested) for nested in effect.effects],
    }
    if effect.kind == "conditional":
        entry["conditions"] = _literal_entries(effect.conditions)
    if effect.creates is not None:
        param, object_type, kind = effect.creates
        entry["created_obj"] = {"name": kind, "type": object_type, "param": param}
    return entry
