"""Grid kitchens: maps of tiles on which cooks walk between stations."""
