"""Strict entries of documents: schemas, checks and error messages of all file formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema

from planoracle.instances.errors import InputError, combine_errors
from planoracle.instances.text import did_you_mean


class StrictEntry(BaseModel):
    """Object in a file, with exactly its fields, each of its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


_Document = TypeVar("_Document", bound=StrictEntry)


#: Schema of a file for editors; it is not used here.
SchemaLink = Annotated[str | None, Field(alias="$schema", description="address of this schema, for editors")]


def shorthand(plain: str, entry: type[BaseModel]) -> WithJsonSchema:
    """Return the schema of an entry that can be abbreviated by a value of a plain JSON type.

    Written in full, since pydantic before 2.12 mostly fails to refer to a type within its own annotation.
    """
    return WithJsonSchema({"anyOf": [{"type": plain}, entry.model_json_schema()]})


def schema_of(model: type[StrictEntry]) -> dict[str, Any]:
    """Return the JSON Schema of a kind of document."""
    return model.model_json_schema() | {"$schema": "https://json-schema.org/draft/2020-12/schema"}


def validated(document: Any, source: str, model: type[_Document]) -> _Document:
    """Return a parsed document as its model; raises `InputError` with the faults."""
    check_version(document, source)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise input_error(error, source, model) from None


def check_version(document: Any, source: str, versions: tuple[int, ...] = (1,)) -> None:
    """Raise `InputError` for a document of another version."""
    version = document.get("version", versions[0]) if isinstance(document, dict) else versions[0]
    if version not in versions or isinstance(version, bool | float):
        accepted = " or ".join(map(str, versions))
        raise InputError(f"must be {accepted}", source=source, field="version", value=version)


def input_error(
    error: ValidationError, source: str, model: type[BaseModel] | None = None, further: Iterable[InputError] = ()
) -> InputError:
    """Return a validation error as an `InputError`.

    Parameters
    ----------
    error
        Faults that pydantic reports.
    source
        File, or ``""``.
    model
        Model of the document, whose keys are suggested for similar ones.
    further
        Faults that follow.
    """
    combined = combine_errors(chain(_faults(error, model), further))
    assert combined is not None
    return combined.at(source) if source else combined


# Messages by types of errors of pydantic.
_MESSAGES = {
    "extra_forbidden": "unknown key",
    "missing": "is missing",
    "int_type": "must be a whole number",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


def _faults(error: ValidationError, model: type[BaseModel] | None) -> Iterator[InputError]:
    for details in error.errors(include_url=False):
        error_type, location = details["type"], details["loc"]
        parts = []
        for part in location:
            step = f"[{part}]" if isinstance(part, int) else f".{part}"
            parts.append(step)
        path = "".join(parts).lstrip(".")
        message = _MESSAGES.get(error_type) or _rephrase(details["msg"])
        if error_type == "missing":
            yield InputError(message, field=path or "document")
            continue
        if error_type == "extra_forbidden" and model is not None:
            keys = keys_at(model, location[:-1])
            message += did_you_mean(location[-1], keys)
        yield InputError(message, field=path or "document", value=details["input"])


def _rephrase(message: str) -> str:
    """Return a message of pydantic in the form of ours.

    >>> _rephrase("Input should be 'ann' or 'Bob'"), _rephrase("Value error, must be odd")
    ("must be 'ann' or 'Bob'", 'must be odd')
    """
    text = message.removeprefix("Value error, ").replace("Input should", "must", 1)
    return text[:1].lower() + text[1:]


def keys_at(model: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the schema has at a place.

    >>> class Oven(StrictEntry):
    ...     name: str
    >>> from pydantic import create_model
    >>> kitchen = create_model("kitchen", ovens=(list[Oven], ...))
    >>> keys_at(kitchen, ("ovens", 0)), keys_at(kitchen, ())
    (['name'], ['ovens'])
    """
    for step in loc:
        field = model.model_fields.get(str(step))
        if field is not None:  # else it is a position, or the key of a table
            model = _model_in(field.annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model of the entries of a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def check(kind: Any, value: Any, field: str) -> None:
    """Raise an `InputError` unless a JSON value has a type (a ``TypedDict``, say), strictly.

    Parameters
    ----------
    kind
        Type of the value, such as a ``TypedDict``.
    value
        JSON value.
    field
        Path of the field, for the message.
    """
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        raise input_error(error, "").each(lambda fault: _below(field, fault)) from None


def _below(field: str, fault: InputError) -> InputError:
    if fault.field == "document":
        fault.field = None
    return fault.at("", field)
