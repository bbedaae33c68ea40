"""Posts: users of a social network, what they have posted, and what one account does about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from planoracle.instances.asynctool.tools.base import Toolbox, ToolError, tool

_MAX_COMMENTS, _MAX_COMMENT = 200, 280

User = Annotated[str, "name of the user"]
PostId = Annotated[int, "id of the post"]


class Post(TypedDict):
    """A post; every ``id`` occurs once."""

    id: int
    text: str


class Profile(TypedDict):
    """A user: how many follow them, the id of the post they have pinned (0: none), and all their posts."""

    followers: int
    pinned: int
    posts: list[Post]


class Initial(TypedDict):
    """Users by name, and whom the account follows."""

    __pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[misc]  # noqa: RUF012
    users: dict[str, Profile]
    following: list[str]


class Posts(Toolbox):
    """A social network, as one account sees it."""

    Initial = Initial

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
    def follow_user(self, user: User) -> dict[str, Any]:
        """Follow a user whom the account does not follow yet."""
        self._user(user)
        if user in self._following:
            raise ToolError(f"the account follows {user!r} already")
        self._following[user] = None
        self._followed.add(user)
        return {"following": user}

    @tool
    def read_figures(self, user: User) -> dict[str, Any]:
        """Read a user's figures: followers, number of posts and the id of the pinned post (0 if there is none)."""
        followers, pinned, posts = self._user(user)
        return {"followers": followers + (user in self._followed), "posts": len(posts), "pinned_post": pinned}

    @tool
    def read_posts(self, user: User) -> dict[str, Any]:
        """Read all posts of a user, each with its id and text."""
        return {"posts": [{"post": post, "text": text} for post, text in self._user(user)[2].items()]}

    @tool
    def write_comment(
        self, post: PostId, text: Annotated[str, "text of the comment, exactly as it shall appear"]
    ) -> dict[str, Any]:
        """Write a comment under a post."""
        self._post(post)
        if not 1 <= len(text) <= _MAX_COMMENT:
            raise ToolError(f"comments have 1 to {_MAX_COMMENT} characters")
        if self._commented >= _MAX_COMMENTS:
            raise ToolError("the account has written too many comments")
        self._comments.setdefault(post, []).append(text)
        self._commented += 1
        return {"commented": post}

    @tool
    def like_post(self, post: PostId) -> dict[str, Any]:
        """Like a post. A post can be liked once."""
        self._post(post)
        if post in self._likes:
            raise ToolError(f"the account likes post {post} already")
        self._likes.add(post)
        return {"liked": post}

    def _user(self, name: str) -> tuple[int, int, dict[int, str]]:
        if name not in self._users:
            raise ToolError(f"there is no user named {name[:80]!r}")
        return self._users[name]

    def _post(self, post: int) -> None:
        if not any(post in posts for _, _, posts in self._users.values()):
            raise ToolError(f"there is no post {post}")
