"""Tool families for messages to contacts, posts of a social network, and tickets of a support desk."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Annotated, Any, Literal

from planoracle.instances.benchmarks.asynctool.tools.base import (
    ToolFamily,
    dict_of,
    entry_of,
    fields,
    list_of,
    operation,
    refuse_if,
    row_of,
)

_MAX_CONTACTS, _MAX_SENT = 200, 200
#: Characters of the name of a contact, and of a message.
_MAX_CONTACT_NAME, _MAX_MESSAGE = 60, 500

TelephoneNumber = Annotated[str, "telephone number: digits and hyphens"]


#: A message in the inbox; ``sender`` is a telephone number and every ``id`` occurs once.
InboxMessage = fields(id=int, sender=str, text=str)


class Messages(ToolFamily):
    """A telephone that sends messages to the numbers of its contacts."""

    #: Contacts with their numbers by name, and the inbox.
    Initial = fields(contacts=dict_of(str), inbox=list_of(InboxMessage))
    COMPARED = ("contacts", "inbox", "sent")

    def __init__(self, initial: Mapping[str, Any]) -> None:
        super().__init__({**initial, "sent": []})
        received = (message["id"] for message in initial["inbox"])
        self._first_sent = max(received, default=1_000) + 1

    @operation
    def find_contact(self, name: Annotated[str, "name of the contact, exactly as saved"]) -> dict[str, Any]:
        """Look up the telephone number of a contact."""
        number = entry_of(self.data["contacts"], name, f"no contact is named {name[:80]!r}")
        return {"number": number}

    @operation
    def add_contact(self, name: Annotated[str, "name of the new contact"], number: TelephoneNumber) -> dict[str, Any]:
        """Save a new contact. The name must not be in use."""
        contacts = self.data["contacts"]
        has_length = 1 <= len(name) <= _MAX_CONTACT_NAME
        is_name = has_length and name.isprintable()
        digits = number.replace("-", "")
        is_number = 3 <= len(number) <= 20 and number.isascii() and digits.isdigit()
        refuse_if(not is_name, f"names have 1 to {_MAX_CONTACT_NAME} printable characters")
        refuse_if(not is_number, "numbers consist of 3 to 20 digits and hyphens")
        refuse_if(name in contacts, f"there is a contact named {name!r} already")
        refuse_if(len(contacts) >= _MAX_CONTACTS, "there are too many contacts")
        contacts[name] = number
        return {"added": name}

    @operation
    def read_inbox(self) -> dict[str, Any]:
        """Read all messages received: of each its id, the number of its sender and its text."""
        messages = []
        for message in self.data["inbox"]:
            row = {"message": message["id"], "sender": message["sender"], "text": message["text"]}
            messages.append(row)
        return {"messages": messages}

    @operation
    def send_message(
        self, number: TelephoneNumber, text: Annotated[str, "text of the message, exactly as it shall arrive"]
    ) -> dict[str, Any]:
        """Send a message to the number of a contact. The result is the message's id."""
        sent = self.data["sent"]
        numbers = self.data["contacts"].values()
        refuse_if(number not in numbers, f"no contact has the number {number[:80]!r}")
        refuse_if(not 1 <= len(text) <= _MAX_MESSAGE, f"messages have 1 to {_MAX_MESSAGE} characters")
        refuse_if(len(sent) >= _MAX_SENT, "too many messages have been sent")
        message = self._first_sent + len(sent)
        sent.append({"message": message, "to": number, "text": text})
        return {"message": message}

    @operation
    def delete_message(self, message: Annotated[int, "id of a received message"]) -> dict[str, Any]:
        """Delete a message from the inbox for good. Messages already sent stay sent."""
        inbox = self.data["inbox"]
        inbox.remove(row_of(inbox, "id", message, f"the inbox contains no message {message}"))
        return {"deleted": message}


_MAX_COMMENTS, _MAX_COMMENT = 200, 280

UserName = Annotated[str, "name of the user"]
PostId = Annotated[int, "id of the post"]


#: A post; every ``id`` occurs once.
Post = fields(id=int, text=str)

#: A user: how many follow them, the id of the post they have pinned (0: none), and all their posts.
User = fields(followers=int, pinned=int, posts=list_of(Post))


