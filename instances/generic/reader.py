"""Documents in our own format."""

from __future__ import annotations

from planoracle.instances.model import Instance


def recognises(document: object) -> bool:
    """Whether a document is in our own format."""
    return isinstance(document, dict) and document.get("format") == "planoracle/instance"


def read(document: object, source: str) -> list[Instance]:
    """Read our own format, see `planoracle.instances.files`, which brings a library that takes time to import."""
    from planoracle.instances.files import instance_from_document

    return [instance_from_document(document, source)]
