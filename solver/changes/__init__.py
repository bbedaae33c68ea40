"""The same problem with other numbers, many times over."""
