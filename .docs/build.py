"""Builder of the documentation site: ``python .docs/build.py [FOLDER]``, default ``build/site``.

Needs ``pip install -e '.[docs]'``. Warnings are errors, such as missing targets of links and invalid docstrings. The
sources are the pages of this folder, all READMEs at their paths, so that relative links stay valid, the class
docstrings of the benchmarks, and the notebooks, which are run.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).resolve().parent))
from generated_pages import benchmark_page, page_path, pictures, with_benchmark_links
from reference_pages import reference_pages

from planoracle.instances.protocol import registry

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
#: Files and folders that pages of the site refer to, copied to the same path.
_SOURCES = (
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    ".ci/Containerfile",
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
    ".github/UNFOLDED.md",
    "analysis",
    "heuristics",
    "instances",
    "notebooks",
    "solver",
    "tests",
)


def main() -> int:
    """Collect the sources and run Sphinx; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--draft", action="store_true", help="do not run the notebooks")
    options = parser.parse_args()
    sources, trees = (options.folder.with_name(f"{options.folder.name}-{part}") for part in ("sources", "trees"))
    gather(sources)
    more = ["-D", "nb_execution_mode=off"] if options.draft else []
    places = ["-c", str(FOLDER), "-d", str(trees)]
    return build_main([*places, "-E", "-W", "--keep-going", "-q", *more, str(sources), str(options.folder)])


def gather(folder: Path) -> None:
    """Copy all sources to a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns(
        "__pycache__", "*.pyc", "build.py", "conf.py", "generated_pages.py", "reference_pages.py", "prompts"
    )
    shutil.copytree(FOLDER, folder, ignore=ignored)
    for path in _SOURCES:
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, folder / path, ignore=ignored)
        else:
            (folder / path).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    for name in registry.names():
        (folder / page_path(name)).write_text(benchmark_page(name), "utf-8")
    for page in (*folder.rglob("*.md"), *folder.rglob("*.ipynb")):  # pages of `.docs` are at the top of the site
        text = re.sub(r"(\]\([^)\s]*)\.docs/", r"\1", page.read_text("utf-8"))
        page.write_text(with_benchmark_links(text), "utf-8")
    for name, text in reference_pages().items():
        (folder / name).write_text(text, "utf-8")
    (folder / "gallery").mkdir()
    pictures((folder / "gallery.md").read_text("utf-8"), folder)


if __name__ == "__main__":
    sys.exit(main())
