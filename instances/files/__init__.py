"""Problem files, and the names by which problems are loaded."""
