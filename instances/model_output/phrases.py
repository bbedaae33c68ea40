"""Regular expressions of English phrases about plans."""

from __future__ import annotations

_PLAN = (
    "(?:plan|schedule|answer|solution|order|sequence|list|steps|attempt|version|approach|proposal|transcript|ordering"
    "|timetable|timeline|draft|try|idea|option|variant|strategy|submission|response|output|code|json)s?"
)
_BAD = (
    "(?:wrong|incorrect|invalid|infeasible|unfeasible|unworkable|mistaken|flawed|broken|faulty|erroneous|illegal"
    "|nonsense|nonsensical|rubbish|garbage|worthless|useless|bogus|void|unsound|inconsistent|contradictory|unusable|bad"
    "|impossible|forbidden|inadmissible|unacceptable|retracted|revoked|withdrawn|cancelled|obsolete)"
)
_EXAMPLE = "(?:examples?|samples?|templates?|demonstrations?)"
_ANSWER = "(?:answer|plan|solution|schedule|output|response|result)s?"
_OFFER = "(?:option|possibility|way|alternative|candidate|choice|variant)"
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
#: Alternative phrases by name, to be compiled without regard to case.
PHRASES = {
    # Interjections before a retraction.
    "openers": (
        r"(?:\W|\b(?:wait|h+m+|umm*|uh|oh|ah|ugh|argh|oops|whoops|sorry|apologies|actually|but|hold on|hang on"
        r"|well|nope"
        r"|okay|ok|stop|damn|so|and|then|now|however|unfortunately|alas|yet|honestly|in fact|to be honest"
        r"|i (?:now )?(?:think|see|reali[sz]e|notice|believe|find|fear)(?: that)?|on closer inspection"
        r"|on (?:second thoughts?|reflection)|looking (?:at it )?again"
        r"|no(?=\W*\s+(?:that|this|it|the|i|my|wait|sorry)\b)|no(?=[,.!:;]))\b)*",
    ),
    # Claims that the previous plan is wrong.
    "claim": (
        rf"{_SUBJECT}(?:{_FAULT})",
        rf"(?:(?:do not|don['’]t) (?:think|believe)|doubt)(?: that)? {_SUBJECT} .{{0,30}}\b(?:works?|{_GOOD})\b",
        rf"none of (?:this|that|it|these|those|the above|my plan) (?:works|is {_GOOD}|are|holds|will|can)\b",
    ),
    # Sentences that consist of a claim.
    "alone": (
        rf"(?:{_BAD}|not (?:my|the|an?) (?:\w+ )?(?:answer|plan|solution)|not {_GOOD}|no good|error|mistake"
        rf"|correction)\W*",
    ),
    # Words of retraction.
    "back": (
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
        r"\bi (?:was|am|['’]m) (?:wrong|mistaken)\b|\bmy (?:mistake|bad|error)\b|\bo+ps\b|\bwhoops\b"
        r"|\bcorrection\b(?= *:)",
        r"\bi (?:mixed|messed|screwed)\b|\bi got (?:it|that|this) wrong\b|\b(?:does|do)(?: not|n['’]t) count\b",
        r"\b(?:do not|don['’]t|never) (?:use|follow|grade|count|execute|submit|take|carry|rely|trust|consider|accept"
        r"|evaluate|score|read) (?:out |on )?(?:that|this|it|the (?:above|plan|answer|list|previous)|any|my|what)\b",
        rf"\bthere(?: is|['’]s| are) (?:still )?{_FLAW}\b",
    ),
    "gives_up": (
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
    ),
    # Words that negate a following claim: in its clause, anywhere before it, and before a claim in the past tense.
    "denial": (
        r"\b(?:no|not|never|nothing|none|nobody|neither|nor|without|avoid\w*|prevent\w*|free|rather|hardly|when"
        r"|ensur\w+"
        r"|sure|check\w*|than|any|anything)\b|n['’]t\b",
    ),
    "condition": (r"\b(?:if|unless|whether|otherwise|lest|because|since|in case|suppose|had)\b",),
    "before": (r"\b(?:first|initial\w*|earlier|previous\w*|thought|original\w*|before|tried)\b",),
    "past": (r"\b(?:was|were|did)\b",),
    "would": (r"\b(?:would|could|might|may)\b",),
    "mended": (r"\b(?:fixed|corrected|repaired|resolved|avoided)\b",),
    # Claims about the best plan, which are no retractions.
    "compares": (
        r"\b(?:better|faster|shorter|quicker|sooner|earlier|improve\w*|shorten|less|fewer|under|below|other"
        r"|cheaper|slack"
        r"|idle|further|optimal|within|beat|speed|more|waste\w*|wait\w*|conflict\w*|lower)\b",
    ),
    "no_answer": (
        r"\W*(?:none|nothing|n/?a|unknown|unsolvable|unsatisfiable|impossible|not (?:possible|known|available|solvable)"
        rf"|no(?: \w+)? ?(?:{_PLAN})?|-+|\?+)\W*",
    ),
    # A "wait" that is no command.
    "interjection": (
        r"\W*(?:(?:h+m+|oh|no|but|ah|ok(?:ay)?|so)\W+)?wait(?:\W+|\s+a (?:second|moment|minute|sec"
        r"|bit)\W+)(?:let|i\b|i['’]"
        r"|(?:that|this|it|no|but|there|we|my|is|are|how|why)\b|actually|maybe|perhaps|what|did|does|should|shouldn"
        r"|the (?:plan|order|task))",
    ),
    "no_plans": (
        r"\b(?:example|sample|template|draft|sketch|placeholder|counter-?example)\b|\be\. ?g\.|\bfor instance\b",
        r"\b(?:illustrat|brainstorm|hypothetical)\w*",
        rf"\b(?:an?|any|every) (?:\w+ )?{_PLAN} (?:(?:might|could|would|may|can|should) )?looks? like\b",
        r"\b(?:rejected|discarded|abandoned|superseded|obsolete|outdated|withdrawn|retracted|scrapped|dismissed"
        r"|unused)\b",
        rf"\b(?:first(?! {_OFFER}\b)|initial|early|earlier|previous|old|older|original|rough|tentative|preliminary"
        rf"|naive|unchecked|incomplete|quoted|given) (?:(?!i\b|we\b)\w+ )?(?:{_PLAN}|thought|guess|cut|pass|take)\b",
        rf"\b{_BAD} (?:[\w-]+ ){{0,2}}{_PLAN}\b|\({_BAD}\)|\({_BAD},|, {_BAD}\)",
        rf"\b{_PLAN} (?:that|which|to) (?:\w+ )?(?:avoid|fails?|breaks?|violates?|(?:does|will|would|is"
        rf"|do){_NOT}|cannot"
        rf"|can['’]t|(?:is|would be) {_BAD})\b",
        r"\b(?:not (?:to|my|the|an?|yet)|how not|what not|never) (?:\w+ )?"
        r"(?:do|be|use|follow|answer|plan|final|solution)\b",
        rf"\bis not {_GOOD}\b|\b(?:this|that|it|these|following) (?:would|will|does|do){_NOT} (?:work|be)\b",
        rf"\b(?:this|following|these|below|here|that|it) (?:\w+ )?(?:is|are|would be|will be) (?:\w+ ){{0,2}}{_BAD}\b",
        r"\b(?:do not|don['’]t|never) (?:do|use|follow|submit|try|copy|grade)\b",
        r"\b(?:mistakes?|errors?|plans?|orders?|what) to avoid\b",
        r"\b(?:previous|earlier|similar) (?:task|problem|question|exercise)(?:['’]s)? (?:\w+ ){0,3}"
        rf"{_ANSWER}\b",
        rf"\b{_ANSWER} (?:that |which )?you (?:gave|give|showed|show|provided|wrote|listed|quoted|mentioned)\b",
        rf"\bin (?:the|your) (?:prompt|question|message|request|instructions?|text)\b.*\b{_ANSWER} (?:was|were)\b",
        rf"^\W*(?:{_BAD}|don['’]t|avoid|not (?:valid|allowed|this)|never)\W*$",
    ),
    # Mentioned or denied examples, and the first of several plans.
    "no_example": (
        r"\bthe first (?:plan|solution|schedule|approach|strategy) (?:is|would be|could be)\b",
        r"\b(?:no longer|not (?:just|only|merely)|more than|no) (?:an? )?(?:example|draft|sketch|template)\b",
        r"\b(?:from|like|of|in|on|as|as in|following) (?:the|your|this) (?:\w+ )?(?:example|sample|template)\b",
    ),
    # Examples that a sentence reports from the task, so that "in the example" introduces no own plan.
    "reported_example": (
        rf"\bin (?:the|your|this|that) (?:\w+ ){{0,2}}{_EXAMPLE}\b(?!.*\bmy\b).*\b{_ANSWER}"
        r"(?: \w+){0,2} (?:was|were|is|are|reads?|had|look(?:s|ed))\b",
        rf"\b{_ANSWER} (?:(?!as\b|like\b|just\b)\w+ ){{0,2}}(?:of|to|in|from|for) (?:the|your|this|that) (?:\w+ )?"
        rf"{_EXAMPLE}\b(?! (?:format|style|form|layout|notation|syntax))(?!.*\bmy\b)",
        rf"\b{_EXAMPLE}\W+(?:which|that) (?:had|has|gave|gives|shows?|showed|reads?)\b",
        rf"^\W*from (?:the|your|this|that) (?:\w+ )?{_EXAMPLE}\W*$",
    ),
    "unlike": (r"\b(?:nothing|no|avoids?|but|thought|was|if|unlike|never)\W+(?:\w+\W+){0,3}$",),
    "finals": (
        rf"\b(?:final|definitive|ultimate) (?:[\w-]+ ){{0,2}}(?:{_PLAN}|actions|commands|decision|choice|verdict)\b",
        r"^\W*final(?:ly)?\W*$|^\W*answer\W*$|\bi (?:\w+ )?(?:submit|hand in|commit to)\b",
        r"\b(?:my|the|actual|real|our) (?:actual |real |own )?answer\b(?! (?:sheet|key))",
        r"\b(?:grade|evaluate|score|execute|submit|use|take) (?:only )?(?:this|the following|these|what follows)\b",
    ),
    "strong": ("final|definit|ultimate|answer|boxed|submit|solution>",),
    "choices": (
        rf"\b{_BETTER} (?:[\w-]+ ){{0,2}}(?:{_PLAN}|one)\b",
        rf"^\W*(?:[\w-]+ ){{0,2}}(?:{_BETTER}|correction|revision|update|improvement|redo|retry)\W*$"
        rf"|\binstead\b(?! of)",
        r"\b(?:i|we|i['’]ll|i['’]d|i will|i would|let me|let us|let['’]s|so i|you should) (?:\w+ )?(?:choose"
        r"|chose|prefer"
        r"|opt for|decided?|settled?|recommend(?:ed)?|select(?:ed)?|go with|went with|go for|pick(?:ed)?|stick with"
        r"|take the|use the|commit)\b(?! up)",
        r"\bmy (?:choice|pick|decision|preference|plan|recommendation)\b|\bthe one to (?:use|follow|take)\b",
        r"\b(?:once more|once again from|on reflection|on second thoughts?|this time|after all|actually)\b",
        r"\b(?:redone|rewritten|revised|corrected|re-?ordered|correctly|properly|replaces?|replaced by|replacing)\b",
        r"\b(?:with the (?:fix|correction|mistake|error)|fixing (?:that|this|it|the)|correcting|here is the fix)\b",
        r"\b(?:is better|are better|works better|is the better|is best|is preferable|is superior|wins)\b",
        r"\b(?:second|third|next|new|another) (?:attempt|try)\b|\b(?:attempt|try) (?:[2-9]|two|three)\b",
        r"\btoo (?:long|slow|early|late)\b",
    ),
    "others": (
        r"^\W*(?:or|either)\b|\balternativ\w+|\b(?:here is|this is|there is) another\b",
        r"^\W*(?:and |or |still |yet )?(?:another|the (?:other|second|third))(?: one)?"
        r"(?: is| would be| could be| might be)?\W*$",
        rf"\b(?:first|second|third|[12]nd|1st|3rd) (?:possible )?{_OFFER}\b",
        r"\b(?:second|third|2nd|3rd) (?:possible )?(?:plan|solution|schedule|approach|strategy|version|proposal)\b",
        r"\bon the other hand\W*$",
        r"\b(?:would|could|might|may|will|should|can) (?:also|equally) (?:work|suffice"
        r"|be (?:valid|possible|fine|used))\b.*:$",
        r"\b(?:works|suffices|is (?:enough|possible|valid|fine)) (?:as well|too|also)\b.*:$",
        r"\b(?:another|a different|a second|the other|one more|an equivalent|an equally \w+) (?:[\w-]+ )?"
        rf"(?:{_PLAN}|way|possibility|one|candidate|choice)\b|\bone (?:{_PLAN}|way|possibility)\b",
        r"\b(?:you|we|one|it|i) (?:could|can|may|might) (?:also|equally|as well|either|instead)\b|\balso possible\b",
        r"\bequally (?:good|valid|possible)\b|\b(?:some|two|several|three|a few) (?:[\w-]+ )?(?:plans|options"
        r"|possibilities"
        r"|candidates|alternatives|solutions|schedules|ways|variants|versions)\b",
    ),
    # Announcements of several plans.
    "several": (
        rf"\b(?:two|three|2|3) (?:[\w-]+ )?(?:{_OFFER}s|possibilities|plans|schedules|solutions|answers|approaches"
        r"|strategies|versions|proposals)\b",
    ),
    "label": (
        r"\b(?:plan|option|version|variant|alternative|candidate|approach|solution|schedule|possibility|proposal|choice"
        r"|strategy|answer|attempt|idea)[ #-]{1,2}(?:no\.? ?|number )?([a-h]|[1-9]|one|two|three|i{2,3})\b"
        r"(?! (?:is to|of|for|minute|step))",
        r"\b(?:way|method)[ #]{1,2}([b-h]|[1-9]|one|two|three)\b",
        r"^\W*([a-c])\W*$",
    ),
    "ordinal": (
        r"\bthe (first|former|second|latter|third)(?: (?:one|of|plan|option|version|schedule|alternative|solution))?\b",
    ),
    "summaries": (
        r"\b(?:summar|recap|verif|check|reason)\w*|\b(?:in short|in brief|briefly|overview|highlights?"
        r"|to sum up|why)\b",
        r"\bkey (?:steps?|points?|moments?|actions?|times?)\b|\b(?:in a nutshell|tl;?dr|critical path|condensed)\b",
        r"\b(?:explanation|rationale|remarks?|notes?|commentary)\b",
    ),
    "noun": (rf"\b{_PLAN}\b",),
    "ahead": (r"\b(?:following|follows|below|here|next|this)\b",),
    "introduces": (r"(?:this|the following|these|below)\b.*:$",),
}
