"""Problem files, strict JSON, and the catalog of problem names."""
