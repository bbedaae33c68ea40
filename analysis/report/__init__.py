"""The report: one self-contained page that compares agents, and shows every plan over the optimum."""
