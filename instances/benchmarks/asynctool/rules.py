"""Rule profiles of AsyncTool: options that the paper leaves open, each with a name.

The benchmark's code is not at hand, so both profiles are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.plugin import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of AsyncTool: reading and scoring of transcripts.

    Attributes
    ----------
    f1
        ``"nestful"``: F1 of the sets of labels of a sample, labels that no offered tool has left out, averaged
        over samples. ``"micro"``: of the multisets of all labels, pooled over samples.
    f1_scope
        Labels count for the ``"run"``, whatever sub-task a call names, or for their ``"task"`` only.
    char
        Path matching compares ``"calls"``, their ``"results"``, or ``"both"``.
    several_calls
        Several calls in one message are ``"refused"``, or the ``"first"`` counts.
    closing
        ``"required"``: a run without the closing message is no success. ``"implied"``: the end of the transcript
        closes the run, and counts as one turn.
    """

    f1: str = "nestful"
    f1_scope: str = "run"
    char: str = "calls"
    several_calls: str = "refused"
    closing: str = "required"


PROFILES = {"paper": Profile(), "released": Profile(refuse_unread=False)}

#: Values of the rules that are text.
CHOICES = {
    "f1": ("nestful", "micro"),
    "f1_scope": ("run", "task"),
    "char": ("calls", "results", "both"),
    "several_calls": ("refused", "first"),
    "closing": ("required", "implied"),
}


#: Profiles and single rules, set as ``asynctool.RULE``.
RULE_SET = RuleSet("asynctool", PROFILES, CHOICES)
