"""A polite wish as the order that it is: "Could you open a.txt and add a line?" wants no answer; and what is only polite."""

from __future__ import annotations

import re

_SOFT = r"(?:,?\s*\b(?:please|kindly|perhaps|maybe|just|also|then|now|possibly)\b,?)*"
_WISH = "|".join(
    (
        r"(?:(?:would|could|will|can)\s+you\s+)?be\s+so\s+(?:kind|good)\s+(?:as\s+to|and)",
        r"(?:could|can|would|will|may|might)\s+(?:you|someone|somebody|i\s+ask\s+you\s+to)",
        r"i\s+(?:want|need)\s+you\s+to|i(?:['’]d|\s+would)\s+like\s+you\s+to",
        r"(?:i(?:['’]d|\s+would)\s+be|it\s+would\s+be|it['’]d\s+be)\s+\w+\s+if\s+you\s+(?:could|would)",
        r"(?:do\s+not|don['’]t|never)\s+forget\s+to|remember\s+to|make\s+sure\s+(?:that\s+)?(?:to|you)|be\s+sure\s+to",
        r"you\s+(?:can|may|should|must|need\s+to|have\s+to)",
    )
)
_LEAD = (
    r"(?:(?:hi|hello|hey)\b[^,.!?]{0,20}[,!]\s*)?"
    r"(?:(?:so|and|then|also|now|next|finally|afterwards)\b,?\s+)?(?:please\b,?\s+)?"
)
_POLITE = re.compile(rf"^{_LEAD}(?:{_WISH}){_SOFT}\s+(?!not\b|mind\b|be\b|have\b)", re.IGNORECASE)
_MIND = re.compile(rf"^{_LEAD}(?:would|do)\s+you\s+mind{_SOFT}\s+(?=\w+ing\b)", re.IGNORECASE)
_WITHIN = re.compile(
    r"(?<=\band )(?:please\s+)?(?:(?:do\s+not|don['’]t)\s+forget\s+to|make\s+sure\s+to|be\s+sure\s+to|could\s+you)\s+", re.I
)
_TELLING = re.compile(
    r"(?:add\s+up|answer|calculate|check|compare|compute|confirm|count|describe|explain|find|give\s+me|guess|help|know|let\s+me"
    r"|list|look|read|report|say|search|see|show|sum|summari[sz]e|tell|verify|work\s+out|translate)\b",
    re.IGNORECASE,
)
_DOING = (
    r"(?:adjust|combine|correct|crop|duplicate|edit|fix|group|highlight|install|merge|note|order|print|record|resize|rewrite|"
    r"rotate|shorten|split|swap|tidy|update)\b"
)
_LAST_PART = re.compile(r"(?:,|\band|\bthen)\s+(?:please\s+)?(?=[a-z]+\b)", re.IGNORECASE)
_GREETS = re.compile(
    r"^(?:(?:hi|hello|hey|dear|good\s+(?:morning|afternoon|evening|day))\b[^,.!?:;\"]{0,20}[,.!]\s*)+", re.IGNORECASE
)
_THANKS = re.compile(
    r"(?:^|(?<=[.!?;])|[,–-])\s*(?:(?:and|with)\s+)?(?:many\s+|much\s+)?"
    r"(?:thanks?|thank\s+you|thx|cheers|best\s+(?:regards|wishes)|kind\s+regards|much\s+appreciated)\b[^.!?;:\"]{0,40}[.!]*\s*$",
    re.IGNORECASE,
)
_HANDS_OVER = re.compile(
    r"(?<=[.!?])\s+(?:(?:could|can|would|will)\s+you\s+)?(?:please\s+|maybe\s+|perhaps\s+)?"
    r"(?:(?:look|find|check|figure|work|sort)\s+(?:this|that|it)(?:\s+(?:up|out|down))?|help(?:\s+me)?(?:\s+out)?"
    r"|(?:do|handle|see\s+to|take\s+care\s+of)\s+(?:this|that|it))(?:\s+with\s+(?:this|that|it))?"
    r"(?:,?\s+(?:for\s+(?:me|us)|please))*\s*[.!?](?=\s|$)",
    re.IGNORECASE,
)
"""A sentence that only asks to do what the one before says."""
_GOES = re.compile(
    r"^(?:please\s+)?(?P<what>(?:all|the|every|each|both|my|our|these|those|any)\b[^,;]*?)\s+"
    r"(?:should|must|needs?\s+to|ought\s+to|ha(?:s|ve)\s+to)\s+(?:all\s+|both\s+)?"
    r"(?:be\s+(?P<how>moved|put|placed|copied)|go)\s+(?:in)?to\s+(?P<where>[^,;]*\b(?:folder|directory)\b.*)$",
    re.IGNORECASE,
)
"""Files that "should go into the folder ...": what a person moves is said first."""
_HAVING = re.compile(
    r"^(?:please\s+)?(?:i(?:['’]d|\s+would)\s+like|(?:i|we)\s+(?:want|need))\s+(?:to\s+have\s+)?(?!to\b)"
    r"(?P<what>(?:a|an)\b(?:\s+[\w-]+){0,3}\s+(?:file|folder|directory|copy|table|document|spreadsheet|workbook)\b.*)$",
    re.IGNORECASE,
)
"""Something new that a person wants to have."""


