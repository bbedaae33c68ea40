"""Cues that mark a plan as final, retracted, chosen, an alternative, a summary, or no plan.

The English word lists decide which block of a text is its answer, see `planoracle.instances.model_output.choice`.
"""

from __future__ import annotations

import re
from enum import Flag, auto
from functools import cached_property, lru_cache


class Cue(Flag):
    """Cues of a sentence about the plan before it (``RETRACTED``) or after it (all others)."""

    RETRACTED = auto()
    FINAL = auto()
    NO_PLAN = auto()
    CHOSEN = auto()
    OTHER = auto()
    SUMMARY = auto()


class _Pattern:
    """Regular expression that is compiled at first use, since compiling all takes 0.1 seconds."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, re.IGNORECASE)

    def search(self, text: str) -> re.Match[str] | None:
        return self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._compiled.fullmatch(text)


def _any(*phrases: str) -> _Pattern:
    """Return a pattern for alternative phrases."""
    return _Pattern("|".join(phrases))


#: Longest sentence that is searched for cues, in characters.
_LONGEST = 400

# --- parts of phrases ------------------------------------------------------------------------------

_PLAN = (
    "(?:plan|schedule|answer|solution|order|sequence|list|steps|attempt|version|approach|proposal|transcript|ordering"
    "|timetable|timeline|draft|try|idea|option|variant|strategy|submission|response|output|code|json)s?"
)
_BAD = (
    "(?:wrong|incorrect|invalid|infeasible|unfeasible|unworkable|mistaken|flawed|broken|faulty|erroneous|illegal"
    "|nonsense|nonsensical|rubbish|garbage|worthless|useless|bogus|void|unsound|inconsistent|contradictory|unusable|bad"
    "|impossible|forbidden|inadmissible|unacceptable|retracted|revoked|withdrawn|cancelled|obsolete)"
)
_GOOD = "(?:right|correct|valid|feasible|possible|allowed|legal|permitted|acceptable|good|ok(?:ay)?)"
_BETTER = (
    "(?:better|best|shorter|faster|quicker|improved|optimi[sz]ed|optimal|updated?|revised|corrected|fixed|repaired|new"
    "|proper|right|correct|adjusted|amended|reworked|cleaned|rewritten|working|valid|feasible|actual|real|chosen"
    "|preferred|recommended)"
)
_FLAW = r"(?:a|an|one|some|several|two) (?:\w+ )?(?:mistake|error|problem|flaw|bug|conflict|fault|violation)s?"
_REDO = "(?:redo|rewrite|rethink|reconsider|re-?plan|revise|rework|repair|fix|correct|change|replace|amend|re-?start)"
_NOT = "(?: ?not|n['’]t| never)"
_PROVIDED = r"(?: (?:(?:given|shown|listed|written|proposed) )?(?:\w|\d+|above|so far|earlier|before|(?:that )?i \w+))"
_SUBJECT = (
    r"(?:that|this|it|these|those|they|everything|all(?: of)? (?:that|this)|the first one|step \d+"
    rf"|(?:the|my|this|that|our|said)(?: [\w-]+){{0,2}} {_PLAN}{_PROVIDED}?"
    rf"|(?:the|what is|everything|all) above|what i (?:wrote|said|gave|have)(?: above)?|{_PLAN} (?:\w|\d+))"
)
_ADVERBS = (
    "(?:(?:just|simply|clearly|plainly|all|still|also|actually|completely|totally|really|quite|obviously|probably|even"
    "|definitely|certainly|surely|an?|one|now|in fact|of course|entirely|partly|so|possibly|always|going to|be) ){0,3}"
)
_IS = (
    "(?:(?:['’]s| is| was| are| were| looks?| seems?(?: to be)?| turns out(?: to be)?"
    "| (?:would|must|may|might|could|has to) be) )"
)
_REFERENCE = (
    "(?:that|this|it|those|these|above|i|what|the (?:above|previous|first|last|entire|whole|plan|list|earlier|answer)"
    "|my (?:previous|first|last|plan|earlier|answer))"
)

# --- words of retraction ---------------------------------------------------------------------------

# Interjections before a retraction.
_OPENERS = _Pattern(
    r"(?:\W|\b(?:wait|h+m+|umm*|uh|oh|ah|ugh|argh|oops|whoops|sorry|apologies|actually|but|hold on|hang on|well|nope"
    r"|okay|ok|stop|damn|so|and|then|now|however|unfortunately|alas|yet|honestly|in fact|to be honest"
    r"|i (?:now )?(?:think|see|reali[sz]e|notice|believe|find|fear)(?: that)?|on closer inspection"
    r"|on (?:second thoughts?|reflection)|looking (?:at it )?again"
    r"|no(?=\W*\s+(?:that|this|it|the|i|my|wait|sorry)\b)|no(?=[,.!:;]))\b)*"
)
# Predicates of a wrong plan. The subject occurs once in the pattern, since it takes long to compile.
_FAULT = "|".join(
    [
        rf"{_IS}{_ADVERBS}(?:{_BAD}\b(?! to\b| (?:with|in) no\b)"
        rf"|not (?:\w+ )?(?:{_GOOD}|going to work|my|the|an?|meant)\b"
        rf"|(?:n['’]t {_GOOD}|only|merely)\b"
        r"|(?:(?:rough|first|mere|bad|poor|wild) )?"
        r"(?:example|draft|illustration|sketch|guess|mistake|error|placeholder|joke|template)\b(?! to\b)"
        r"|too (?:long|slow|late|early) *[.!,;]? *$)",
        rf" (?:(?:will|would|can|could|does|do|did|is|was|are|may|might|should|must){_NOT}"
        r"|(?:wo|ca)n['’]t|never) "
        rf"{_ADVERBS}"
        rf"(?:{_GOOD}|work\w*|hold\w*|succeed|finish|do|run|execut\w+|add|make sense|stand|fit|go|fly|satisf\w+"
        r"|respect\w*|meet|solve|fulfil\w*|count|(?:be )?(?:used|followed|graded|executed|trusted)"
        r"|my|the (?:final |real )?(?:answer|plan)"
        r"|(?:look|seem|sound|feel)s? (?:\w+ )?(?:right|correct|valid|good))\b",
        r" (?:also |just |simply |clearly |still )?(?:(?:will|would|does|do|did|could|must) (?:still |also )?)?"
        r"(?:fail|violate|break|contradict|conflict|exceed|collide|clash|misse|ignore|forget)(?:e?s|d|ed)?\b"
        r"(?! no\b| nothing| none| neither| any)",
        r" (?:should|must|has to|can|is to) be "
        r"(?:ignored|disregarded|discarded|dropped|deleted|forgotten|skipped)\b",
        rf" (?:still |also )?(?:broke|has {_FLAW}|contains? {_FLAW}|makes no sense|is of no use|is no good)\b",
        rf" is no (?:\w+ )?{_PLAN}\b",
        r" needs? (?:to be )?(?:redone|fix\w*|a? ?correct\w+|rewritten|replaced)\b",
    ]
)
# Claims that the previous plan is wrong.
_CLAIM = _any(
    rf"{_SUBJECT}(?:{_FAULT})",
    rf"(?:(?:do not|don['’]t) (?:think|believe)|doubt)(?: that)? {_SUBJECT} .{{0,30}}\b(?:works?|{_GOOD})\b",
    rf"none of (?:this|that|it|these|those|the above|my plan) (?:works|is {_GOOD}|are|holds|will|can)\b",
)
# Sentences that consist of a claim.
_ALONE = _any(
    rf"(?:{_BAD}|not (?:my|the|an?) (?:\w+ )?(?:answer|plan|solution)|not {_GOOD}|no good|error|mistake|correction)\W*"
)
# Words of retraction.
_BACK = _any(
    r"\b(?:scratch|strike|scrap|cancel|forget|ignore|disregard|discard|drop|delete|erase|void|undo|skip) "
    rf"(?:all |everything |about |all of )?{_REFERENCE}\b(?! (?:step|pan|pot|item|cup|time))",
    r"\bnever ?mind\b(?! (?:the|if|about)\b(?! (?:above|plan)))",
    r"\btak(?:e|ing) (?:that|it|this|all that|all of that|everything|the above) back\b",
    r"\bthrow (?:that|this|it|(?:the|my|this) \w+) (?:away|out)\b",
    r"\btake back (?:that|what|the|my|everything)\b|\bback to square one\b",
    r"\bi(?: \w+| (?:have|need|want|wish|would like) to|['’]d like to|['’]ll)? "
    r"(?:retract|withdraw|revoke|renounce|abandon|recant)\b"
    r"|\bi (?:no longer|do not|don['’]t) (?:stand by|believe in|trust|endorse)\b",
    r"\bstart(?:ing)? (?:all )?(?:over|afresh|anew|again|from scratch)\b",
    r"\b(?:try|trying) (?:this |it |that |once )?(?:again|anew|once more)\b",
    rf"\blet(?: me|['’]s| us) (?:\w+ )?{_REDO}\b",
    r"\b(?:have to|need to|must|will|should) (?:redo|rewrite|rethink|revise)\b",
    rf"\bi (?:have |['’]ve |must have )?(?:made|make|see) (?:my|{_FLAW}|an? (?:\w+ )?(?:slip|blunder))",
    r"\bi (?:was|am|['’]m) (?:wrong|mistaken)\b|\bmy (?:mistake|bad|error)\b|\bo+ps\b|\bwhoops\b|\bcorrection\b(?= *:)",
    r"\bi (?:mixed|messed|screwed)\b|\bi got (?:it|that|this) wrong\b|\b(?:does|do)(?: not|n['’]t) count\b",
    r"\b(?:do not|don['’]t|never) (?:use|follow|grade|count|execute|submit|take|carry|rely|trust|consider|accept"
    r"|evaluate|score|read) (?:out |on )?(?:that|this|it|the (?:above|plan|answer|list|previous)|any|my|what)\b",
    rf"\bthere(?: is|['’]s| are) (?:still )?{_FLAW}\b",
)
_GIVES_UP = _any(
    r"\bi (?:\w+ )?(?:give up|quit|surrender|resign|pass|abstain|refuse|decline)\b",
    r"\bi(?: (?:\w+ )?|['’]m |['’]ve )(?:do not|don['’]t|cannot|can['’]t|can not|could not|couldn['’]t"
    r"|(?:am |was )?unable to|(?:am |was )?not able to|failed to|won['’]t|will not|have no|have not|haven['’]t"
    r"|no longer|would rather not|(?:am )?not going to|see no|know no|know of no|find no) (?:\w+ )?"
    r"(?:found|find|solve|produce|provide|give|come"
    r"|think of|offer|plan\b|answer|help|determine|work (?:it|this) out|figure|name|suggest|propose|say|commit"
    r"|complete (?:this|the task)|do (?:this|it|that)\b|see (?:a|any|how)|have (?!to\b)"
    r"|(?:valid |correct |good |working |feasible )?(?:plan|answer|idea|solution|clue|schedule|way)\b"
    r"|know(?=\W*$|[.,;!]| (?:an?|any|what|it|of|enough|how to|the (?:answer|solution|plan|way|order|right))\b"
    r"| how(?=\W*$|[.,;!])))",
    rf"\b(?:there(?: is|['’]s)|i see) no (?:\w+ )?(?:{_PLAN}|way)\b",
    rf"\bno (?:\w+ )?{_PLAN} (?:exists|is possible|can be|could be|works|satisf)",
    r"\b(?:it|this|the (?:task|problem|puzzle)) (?:cannot|can['’]t|can not|could not) be (?:done|solved|scheduled"
    r"|planned|satisfied)\b",
    r"\bi(?:['’]m| am) (?:lost|stuck|at a loss|out of ideas)\b|\bno idea\b",
)
# Words that negate a following claim: in its clause, anywhere before it, and before a claim in the past tense.
_DENIAL = _Pattern(
    r"\b(?:no|not|never|nothing|none|nobody|neither|nor|without|avoid\w*|prevent\w*|free|rather|hardly|when|ensur\w+"
    r"|sure|check\w*|than|any|anything)\b|n['’]t\b"
)
_CONDITION = _any(r"\b(?:if|unless|whether|otherwise|lest|because|since|in case|suppose|had)\b")
_BEFORE = _any(r"\b(?:first|initial\w*|earlier|previous\w*|thought|original\w*|before|tried)\b")
_PAST, _WOULD = _any(r"\b(?:was|were|did)\b"), _any(r"\b(?:would|could|might|may)\b")
_MENDED = _any(r"\b(?:fixed|corrected|repaired|resolved|avoided)\b")
# Claims about the best plan, which are no retractions.
_COMPARES = _any(
    r"\b(?:better|faster|shorter|quicker|sooner|earlier|improve\w*|shorten|less|fewer|under|below|other|cheaper|slack"
    r"|idle|further|optimal|within|beat|speed|more|waste\w*|wait\w*|conflict\w*|lower)\b"
)
_NO_ANSWER = _Pattern(
    r"\W*(?:none|nothing|n/?a|unknown|unsolvable|unsatisfiable|impossible|not (?:possible|known|available|solvable)"
    rf"|no(?: \w+)? ?(?:{_PLAN})?|-+|\?+)\W*"
)
# A "wait" that is no command.
_INTERJECTION = _Pattern(
    r"\W*(?:(?:h+m+|oh|no|but|ah|ok(?:ay)?|so)\W+)?wait(?:\W+|\s+a (?:second|moment|minute|sec|bit)\W+)(?:let|i\b|i['’]"
    r"|(?:that|this|it|no|but|there|we|my|is|are|how|why)\b|actually|maybe|perhaps|what|did|does|should|shouldn"
    r"|the (?:plan|order|task))"
)

# --- words of introduction -------------------------------------------------------------------------

_NO_PLANS = _any(
    r"\b(?:example|sample|template|draft|sketch|placeholder|counter-?example)\b|\be\. ?g\.|\bfor instance\b",
    r"\b(?:illustrat|brainstorm|hypothetical)\w*",
    rf"\b(?:an?|any|every) (?:\w+ )?{_PLAN} (?:(?:might|could|would|may|can|should) )?looks? like\b",
    r"\b(?:rejected|discarded|abandoned|superseded|obsolete|outdated|withdrawn|retracted|scrapped|dismissed|unused)\b",
    r"\b(?:first|initial|early|earlier|previous|old|older|original|rough|tentative|preliminary|naive|unchecked"
    rf"|incomplete|quoted|given) (?:(?!i\b|we\b)\w+ )?(?:{_PLAN}|thought|guess|cut|pass|take)\b",
    rf"\b{_BAD} (?:[\w-]+ ){{0,2}}{_PLAN}\b|\({_BAD}\)|\({_BAD},|, {_BAD}\)",
    rf"\b{_PLAN} (?:that|which|to) (?:\w+ )?(?:avoid|fails?|breaks?|violates?|(?:does|will|would|is|do){_NOT}|cannot"
    rf"|can['’]t|(?:is|would be) {_BAD})\b",
    r"\b(?:not (?:to|my|the|an?|yet)|how not|what not|never) (?:\w+ )?"
    r"(?:do|be|use|follow|answer|plan|final|solution)\b",
    rf"\bis not {_GOOD}\b|\b(?:this|that|it|these|following) (?:would|will|does|do){_NOT} (?:work|be)\b",
    rf"\b(?:this|following|these|below|here|that|it) (?:\w+ )?(?:is|are|would be|will be) (?:\w+ ){{0,2}}{_BAD}\b",
    r"\b(?:do not|don['’]t|never) (?:do|use|follow|submit|try|copy|grade)\b",
    r"\b(?:mistakes?|errors?|plans?|orders?|what) to avoid\b",
    rf"^\W*(?:{_BAD}|don['’]t|avoid|not (?:valid|allowed|this)|never)\W*$",
)
# Mentioned or denied examples.
_NO_EXAMPLE = _any(
    r"\b(?:no longer|not (?:just|only|merely)|more than|no) (?:an? )?(?:example|draft|sketch|template)\b",
    r"\b(?:from|like|of|in|as in|following) (?:the|your|this) (?:\w+ )?(?:example|sample|template)\b",
)
_UNLIKE = _Pattern(r"\b(?:nothing|no|avoids?|but|thought|was|if|unlike|never)\W+(?:\w+\W+){0,3}$")
_FINALS = _any(
    rf"\b(?:final|definitive|ultimate) (?:[\w-]+ ){{0,2}}(?:{_PLAN}|actions|commands|decision|choice|verdict)\b",
    r"^\W*final(?:ly)?\W*$|^\W*answer\W*$|\bi (?:\w+ )?(?:submit|hand in|commit to)\b",
    r"\b(?:my|the|actual|real|our) (?:actual |real |own )?answer\b(?! (?:sheet|key))",
    r"\b(?:grade|evaluate|score|execute|submit|use|take) (?:only )?(?:this|the following|these|what follows)\b",
)
_STRONG = _any("final|definit|ultimate|answer|boxed|submit|solution>")
_CHOICES = _any(
    rf"\b{_BETTER} (?:[\w-]+ ){{0,2}}(?:{_PLAN}|one)\b",
    rf"^\W*(?:[\w-]+ ){{0,2}}(?:{_BETTER}|correction|revision|update|improvement|redo|retry)\W*$|\binstead\b(?! of)",
    r"\b(?:i|we|i['’]ll|i['’]d|i will|i would|let me|let us|let['’]s|so i|you should) (?:\w+ )?(?:choose|chose|prefer"
    r"|opt for|decided?|settled?|recommend(?:ed)?|select(?:ed)?|go with|went with|go for|pick(?:ed)?|stick with"
    r"|take the|use the|commit)\b(?! up)",
    r"\bmy (?:choice|pick|decision|preference|plan|recommendation)\b|\bthe one to (?:use|follow|take)\b",
    r"\b(?:once more|once again from|on reflection|on second thoughts?|this time|after all|actually)\b",
    r"\b(?:redone|rewritten|revised|corrected|re-?ordered|correctly|properly|replaces?|replaced by|replacing)\b",
    r"\b(?:with the (?:fix|correction|mistake|error)|fixing (?:that|this|it|the)|correcting|here is the fix)\b",
    r"\b(?:is better|are better|works better|is the better|is best|is preferable|is superior|wins)\b",
    r"\b(?:second|third|next|new|another) (?:attempt|try)\b|\b(?:attempt|try) (?:[2-9]|two|three)\b",
    r"\btoo (?:long|slow|early|late)\b",
)
_OTHERS = _any(
    r"^\W*(?:or|either)\b|\balternativ\w+|^\W*another\W*$|\b(?:here is|this is|there is) another\b",
    r"\b(?:another|a different|a second|the other|one more|an equivalent|an equally \w+) (?:[\w-]+ )?"
    rf"(?:{_PLAN}|way|possibility|one|candidate|choice)\b|\bone (?:{_PLAN}|way|possibility)\b",
    r"\b(?:you|we|one|it|i) (?:could|can|may|might) (?:also|equally|as well|either|instead)\b|\balso possible\b",
    r"\bequally (?:good|valid|possible)\b|\b(?:some|two|several|three|a few) (?:[\w-]+ )?(?:plans|options|possibilities"
    r"|candidates|alternatives|solutions|schedules|ways|variants|versions)\b",
)
_LABEL = _Pattern(
    r"\b(?:plan|option|version|variant|alternative|candidate|approach|solution|schedule|possibility|proposal|choice"
    r"|strategy|answer|attempt|idea)[ #-]{1,2}(?:no\.? ?|number )?([a-h]|[1-9]|one|two|three|i{2,3})\b"
    r"(?! (?:is to|of|for|minute|step))"
)
_ORDINAL = _Pattern(
    r"\bthe (first|former|second|latter|third)(?: (?:one|of|plan|option|version|schedule|alternative|solution))?\b"
)
_RANKS = {
    **dict.fromkeys(("a", "one", "first", "former"), "1"),
    **dict.fromkeys(("b", "two", "second", "latter", "ii"), "2"),
    **dict.fromkeys(("c", "three", "third", "iii"), "3"),
}
_SUMMARIES = _any(
    r"\b(?:summar|recap|verif|check|reason)\w*|\b(?:in short|in brief|briefly|overview|highlights?|to sum up|why)\b",
    r"\bkey (?:steps?|points?|moments?|actions?|times?)\b|\b(?:in a nutshell|tl;?dr|critical path|condensed)\b",
    r"\b(?:explanation|rationale|remarks?|notes?|commentary)\b",
)
_NOUN = _any(rf"\b{_PLAN}\b")
_AHEAD = _any(r"\b(?:following|follows|below|here|next|this)\b")
_INTRODUCES = _any(r"(?:this|the following|these|below)\b.*:$")

_PIECES = re.compile(r"(?<=[.!?;])[\"')\]*_`]*\s+|(?<=:)[\"')\]*_`]*\s+|\s+[\u2013\u2014]\s*|\s--?\s+")
_MARKUP = re.compile(r"[*_#`>]+")


def pieces_of(text: str) -> list[str]:
    """Return the sentences of a line, also split at colons and dashes.

    >>> pieces_of("Wait, that is wrong. Better: wash cup - now!")
    ['Wait, that is wrong.', 'Better:', 'wash cup', 'now!']
    """
    return [piece for piece in _PIECES.split(text) if piece and not piece.isspace()]


def cues_of(text: str) -> Cue:
    """Return the cues of a sentence.

    >>> cues_of("Scratch that!"), cues_of("Nothing is wrong with that."), cues_of("For example:")
    (<Cue.RETRACTED: 1>, <Cue: 0>, <Cue.NO_PLAN: 4>)
    """
    return _cues_of(text[:_LONGEST])


@lru_cache(maxsize=4096)  # lines of plans are repeated
def _cues_of(text: str) -> Cue:
    text = _plain(text)
    cues = Cue.RETRACTED if _retracts(text) else Cue(0)
    no_plan = _NO_PLANS.search(text)
    if no_plan and not _NO_EXAMPLE.search(text) and not _UNLIKE.search(text[: no_plan.start()]):
        cues |= Cue.NO_PLAN
    elif _FINALS.search(text):
        cues |= Cue.FINAL
    if _CHOICES.search(text):
        cues |= Cue.CHOSEN
    if _OTHERS.search(text) or _LABEL.search(text):
        cues |= Cue.OTHER
    return cues | Cue.SUMMARY if _SUMMARIES.search(text) else cues


def begins_with_cue(text: str) -> bool:
    """Return whether a sentence begins with a cue of retraction, of an example or of an alternative.

    >>> begins_with_cue("Wait, that is wrong"), begins_with_cue("or wash cup"), begins_with_cue("wash cup instead")
    (True, True, False)
    """
    rest = _without_opener(_plain(text[:_LONGEST]))
    return any(one.match(rest) for one in (_CLAIM, _BACK, _GIVES_UP, _ALONE, _OTHERS, _NO_PLANS, _FINALS))


def introduces(text: str) -> bool:
    """Return whether a sentence refers to the text after it: a heading, a colon at its end, or a word.

    >>> introduces("Example:"), introduces("The following is no plan."), introduces("Examples helped me a lot.")
    (True, True, False)
    """
    text = text.rstrip("*_ ")
    return text[-1:] not in ".!?" or len(text.split()) < 4 or _AHEAD.search(text) is not None


def names_a_plan(text: str) -> bool:
    """Return whether a sentence mentions a plan.

    >>> names_a_plan("Now the schedule:"), names_a_plan("Next:")
    (True, False)
    """
    return _NOUN.search(text) is not None


def is_nothing(text: str) -> bool:
    """Return whether an announced answer is empty.

    >>> is_nothing("None."), is_nothing("no valid plan"), is_nothing("no. 1: wash cup")
    (True, True, False)
    """
    return _NO_ANSWER.fullmatch(text) is not None


def is_interjection(text: str) -> bool:
    """Return whether a sentence begins with ``wait`` as an interjection.

    >>> is_interjection("Wait, let me think."), is_interjection("Wait, then wash cup")
    (True, False)
    """
    return _INTERJECTION.match(text) is not None


def final_level(text: str) -> int:
    """Return the level of an announcement: 2 for a final answer, 1 for a plan, 0 for none.

    >>> final_level("Final answer"), final_level("Plan"), final_level("")
    (2, 1, 0)
    """
    return 2 if _STRONG.search(text) else int(text != "")


def label_of(text: str) -> str:
    """Return the number of the alternative in a sentence, empty without one.

    >>> label_of("Plan B is shorter."), label_of("I take the first one"), label_of("Plan:")
    ('2', '1', '')
    """
    match = _LABEL.search(text) or _ORDINAL.search(text)
    return _RANKS.get(match[1].lower(), match[1].lower()) if match else ""


def _plain(text: str) -> str:
    """Return a text without markup and repeated blanks."""
    return " ".join(_MARKUP.sub(" ", text).split())


def _without_opener(text: str) -> str:
    """Return a sentence without interjections at its beginning."""
    opener = _OPENERS.match(text)
    return text[opener.end() :] if opener else text


def _retracts(text: str) -> bool:
    """Return whether a sentence retracts the plan before it, or denies that there is one."""
    if text.endswith("?"):
        return False
    rest = _without_opener(text)
    if _ALONE.fullmatch(rest):
        return not rest.endswith(":") or rest.lower().startswith("correction")
    if (claim := _CLAIM.search(rest)) and _applies(rest, claim, rest != text):
        return True
    if (back := _BACK.search(text)) and not _denied(text, back.start()) and not _MENDED.search(text):
        return True
    return _GIVES_UP.search(text) is not None and not _COMPARES.search(text)


def _applies(text: str, claim: re.Match[str], has_opener: bool) -> bool:
    """Return whether a claim that a plan is wrong refers to the plan before it."""
    start, words = claim.start(), claim[0]
    if "possible" in words and _COMPARES.search(text):
        return False
    if start == 0:
        return has_opener or not _INTRODUCES.match(text) or bool(_CHOICES.search(text) or _OTHERS.search(text))
    if text.endswith(":") or text[start - 1].isalnum() or _WOULD.search(words):
        return False
    return not (_denied(text, start) or (_PAST.search(words) and _BEFORE.search(text[:start])))


def _denied(text: str, end: int) -> bool:
    """Return whether words before a place negate it, in its clause or as a condition of its sentence."""
    before = text[:end]
    return _CONDITION.search(before) is not None or _DENIAL.search(re.split(r"[,;:]", before)[-1]) is not None
