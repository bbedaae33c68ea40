"""Sphinx configuration of the documentation site; `python .docs/build.py` builds the site."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))
from references import resolve_undescribed

from planoracle import Status, __version__

project = "planoracle"
author = "The planoracle developers"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
]
root_doc = "index"
exclude_patterns = ["**/data/**", "**/.*"]
nitpicky = True
default_role = "py:obj"  # names in docstrings are links where the site describes them
smartquotes = False  # it would turn the dashes of options into one

# READMEs link to headings by the anchors of GitHub.
myst_heading_anchors = 4
# `attrs_inline` gives columns of tables an anchor.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
# The build runs the notebooks, which are stored without output; `--draft` omits that.
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True

numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"planoracle {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
# The copy button copies commands and their here-documents without prompts and output.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_here_doc_delimiter = "END"

# Sphinx 9.0 shows a member of an enumeration only if its `__repr__` is a function of Python.
Status.__repr__ = lambda status: repr(str(status))  # type: ignore[method-assign]


def setup(app: Sphinx) -> None:
    """Register the handlers of this page."""
    app.connect("missing-reference", resolve_undescribed)
    app.connect("doctree-read", add_parameter_anchors)


def add_parameter_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Give each parameter and attribute in a docstring an anchor, such as ``planoracle.solve.seed``."""
    for item in doctree.findall(nodes.definition_list_item):
        parents = []
        node = item.parent
        while node is not None and not isinstance(node, addnodes.desc):
            parents.append(node)
            node = node.parent
        field = next((one for one in parents if isinstance(one, nodes.field)), None)
        if node is None or field is None or field[0].astext() not in ("Parameters", "Attributes", "Other Parameters"):
            continue
        owners = [name for signature in node.findall(addnodes.desc_signature) for name in signature["ids"]]
        if not owners:  # described on another page
            continue
        for name in item[0][0].astext().split(", "):
            if (anchor := f"{owners[0]}.{name}") not in doctree.ids:
                item[0]["ids"].append(anchor)
                doctree.ids[anchor] = item[0]
