"""Diagnosis of single runs: regret, advice, critique, repair and explanations of optima."""
