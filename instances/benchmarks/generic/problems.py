"""Documents in our own format."""

from __future__ import annotations

from planoracle.instances.model.instance import Instance


def recognises(document: object) -> bool:
    """Return whether a document has our own format."""
    return isinstance(document, dict) and document.get("format") == "planoracle/instance"


def read(document: object, source: str) -> list[Instance]:
    """Read a problem file of our own format."""
    from planoracle.instances.files.instance_file import instance_from_document

    return [instance_from_document(document, source)]
