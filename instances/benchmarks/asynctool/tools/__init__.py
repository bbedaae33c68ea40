"""Our own tools: one module per family."""
