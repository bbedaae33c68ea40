"""Proofs that a person can check: finding them, writing them down, checking them, telling them."""
