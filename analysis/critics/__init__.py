"""One critic per benchmark: what the rules say of a submission, as findings with figures and a sentence each."""
