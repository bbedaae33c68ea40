"""Sphinx configuration of the documentation site; `python .docs/build.py` builds the site."""

from planoracle import __version__

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
nitpicky = False

# READMEs link to headings by the anchors of GitHub.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
# The build does not run the notebooks; tests run them.
nb_execution_mode = "off"

numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
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
