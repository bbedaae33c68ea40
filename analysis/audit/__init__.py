"""What others have published as references, held against the rules and proved bounds."""
