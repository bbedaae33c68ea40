"""Pages of the repository as Markdown, their links, and the anchors in them.

Paths are those of the site: pages of ``.docs`` are at its top, all other files in their places. The file of the class
of a benchmark stands for its page.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from support.pages import generated_pages
from support.reference import DOCS, reference_pages

from planoracle.instances.protocol import registry

ROOT = DOCS.parent
_FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})[^\n]*\n.*?^(?P=fence)[`:]*\s*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")


class Link(NamedTuple):
    """Link of a page: its line, and its target as written."""

    line: int
    target: str


#: Folders of a working copy that are not in the repository.
_UNTRACKED = {".venv", "build", "dist", "node_modules", ".git", "__pycache__", ".pytest_cache", ".hypothesis"}


@cache
def files() -> frozenset[str]:
    """Return the files of the repository, or of a source distribution, by their paths in the site."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-co", "--exclude-standard"]
        paths = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    else:  # environments and built files are no part of the repository
        every = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        paths = [path.as_posix() for path in every if not _UNTRACKED.intersection(path.parts)]
    return frozenset(path.removeprefix(".docs/") for path in paths if (ROOT / path).exists())


@cache
def pages() -> dict[str, str]:
    """Return the Markdown of files, notebooks, benchmarks and generated pages by paths in the site."""
    # Notes of changes are parts of CHANGELOG.md, see `tests.test_changelog`.
    names = [name for name in files() if name.endswith(".md") and not name.startswith("changelog/")]
    texts = {name: _source(name).read_text("utf-8") for name in names}
    for name in files():
        if name.endswith(".ipynb"):
            cells = json.loads(_source(name).read_text("utf-8"))["cells"]
            texts[name] = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    for name in registry.names():
        texts[generated_pages.page_path(name)] = generated_pages.benchmark_page(name)
    return dict(sorted({**texts, **reference_pages.reference_pages()}.items()))


def _source(name: str) -> Path:
    return DOCS / name if (DOCS / name).exists() else ROOT / name


def links(text: str) -> list[Link]:
    """Return the links of Markdown outside code, entries of tables of contents, and links of cards."""
    blank = _CODE.sub(_blanked, re.sub(r"^```[^\n{][^\n]*\n.*?^```", _blanked, text, flags=re.MULTILINE | re.DOTALL))
    targets = [(match.start(1), match[1]) for match in _LINK.finditer(blank)]
    targets += [(match.start(1), f"{match[1]}.md") for match in re.finditer(r"^:link: (\S+)$", text, re.MULTILINE)]
    targets += [(match.start(1), match[1]) for match in re.finditer(r"^```\{image\} (\S+)$", text, re.MULTILINE)]
    for block in re.finditer(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for entry in re.finditer(r"^(?!:)(?:.*<)?([^\s<>]+)>?$", block[1], re.MULTILINE):
            targets.append((block.start(1) + entry.start(1), f"{entry[1]}.md"))
    return [Link(text.count("\n", 0, start) + 1, target) for start, target in sorted(targets)]


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def resolve(page: str, target: str) -> str:
    """Return the path in the site of the file that a relative link of a page leads to."""
    path = target.partition("#")[0].replace(".docs/", "")
    parts: list[str] = []
    for part in (*PurePosixPath(page).parent.parts, *PurePosixPath(path).parts) if path else PurePosixPath(page).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    name = "/".join(parts)
    return _page_by_source().get(name, name)


@cache
def _page_by_source() -> dict[str, str]:
    """Return the pages of the benchmarks by the files of their classes."""
    paths = map(generated_pages.page_path, registry.names())
    return {path.replace("/index.md", "/__init__.py").replace(".md", ".py"): path for path in paths}


def targets(page: str, target: str) -> list[str]:
    """Return the pages that a link leads to; several for a pattern of a table of contents."""
    name = resolve(page, target)
    if "*" not in name:
        return [name]
    endings = (name.removesuffix(".md") + ending for ending in (".md", ".ipynb"))
    return sorted(one for pattern in endings for one in pages() if PurePosixPath(one).match(pattern))


@cache
def anchors(page: str) -> frozenset[str]:
    """Return the anchors of a page: those of headings as code hosts form them, and explicit ones."""
    text = re.sub(r"^```.*?^```", "", pages()[page], flags=re.MULTILINE | re.DOTALL)
    names: list[str] = []
    underlined = [match[1] for match in re.finditer(r"^(\w.*)\n(?:-{3,}|={3,})$", text, re.MULTILINE)]
    for heading in [*re.findall(r"^#{1,6} (.+?)\s*$", text, re.MULTILINE), *underlined]:
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        names.append(f"{slug}-{names.count(slug)}" if slug in names else slug)
    return frozenset([*names, *re.findall(r"\{#([^}\s]+)\}", text)])


def fault(page: str, target: str) -> str | None:
    """Return the reason why a link of a page is wrong, ``None`` for a correct one."""
    if re.match(r"[a-z]+:", target):
        well_formed = re.fullmatch(r"https?://[\w-]+(\.[\w-]+)+(:\d+)?(/[^\s<>\"]*)?|mailto:\S+@\S+\.\S+", target)
        return None if well_formed else "is not a valid address"
    names = targets(page, target)
    anchor = target.partition("#")[2]
    for name in names:
        is_folder = any(one.startswith(f"{name}/") for one in files())
        if name not in pages() and name not in files() and not is_folder and not name.startswith("gallery/"):
            notebook = f"{name.removesuffix('.md')}.ipynb"
            if notebook not in pages():
                return f"leads to {name}, which does not exist"
        if anchor and name not in pages():
            return f"names an anchor in {name}, which is not a page"
        if anchor and anchor not in anchors(name):
            return f"names the anchor {anchor}, which {name} does not have"
    return None if names else "matches no page"


@cache
def clicks(start: str, *, contents: bool = True) -> dict[str, int]:
    """Return the smallest number of links that lead from a page to each other page.

    Parameters
    ----------
    contents
        False to follow links of text and cards only, and no table of contents.
    """
    distances, queue = {start: 0}, [start]
    for page in queue:
        text = pages()[page] if contents else re.sub(r"^```\{toctree\}.*?^```", "", pages()[page], flags=re.M | re.S)
        for link in links(text):
            for name in targets(page, link.target) if not re.match(r"[a-z]+:", link.target) else ():
                if name in pages() and name not in distances:
                    distances[name] = distances[page] + 1
                    queue.append(name)
    return distances
