"""Messages: an address book, an inbox, and messages sent to contacts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_CONTACTS, _MAX_SENT, _MAX_NAME, _MAX_MESSAGE = 200, 200, 60, 500

Number = Annotated[str, "telephone number: digits and hyphens"]


class Received(TypedDict):
    """A message in the inbox; ``sender`` is a telephone number and every ``id`` occurs once."""

    id: int
    sender: str
    text: str


class Initial(TypedDict):
    """Contacts with their numbers by name, and the inbox."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    contacts: dict[str, str]
    inbox: list[Received]


class Messages(Toolbox):
    """A telephone that sends messages to the numbers of its contacts."""

    Initial = Initial

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._contacts = dict(initial["contacts"])
        self._inbox = {one["id"]: (one["sender"], one["text"]) for one in initial["inbox"]}
        self._sent: dict[int, tuple[str, str]] = {}
        self._next = max(self._inbox, default=1_000) + 1

    def state(self) -> dict[str, Any]:
        """Return contacts, what is left in the inbox, and what was sent."""
        sent = {str(number): {"to": to, "text": text} for number, (to, text) in self._sent.items()}
        return {"contacts": dict(self._contacts), "inbox": list(self._inbox), "sent": sent}

    @tool
    def find_contact(self, name: Annotated[str, "name of the contact, exactly as saved"]) -> dict[str, Any]:
        """Look up the telephone number of a contact."""
        if name not in self._contacts:
            raise ToolError(f"no contact is named {name[:80]!r}")
        return {"number": self._contacts[name]}

    @tool
    def add_contact(self, name: Annotated[str, "name of the new contact"], number: Number) -> dict[str, Any]:
        """Save a new contact. The name must not be in use."""
        if not 1 <= len(name) <= _MAX_NAME or not name.isprintable():
            raise ToolError(f"names have 1 to {_MAX_NAME} printable characters")
        if not (3 <= len(number) <= 20 and number.isascii() and number.replace("-", "").isdigit()):
            raise ToolError("numbers consist of 3 to 20 digits and hyphens")
        if name in self._contacts:
            raise ToolError(f"there is a contact named {name!r} already")
        if len(self._contacts) >= _MAX_CONTACTS:
            raise ToolError("there are too many contacts")
        self._contacts[name] = number
        return {"added": name}

    @tool
    def read_inbox(self) -> dict[str, Any]:
        """Read all messages received: of each its id, the number of its sender and its text."""
        inbox = self._inbox.items()
        return {"messages": [{"message": key, "sender": sender, "text": text} for key, (sender, text) in inbox]}

    @tool
    def send_message(
        self, number: Number, text: Annotated[str, "text of the message, exactly as it shall arrive"]
    ) -> dict[str, Any]:
        """Send a message to the number of a contact. The result is the message's id."""
        if number not in self._contacts.values():
            raise ToolError(f"no contact has the number {number[:80]!r}")
        if not 1 <= len(text) <= _MAX_MESSAGE:
            raise ToolError(f"messages have 1 to {_MAX_MESSAGE} characters")
        if len(self._sent) >= _MAX_SENT:
            raise ToolError("too many messages have been sent")
        message = self._next
        self._next += 1
        self._sent[message] = number, text
        return {"message": message}

    @tool
    def delete_message(self, message: Annotated[int, "id of a received message"]) -> dict[str, Any]:
        """Delete a message from the inbox for good. Messages already sent stay sent."""
        if self._inbox.pop(message, None) is None:
            raise ToolError(f"the inbox holds no message {message}")
        return {"deleted": message}
