"""Random problems with parameters: our own model, and the style of each benchmark."""
