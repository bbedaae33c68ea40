"""What models write, read for every benchmark alike: which part of a text is the plan, and what steps it holds."""
