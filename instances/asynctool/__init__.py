"""AsyncTool: several agents' calls of tools whose results come later, one call a turn."""