_SO_CALLED = re.compile(
    r"(\brename\b[^,;]*?)\s+so\s+that\s+(?:it|the\s+file)\s+(?:is|gets)\s+(?:called|named)\s+", re.IGNORECASE
)


_SENT = re.compile(
    r"\b(?P<send>send|text|e?-?mail|write|message)\s+(?P<whom>me|us)\s+(?=(?:the\s+)?(?:exact\s+|total\s+|full\s+)?"
    r"(?:size|number|name|date|total|amount|price|sum|count|length|address|title|answer|result|value|time|age|cost|average)\b)",
    re.IGNORECASE,
)
"""A wish to be told something, by whatever way."""


def plain(task: str) -> str:
    """``task`` without greetings, thanks, and sentences that only hand over what was said; all of it, where nothing else is
    left. Quoted texts must be hidden."""
    task = _SENT.sub(lambda match: f"{'T' if match['send'][0].isupper() else 't'}ell {match['whom']} ", task)
    left = _HANDS_OVER.sub("", _THANKS.sub("", _GREETS.sub("", task.strip()))).strip()
    return re.sub(r"^[a-z]+(?=[\s,])", lambda word: word.group(0).capitalize(), left) if left else task


def ordered(sentence: str, verbs: str) -> str:
    """The sentence as an order, without the question mark unless its last part asks to be told something; as it is when it
    is no wish. Quoted texts must be hidden. ``verbs``: the verbs of orders, as alternatives of a pattern."""
    if match := _MIND.match(sentence):
        left = _infinitives(sentence[match.end() :], verbs)
    elif match := _POLITE.match(sentence):
        left = sentence[match.end() :]
    elif match := _GOES.match(sentence):
        verb = "Copy" if (match["how"] or "").casefold() == "copied" else "Move"
        return f"{verb} {match['what'][:1].lower()}{match['what'][1:]} into {match['where']}"
    elif match := _HAVING.match(sentence):
        return f"Make {match['what']}"
    else:
        return _WITHIN.sub("", sentence)
    left = _SO_CALLED.sub(r"\1 to ", _WITHIN.sub("", left))
    parts = [
        left[m.end() :]
        for m in _LAST_PART.finditer(left)
        if re.match(rf"(?:{verbs}|{_DOING}|{_TELLING.pattern})", left[m.end() :])
    ]
    if left.rstrip().endswith("?") and not _TELLING.match(parts[-1] if parts else left):
        left = f"{left.rstrip()[:-1].rstrip()}."
    return left[:1].upper() + left[1:]


def _infinitives(text: str, verbs: str) -> str:
    """ "opening a.txt and adding a line" as "open a.txt and add a line"."""
    forms = {form: verb for verb in verbs.split("|") for form in _gerunds(verb)}
    return re.sub(r"\b(?!using\b)\w+ing\b", lambda match: forms.get(match.group(0).casefold(), match.group(0)), text)


def _gerunds(verb: str) -> tuple[str, ...]:
    return (f"{verb}ing", f"{verb}{verb[-1]}ing", *((f"{verb[:-1]}ing",) if verb.endswith("e") else ()))