class Posts(ToolFamily):
    """A social network, as one account sees it."""

    #: Users by name, and whom the account follows.
    Initial = fields(users=dict_of(User), following=list_of(str))
    COMPARED = ("following", "likes", "comments")

    def __init__(self, initial: Mapping[str, Any]) -> None:
        following = sorted(set(initial["following"]))
        super().__init__({**initial, "following": following, "likes": [], "comments": {}})

    @operation
    def follow_user(self, user: UserName) -> dict[str, Any]:
        """Follow a user whom the account does not follow yet."""
        followed = self._user(user)
        following = self.data["following"]
        refuse_if(user in following, f"the account follows {user!r} already")
        self.data["following"] = sorted([*following, user])
        followed["followers"] += 1
        return {"following": user}

    @operation
    def read_figures(self, user: UserName) -> dict[str, Any]:
        """Read a user's figures: followers, number of posts, and id of the pinned post (0 for none)."""
        account = self._user(user)
        number_of_posts = len(account["posts"])
        return {"followers": account["followers"], "posts": number_of_posts, "pinned_post": account["pinned"]}

    @operation
    def read_posts(self, user: UserName) -> dict[str, Any]:
        """Read all posts of a user, each with its id and text."""
        posts = self._user(user)["posts"]
        return {"posts": [{"post": post["id"], "text": post["text"]} for post in posts]}

    @operation
    def write_comment(
        self, post: PostId, text: Annotated[str, "text of the comment, exactly as it shall appear"]
    ) -> dict[str, Any]:
        """Write a comment under a post."""
        comments = self.data["comments"]
        self._post(post)
        number_of_comments = sum(map(len, comments.values()))
        refuse_if(not 1 <= len(text) <= _MAX_COMMENT, f"comments have 1 to {_MAX_COMMENT} characters")
        refuse_if(number_of_comments >= _MAX_COMMENTS, "the account has written too many comments")
        comments.setdefault(str(post), []).append(text)
        return {"commented": post}

    @operation
    def like_post(self, post: PostId) -> dict[str, Any]:
        """Like a post. A post can be liked once."""
        self._post(post)
        likes = self.data["likes"]
        refuse_if(post in likes, f"the account likes post {post} already")
        self.data["likes"] = sorted([*likes, post])
        return {"liked": post}

    def _user(self, name: str) -> Any:
        return entry_of(self.data["users"], name, f"there is no user named {name[:80]!r}")

    def _post(self, post: int) -> None:
        users = self.data["users"].values()
        posts = chain.from_iterable(user["posts"] for user in users)
        row_of(posts, "id", post, f"there is no post {post}")


#: Tickets opened in a run and characters of a subject or solution.
_MAX_OPENED, _MAX_NOTE = 40, 200

Customer = Annotated[str, "name of the customer, exactly as registered"]
TicketNumber = Annotated[int, "number of the ticket"]
Urgency = Literal["low", "normal", "high"]


#: An unresolved ticket; ``number`` is unique, ``specialist`` is empty if it is not assigned.
Ticket = fields(number=int, customer=str, subject=str, urgency=Urgency, specialist=str)


class Tickets(ToolFamily):
    """A support desk. A ticket is resolved by the specialist it is assigned to."""

    #: Names of the customers and of the specialists, and the tickets.
    Initial = fields(customers=list_of(str), specialists=list_of(str), tickets=list_of(Ticket))
    COMPARED = ("tickets",)

    def __init__(self, initial: Mapping[str, Any]) -> None:
        tickets = [ticket | {"solution": ""} for ticket in initial["tickets"]]
        super().__init__({**initial, "tickets": tickets})
        self._max_tickets = len(tickets) + _MAX_OPENED

    @operation
    def list_tickets(self, customer: Customer) -> dict[str, Any]:
        """List all tickets of a customer; a ticket without a solution is not resolved yet."""
        self._check_customer(customer)
        tickets = self.data["tickets"]
        return {"tickets": [dict(ticket) for ticket in tickets if ticket["customer"] == customer]}

    @operation
    def open_ticket(
        self,
        customer: Customer,
        subject: Annotated[str, "what it is about, in the customer's words"],
        urgency: Annotated[Urgency, "how urgent it is"],
    ) -> dict[str, Any]:
        """Open a new ticket for a customer, assigned to nobody. The result is its number."""
        tickets = self.data["tickets"]
        self._check_customer(customer)
        refuse_if(not 1 <= len(subject) <= _MAX_NOTE, f"subjects have 1 to {_MAX_NOTE} characters")
        refuse_if(len(tickets) >= self._max_tickets, "too many tickets have been opened")
        numbers = (ticket["number"] for ticket in tickets)
        number = max(numbers, default=1_000) + 1
        entry = {"number": number, "customer": customer, "subject": subject, "urgency": urgency}
        tickets.append(entry | {"specialist": "", "solution": ""})
        return {"ticket": number}

    @operation
    def assign_ticket(
        self, ticket: TicketNumber, specialist: Annotated[str, "name of the specialist, exactly as registered"]
    ) -> dict[str, Any]:
        """Assign a ticket that is not resolved to a specialist, who takes it over from any other."""
        opened = self._open(ticket)
        is_assigned = opened["specialist"] == specialist
        specialists = self.data["specialists"]
        refuse_if(specialist not in specialists, f"no specialist is named {specialist[:80]!r}")
        refuse_if(is_assigned, f"ticket {ticket} is assigned to {specialist!r} already")
        opened["specialist"] = specialist
        return {"ticket": ticket, "specialist": specialist}

    @operation
    def resolve_ticket(
        self, ticket: TicketNumber, solution: Annotated[str, "how it was solved, exactly as it shall be noted"]
    ) -> dict[str, Any]:
        """Resolve a ticket that is assigned to a specialist."""
        opened = self._open(ticket)
        refuse_if(not 1 <= len(solution) <= _MAX_NOTE, f"solutions have 1 to {_MAX_NOTE} characters")
        refuse_if(not opened["specialist"], f"ticket {ticket} is not assigned to a specialist")
        opened["solution"] = solution
        return {"ticket": ticket, "status": "resolved"}

    def _check_customer(self, customer: str) -> None:
        customers = self.data["customers"]
        refuse_if(customer not in customers, f"no customer is named {customer[:80]!r}")

    def _open(self, ticket: int) -> dict[str, Any]:
        opened = row_of(self.data["tickets"], "number", ticket, f"there is no ticket {ticket}")
        refuse_if(opened["solution"], f"ticket {ticket} is resolved already")
        return opened
