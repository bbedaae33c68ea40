"""Step-optimal plans for kitchens (Robotouille)."""
