"""Random problems with knobs: our own model, and the style of each benchmark."""
