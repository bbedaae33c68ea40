"""Links of Markdown files, notebooks and generated pages: files, anchors and forms of addresses."""

from __future__ import annotations

import pytest
from support.links import DOCS, ROOT, Link, anchors, clicks, fault, files, links, pages


@pytest.mark.parametrize("page", pages())
def test_links_of_a_page_lead_to_files_and_anchors(page: str) -> None:
    faults = [
        f"{page}:{link.line}: {link.target} {reason}"
        for link in links(pages()[page])
        if (reason := fault(page, link.target)) is not None
    ]
    assert faults == []


@pytest.mark.parametrize("page", sorted(name for name in files() & pages().keys() if not (DOCS / name).exists()))
def test_links_of_a_page_outside_the_site_folder_exist_in_the_repository(page: str) -> None:
    """Code hosts show these files in their places, without the pages that are generated for the site."""
    paths = [link.target.partition("#")[0] for link in links(pages()[page]) if ":" not in link.target]
    assert [path for path in paths if path and not (ROOT / page).parent.joinpath(path).exists()] == []


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("README.md", None),
        ("instances/README.md#folders", None),
        ("instances/benchmarks/timearena/__init__.py#metrics", None),
        ("solver/", None),
        ("https://example.org/a?b=c#d", None),
        ("nowhere.md", "leads to nowhere.md, which does not exist"),
        ("README.md#nowhere", "names the anchor nowhere, which README.md does not have"),
        ("LICENSE#mit", "names an anchor in LICENSE, which is not a page"),
        ("https://example/ a", "is not a valid address"),
        ("reference/x*", "matches no page"),
    ],
)
def test_a_wrong_link_is_reported(target: str, reason: str | None) -> None:
    assert fault("index.md", target) == reason


def test_links_in_code_do_not_count_and_those_of_cards_and_contents_do() -> None:
    text = """
[a](b.md) and `[c](d.md)`

```text
[e](f.md)
```

:::{grid-item-card} Card
:link: outputs
:::

```{toctree}
:hidden:

api
Overview <README>
```
"""
    assert links(text) == [Link(2, "b.md"), Link(9, "outputs.md"), Link(15, "api.md"), Link(16, "README.md")]


def test_anchors_are_those_of_code_hosts() -> None:
    assert {"what-it-does", "cite-and-licence"} <= anchors("README.md")
    assert "regret-before" in anchors("reference/columns.md")


def test_each_page_of_the_site_is_at_most_two_clicks_from_the_start() -> None:
    own = [page for page in pages() if (DOCS / page).exists()]
    assert len(own) > 20
    assert [page for page in own if clicks("index.md").get(page, 9) > 2] == []
