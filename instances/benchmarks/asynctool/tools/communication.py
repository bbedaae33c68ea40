"""Tool families for messages to contacts, posts of a social network, and tickets of a support desk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from planoracle.instances.benchmarks.asynctool.tools.base import InitialState, Toolbox, ToolError, refuse_if, tool

_MAX_CONTACTS, _MAX_SENT, _MAX_CONTACT_NAME, _MAX_MESSAGE = 200, 200, 60, 500

TelephoneNumber = Annotated[str, "telephone number: digits and hyphens"]


class InboxMessage(TypedDict):
    """A message in the inbox; ``sender`` is a telephone number and every ``id`` occurs once."""

    id: int
    sender: str
    text: str


class Messages(Toolbox):
    """A telephone that sends messages to the numbers of its contacts."""

    class Initial(InitialState):
        """Contacts with their numbers by name, and the inbox."""

        contacts: dict[str, str]
        inbox: list[InboxMessage]

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
        refuse_if(name not in self._contacts, f"no contact is named {name[:80]!r}")
        return {"number": self._contacts[name]}

    @tool
    def add_contact(self, name: Annotated[str, "name of the new contact"], number: TelephoneNumber) -> dict[str, Any]:
        """Save a new contact. The name must not be in use."""
        refuse_if(
            not 1 <= len(name) <= _MAX_CONTACT_NAME or not name.isprintable(),
            f"names have 1 to {_MAX_CONTACT_NAME} printable characters",
        )
        refuse_if(
            not (3 <= len(number) <= 20 and number.isascii() and number.replace("-", "").isdigit()),
            "numbers consist of 3 to 20 digits and hyphens",
        )
        refuse_if(name in self._contacts, f"there is a contact named {name!r} already")
        refuse_if(len(self._contacts) >= _MAX_CONTACTS, "there are too many contacts")
        self._contacts[name] = number
        return {"added": name}

    @tool
    def read_inbox(self) -> dict[str, Any]:
        """Read all messages received: of each its id, the number of its sender and its text."""
        inbox = self._inbox.items()
        return {"messages": [{"message": key, "sender": sender, "text": text} for key, (sender, text) in inbox]}

    @tool
    def send_message(
        self, number: TelephoneNumber, text: Annotated[str, "text of the message, exactly as it shall arrive"]
    ) -> dict[str, Any]:
        """Send a message to the number of a contact. The result is the message's id."""
        refuse_if(number not in self._contacts.values(), f"no contact has the number {number[:80]!r}")
        refuse_if(not 1 <= len(text) <= _MAX_MESSAGE, f"messages have 1 to {_MAX_MESSAGE} characters")
        refuse_if(len(self._sent) >= _MAX_SENT, "too many messages have been sent")
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


_MAX_COMMENTS, _MAX_COMMENT = 200, 280

UserName = Annotated[str, "name of the user"]
PostId = Annotated[int, "id of the post"]


class Post(TypedDict):
    """A post; every ``id`` occurs once."""

    id: int
    text: str


class User(TypedDict):
    """A user: how many follow them, the id of the post they have pinned (0: none), and all their posts."""

    followers: int
    pinned: int
    posts: list[Post]


class Posts(Toolbox):
    """A social network, as one account sees it."""

    class Initial(InitialState):
        """Users by name, and whom the account follows."""

        users: dict[str, User]
        following: list[str]

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._users = {
            name: (user["followers"], user["pinned"], {post["id"]: post["text"] for post in user["posts"]})
            for name, user in initial["users"].items()
        }
        self._following = dict.fromkeys(initial["following"])
        self._followed: set[str] = set()
        self._likes: set[int] = set()
        self._comments: dict[int, list[str]] = {}
        self._commented = 0

    def state(self) -> dict[str, Any]:
        """Return whom the account follows, what it likes and its comments by post."""
        return {
            "following": sorted(self._following),
            "likes": sorted(self._likes),
            "comments": {str(post): list(texts) for post, texts in self._comments.items()},
        }

    @tool
    def follow_user(self, user: UserName) -> dict[str, Any]:
        """Follow a user whom the account does not follow yet."""
        self._user(user)
        refuse_if(user in self._following, f"the account follows {user!r} already")
        self._following[user] = None
        self._followed.add(user)
        return {"following": user}

    @tool
    def read_figures(self, user: UserName) -> dict[str, Any]:
        """Read a user's figures: followers, number of posts, and id of the pinned post (0 for none)."""
        followers, pinned, posts = self._user(user)
        return {"followers": followers + (user in self._followed), "posts": len(posts), "pinned_post": pinned}

    @tool
    def read_posts(self, user: UserName) -> dict[str, Any]:
        """Read all posts of a user, each with its id and text."""
        return {"posts": [{"post": post, "text": text} for post, text in self._user(user)[2].items()]}

    @tool
    def write_comment(
        self, post: PostId, text: Annotated[str, "text of the comment, exactly as it shall appear"]
    ) -> dict[str, Any]:
        """Write a comment under a post."""
        self._post(post)
        refuse_if(not 1 <= len(text) <= _MAX_COMMENT, f"comments have 1 to {_MAX_COMMENT} characters")
        refuse_if(self._commented >= _MAX_COMMENTS, "the account has written too many comments")
        self._comments.setdefault(post, []).append(text)
        self._commented += 1
        return {"commented": post}

    @tool
    def like_post(self, post: PostId) -> dict[str, Any]:
        """Like a post. A post can be liked once."""
        self._post(post)
        refuse_if(post in self._likes, f"the account likes post {post} already")
        self._likes.add(post)
        return {"liked": post}

    def _user(self, name: str) -> tuple[int, int, dict[int, str]]:
        refuse_if(name not in self._users, f"there is no user named {name[:80]!r}")
        return self._users[name]

    def _post(self, post: int) -> None:
        refuse_if(not any(post in posts for _, _, posts in self._users.values()), f"there is no post {post}")


