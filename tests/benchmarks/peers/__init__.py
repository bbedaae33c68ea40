"""Other ways to solve the same instances, and what it takes to compare them fairly."""
