"""Plans, lower bounds, state values and repairs for grid kitchens, where cooks walk between stations."""
