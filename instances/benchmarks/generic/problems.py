"""Reader of problem files in the format of planoracle."""

from __future__ import annotations

from planoracle.instances.files.instance_file import instance_from_document
from planoracle.instances.files.instance_file import json_schema as json_schema
from planoracle.instances.files.instance_file import to_document as to_document
from planoracle.plugin import Instance


def recognises(document: object) -> bool:
    """Return true for a document in our own format."""
    return isinstance(document, dict) and document.get("format") == "planoracle/instance"


def read(document: object, source: str) -> list[Instance]:
    """Read a problem file of our own format."""
    return [instance_from_document(document, source)]
