"""The documentation site: pages of this folder, all READMEs, docstrings and notebooks, by Sphinx.

`python .docs/build.py` puts the sources together and builds; this file is the configuration that it uses.
"""

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

# READMEs refer to each other, and to headings, as a code host shows them.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
# Notebooks are kept with their output; tests run them.
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
# What a click copies can be pasted: commands without prompts and output, with the texts that they read.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_here_doc_delimiter = "END"
