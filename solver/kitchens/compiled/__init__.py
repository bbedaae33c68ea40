"""The search for kitchens of the usual domain, compiled."""
