"""Rule profiles of AsyncTool: named options for what the paper leaves open.

The benchmark's code is not released, so both profiles have the same rules of the benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass

from planoracle.instances.protocol.profiles import Rules, RuleSet


@dataclass(frozen=True, slots=True)
class Profile(Rules):
    """Options of AsyncTool: reading and scoring of transcripts.

    Attributes
    ----------
    f1
        ``"nestful"``: F1 of the sets of labels of a run, without labels of unknown functions, averaged over runs.
        ``"micro"``: F1 of the multisets of all labels, pooled over runs.
    f1_scope
        Labels count for the ``"task"`` that a call names, or for the ``"run"`` as a whole.
    char
        Path matching compares ``"calls"``, their ``"results"``, or ``"both"``.
    several_calls
        Several calls in one message are ``"refused"``, or the ``"first"`` counts.
    closing
        ``"implied"``: the end of the transcript closes the run and counts as one turn. ``"required"``: a run without
        the closing message fails.
    """

    f1: str = "nestful"
    f1_scope: str = "task"
    char: str = "calls"
    several_calls: str = "refused"
    closing: str = "implied"


PROFILES = {"paper": Profile(), "released": Profile(refuse_unread=False)}

#: Values of the rules that are text.
CHOICES = {
    "f1": ("nestful", "micro"),
    "f1_scope": ("task", "run"),
    "char": ("calls", "results", "both"),
    "several_calls": ("refused", "first"),
    "closing": ("implied", "required"),
}


#: Profiles and single rules, set as ``asynctool.RULE``.
RULE_SET = RuleSet("asynctool", PROFILES, CHOICES)
