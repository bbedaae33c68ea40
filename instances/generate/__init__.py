"""Random problems by parameters, in the style of each benchmark."""