#: Tickets opened in a run and characters of a subject or solution.
_MAX_OPENED, _MAX_NOTE = 40, 200

Customer = Annotated[str, "name of the customer, exactly as registered"]
TicketNumber = Annotated[int, "number of the ticket"]
Urgency = Literal["low", "normal", "high"]


class Ticket(TypedDict):
    """An unresolved ticket; ``number`` is unique, ``specialist`` is empty if it is not assigned."""

    number: int
    customer: str
    subject: str
    urgency: Urgency
    specialist: str


class Tickets(Toolbox):
    """A support desk. A ticket is resolved by the specialist it is assigned to."""

    class Initial(InitialState):
        """Names of the customers and of the specialists, and the tickets."""

        customers: list[str]
        specialists: list[str]
        tickets: list[Ticket]

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self._customers = frozenset(initial["customers"])
        self._specialists = frozenset(initial["specialists"])
        self._tickets: dict[int, dict[str, Any]] = {one["number"]: one | {"solution": ""} for one in initial["tickets"]}
        self._most = len(self._tickets) + _MAX_OPENED

    def state(self) -> dict[str, Any]:
        """Return all tickets by number."""
        return {"tickets": {str(number): dict(one) for number, one in self._tickets.items()}}

    @tool
    def list_tickets(self, customer: Customer) -> dict[str, Any]:
        """List all tickets of a customer; a ticket without a solution is not resolved yet."""
        self._check_customer(customer)
        return {"tickets": [dict(one) for one in self._tickets.values() if one["customer"] == customer]}

    @tool
    def open_ticket(
        self,
        customer: Customer,
        subject: Annotated[str, "what it is about, in the customer's words"],
        urgency: Annotated[Urgency, "how urgent it is"],
    ) -> dict[str, Any]:
        """Open a new ticket for a customer, assigned to nobody. The result is its number."""
        self._check_customer(customer)
        refuse_if(not 1 <= len(subject) <= _MAX_NOTE, f"subjects have 1 to {_MAX_NOTE} characters")
        refuse_if(len(self._tickets) >= self._most, "too many tickets have been opened")
        number = max(self._tickets, default=1_000) + 1
        given = {"number": number, "customer": customer, "subject": subject, "urgency": urgency}
        self._tickets[number] = given | {"specialist": "", "solution": ""}
        return {"ticket": number}

    @tool
    def assign_ticket(
        self, ticket: TicketNumber, specialist: Annotated[str, "name of the specialist, exactly as registered"]
    ) -> dict[str, Any]:
        """Assign a ticket that is not resolved to a specialist, who takes it over from any other."""
        found = self._open(ticket)
        refuse_if(specialist not in self._specialists, f"no specialist is named {specialist[:80]!r}")
        refuse_if(found["specialist"] == specialist, f"ticket {ticket} is assigned to {specialist!r} already")
        found["specialist"] = specialist
        return {"ticket": ticket, "specialist": specialist}

    @tool
    def resolve_ticket(
        self, ticket: TicketNumber, solution: Annotated[str, "how it was solved, exactly as it shall be noted"]
    ) -> dict[str, Any]:
        """Resolve a ticket that is assigned to a specialist."""
        found = self._open(ticket)
        refuse_if(not 1 <= len(solution) <= _MAX_NOTE, f"solutions have 1 to {_MAX_NOTE} characters")
        refuse_if(not found["specialist"], f"ticket {ticket} is assigned to nobody")
        found["solution"] = solution
        return {"ticket": ticket, "status": "resolved"}

    def _check_customer(self, customer: str) -> None:
        refuse_if(customer not in self._customers, f"no customer is named {customer[:80]!r}")

    def _open(self, ticket: int) -> dict[str, Any]:
        found = self._tickets.get(ticket)
        if found is None:
            raise ToolError(f"there is no ticket {ticket}")
        refuse_if(found["solution"], f"ticket {ticket} is resolved already")
        return found
