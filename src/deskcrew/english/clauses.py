"""A task cut into its own clauses, for planners that are better at choosing agents than at wording steps.

A small model that writes its own subtasks cuts too fine and loses the task's words. Given the task's clauses as they
stand, it only has to say whose each one is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from deskcrew.english.wishes import ordered, plain

VERBS = (
    "add|answer|append|attach|calculate|call|change|choose|click|close|compute|convert|copy|count|create|delete|download|"
    "draw|enter|execute|export|extract|fill|find|format|go|insert|look|make|mark|move|name|open|paste|print|put|read|remove|rename|"
    "replace|report|run|save|search|select|send|set|show|sort|start|store|tell|tick|translate|turn|type|unpack|unzip|update|use|work|write"
)
_SENTENCE_END = r"(?<=[.!?])\s+(?=[A-Z\"“])"
_ENDS = re.compile(
    rf"{_SENTENCE_END}"
    r"|;\s+"
    rf"|,\s+(?:i\.\s?e\.|that\s+is(?:\s+to\s+say)?|namely),?\s+(?=(?:{VERBS})\b)"
    r"|\b(?:[Aa]fter (?:that|this)|[Aa]fterwards|[Nn]ext|[Ff]inally|[Ff]irst(?:ly)?|[Ll]astly),\s+"
    r"|[,.]?\s+(?:and\s+)?[Tt]hen,?\s+"
    rf"|,\s+(?:and\s+)?(?=(?:{VERBS}|let\s+(?:me|us)\s+know)\b)"
    rf"|\s+and\s+(?=(?:{VERBS}|let\s+(?:me|us)\s+know)\b)"
    r"|,?\s+and\s+(?=(?:note|jot)\s+(?:down\b|the\b|its\b|it\b|how\b|what\b|that\s+(?:number|figure|name|result)\b))"
)
_INTO = re.compile(
    r",?\s+(?:in|into|to|as)\s+(?:a|an|the)\s+(?:new\s+)?(?:plain\s+|little\s+|small\s+)?(?:text\s+)?(?:file|note|document)\s*,?\s+"
    r"(?:(?:that\s+is\s+|which\s+is\s+|to\s+be\s+)?(?:called|named)\s+)?(?P<file>[\w-][\w.-]*\.[A-Za-z]\w{0,4})"
    r"(?:,?\s+(?:(?:which|that)\s+you\s+(?:can\s+|should\s+)?)?(?:typed?|written|write|made?|make|created?|done|do)\s*(?:up\s+|down\s+)?"
    r"(?P<how>(?:in|with|using)\s+[^,;:.]+))?\.?$",
    re.I,
)
"""How a clause ends that has something put into a file, and says with what."""
_REMARK = re.compile(rf"^(?!(?:please\s+|kindly\s+)?(?:{VERBS})\b)[^:]*\S:\s+(?=(?:please\s+)?(?:{VERBS})\s)", re.I)
"""How a clause begins that says how things are, and after a colon what is to be done about it."""
_NAMED = re.compile(
    r"^(?:(?:please|then|also)\s+)*(?:call|name)\s+(?:it|this|that|the\s+(?:new\s+)?(?:file|note|document|list|text))\s+",
    re.I,
)
"""How a clause begins that gives what was written its name."""
_ASIDE = re.compile(
    r",\s+(?:because\b|since\b|as\s+(?:it|they|we|i)\b|(?:it|that|they|there|we|i)(?:['’]s|['’]re|\s+is|\s+are|\s+was|\s+were|\s+has)"
    r"(?:n['’]t|\s+not)?\b)[^,:]*?(?=\.?$)",
    re.I,
)
"""Why something is to be done, said after it."""
_DONE = r"(?:you(?:['’]re|\s+are|\s+have)|it(?:['’]s|\s+is)|that(?:['’]s|\s+is)|everything(?:['’]s|\s+is)|all\s+is)"
_FILLER = re.compile(
    rf"(?:,?\s+(?:too|as\s+well|of\s+course|naturally|please|thanks|thank\s+you|(?:when|once|after|as\s+soon\s+as)\s+{_DONE}\s+"
    r"(?:all\s+)?(?:done|finished|ready|through|there|in(?:\s+there)?)))+(?=[.!]?$)|\s*,\s+of\s+course(?=,)",
    re.I,
)
"""What adds nothing at the end of a clause."""
ORDER = re.compile(rf"(?:{VERBS})\b", re.I)
"""What a clause begins with that says to do something."""
_OPENS = re.compile(
    r"(?:please\s+)?(?:(?:in|with|using)\s+(?:the\s+)?(?:[A-Z][\w-]*\s+){0,2}[\w-]+,?\s+)??(?:open|start|launch)\b", re.I
)
_WANTS = re.compile(
    rf"\b(?:{VERBS}|must|should|ought|needs?|wants?|please|let|would like|'d like|has to|have to|is to|are to)\b", re.I
)
_BEGINS = re.compile(
    r"(?:please\s+|kindly\s+|now\s+|also\s+)*(?:sum|list|collect|gather|merge|combine|split|round|group|filter|pick|determine|"
    r"check|see|multiply|divide|compare|load|back up|duplicate|trash|clean|tidy|organi[sz]e|throw|drop|rank|get|give|bring|"
    r"take|run|execute|scan|go|reply|respond|jot|shorten|reverse|capitali[sz]e|erase|clear|zip|compress|pack|"
    r"press|hit|push|tap|drag|hover|scroll|focus|navigate|expand|confirm)\s+\S|submit\b",
    re.I,
)
"""A clause that begins with a verb which is an order there alone."""
_COMMAND = re.compile(
    r"\b(?:run|execute|type|enter|try|use|with)\b[^:.?!`\"“]*\b(?:command|there|terminal|shell|console|this|following)\b[^:.?!`\"“]*"
    r":\s+(?P<command>[a-z][^\n`\"“]*?)(?=[.?!]?$|[.?!]\s+[A-Z]|[,;]?\s+(?:and|then)\s+(?:please\s+)?(?:tell|give|let|say|write|report))",
    re.I | re.M,
)
"""A command line after a colon."""
_PLACE_ONLY = re.compile(r"^(?:please\s+)?(?:in|with|using|on|inside|via)\s+(?:[\w()'’-]+\s*){1,6}$", re.I)
"""Where or with what the next clause is done."""
_BARE = re.compile(r"(?:please\s+)?(?:find|locate|open|select|take|look)", re.I)
"""A verb whose object stands behind the next one."""
_TELLS_HOW_IT_IS = re.compile(
    r"(?!.*\b(?:must|should|ought|needs?|wants?|please|let|like|has\s+to|have\s+to|is\s+to|are\s+to|to\s+be|you)\b|.*\?\s*$|.*\w\.[a-z]\w{1,3}\b)"
    r"(?:my|our|his|her|their|the|this|that|these|those|there|it|he|she|we|they|i)\b(?:\s+\w+){0,3}?"
    r"(?:\s+(?:can(?:['’]t|not)|couldn['’]t|is|isn['’]t|are|aren['’]t|was|were|has|had|doesn['’]t|didn['’]t|lost|forgot|keeps?|said|went|came)|['’](?:m|s|re|ve))\s",
    re.I,
)
"""A sentence with a subject and what it is, has or cannot do, that speaks of no file: it says how things are."""
_SAVED = re.compile(
    r"^(?:(?:please\s+)?make\s+sure\s+(?:that\s+)?)?(?:it|they|the\s+(?:new\s+)?(?:note|file|text|document|list|letter))(?:['’]s|\s+is|\s+gets|\s+are|"
    r"\s+(?:should|must)\s+be|\s+(?:has|needs|is)\s+to\s+be)\s+(?:then\s+)?saved\b",
    re.I,
)
"""How a clause begins that has something saved, said of what is saved."""
_LISTED = re.compile(
    r"^(?:please\s+)?(?:put|write|type|copy|enter)\s+(?:down\s+)?(?P<what>(?:all\s+)?(?:of\s+)?(?:the|these|its|those)\s+[^,]*?\b(?:titles|headings|headlines)\b"
    r"[^,]*?)(?P<how>,?\s+(?:into\s+an?\b|in\s+an?\b|using\b|with\b).*)$",
    re.I,
)
"""A clause that has the titles of something found and written at once."""
_NO_NEED = re.compile(
    r"(?:i|we|they|he|she|you)\s+(?:do\s+not|don['’]t|doesn['’]t|does\s+not|no\s+longer|won['’]t)\s+needs?\s+(?!to\b|you\b)",
    re.I,
)
_NEEDS = re.compile(
    r"(?:(?:and|so|but|also|oh),?\s+)*(?:i|we|they|he|she|\w+)\s+(?:also\s+|still\s+|just\s+|will\s+|might\s+|really\s+)*(?:needs?|wants?)\s+"
    r"(?!to\b|you\b|the\b|its?\b|their\b|this\b|that\b|these\b|those\b|all\b|each\b|every\b|an?\s+(?:list|total|sum|count|copy|file|"
    r"note|folder|table|sentence|document|letter|new)\b|how\b|what\b|which\b|who\b)"
    rf"(?:(?!\b(?:{VERBS})\b|\b(?:in|into|as|on|from|of|number|total|sum)\b)[^.?!:])+[.!]?$",
    re.I,
)
"""That somebody lacks something: what is to be done about it is said elsewhere."""
_QUOTES = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|`[^`\n]*`|(?<![^\s(])'[^'\n]{2,200}'(?!\w)")
_TO_IT = re.compile(
    r"((?:please\s+)?(?:rename|move|copy|duplicate|back up|delete|remove|read|unpack|unzip|extract|decompress|convert)\s+)"
    r"(?:it|(?:the|this|that)\s+(?:file|document|archive|zip(?:\s+file)?))\b(?!\s*\.\w)",
    re.I,
)
_REPORTS = re.compile(
    r"(?:there(?:['’]s|\s+(?:is|are|was|were))|no\s+need\s+to|(?:you\s+)?(?:do\s+not|don['’]t)\s+(?:need|have)\s+to"
    r"|(?:in|inside|within)\s[^,]*?,?\s(?:you(?:['’]ll|\s+will|\s+can)?\s+find|there\s+(?:is|are))"
    r"|(?:somebody|someone|he|she|they|we|i|(?:my|our)\s+\w+(?:\s+\w+)?)(?:['’]ve|\s+have|\s+has|\s+had)?"
    r"(?:\s+(?:just|already|recently))?\s+(?:put|sent|made|got|left|gave|wrote|found|(?!need)[a-z]+ed))\b",
    re.I,
)
_IS = re.compile(
    r"(?:the|this|that|these|those|my|our)\s+(?:[\w-]+\s+){1,4}?(?:is|are|was|were|has|have|lists?|holds?|contains?)\s+(?!to\b)",
    re.I,
)
_OBLIGES = re.compile(r"\b(?:please|must|should|ought|needs?|has to|have to|is to|are to|let|so)\b|:", re.I)
_AS_IT_IS = r"(?:as|where) (?:it|they) (?:is|are)|alone|untouched|unchanged"
_STAYS = re.compile(
    rf"(?:please\s+)?(?:(?:everything|anything|all|nothing|the (?:rest|others?))\b.*\b(?:stays?|remains?|{_AS_IT_IS})"
    rf"|(?:leave|keep)\b.*\b(?:{_AS_IT_IS}|there)(?:,?\s+please)?"
    r"|(?:do not|don['’]t) (?:touch|change|move|delete|copy) (?:any(?:thing| others?| other files?)?|the (?:rest|others?))"
    r"(?: else)?)\W*",
    re.I,
)
_HANDLES = re.compile(
    r"(?:please\s+)?(?:unpack|unzip|extract|decompress|move|copy|rename|convert|merge|combine|split|sort|make|create)\b",
    re.I,
)
_OWN_QUESTION = re.compile(
    r"\b(?:how\s+(?:many|much|long|old|often)|which|who|whose|when|where|what\s+(?!you\b|it\b))\b", re.I
)
WONDERS = (
    r"(?:i|we)(?:['’]d| would)? (?:like|want|need) (?:to know|the (?:total|sum|number|count|amount|average|mean)\b)|"
    r"i wonder|i (?:can(?:['’]t|not)|don['’]t|do not) (?:remember|recall|know)\b|i(?:['’]ve)? forg[eo]t(?:ten)?\b"
)
"""How somebody begins who wants to be told something."""
_TELLS = re.compile(
    rf"^(?:{WONDERS}|tell (?:me|us)|let (?:me|us) know|say what"
    r"|(?:tell|report) (?:what|which|whose|who|how|when|where|whether)|report (?:the|its|this|that))\b",
    re.I,
)
_ASKS = re.compile(rf"\?\s*$|{_TELLS.pattern}|^(?:answer|what|which|who|how (?:many|much|long|old|often))\b", re.I)


_LOOKS = re.compile(
    r"(?:please\s+)?(?:(?:take|have) a (?:close )?look|look|go through|check|see|read|use|take)\b"
    r"[^?]*\.[A-Za-z][A-Za-z0-9]{0,4}\W*$",
    re.I,
)
"""A clause that only has a file looked at."""
# Not the abbreviations that are written like one.
FILE_NAME = re.compile(
    r"(?<![\w/.@-])(?!(?:[eE]\.g|[iI]\.e|[aApP]\.[mM]|U\.[SK])\b)(?:[\w-]+/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}\b"
)
QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|„([^“”\n]{1,200})[“”]|`([^`\n]{1,200})`|(?<!\w)'([^'\n]{2,200})'(?!\w)"
)


COMPUTED = re.compile(
    r"\b(?:the|this|that|its)\s+(?:result|total|sum|number|count|answer|mean|average|median|figure|value|difference|"
    r"maximum|minimum|largest|smallest|highest|lowest)\b|\b(?:its|his|her|their)\s+names?\b",
    re.I,
)
"""Words that speak of something that is worked out."""
WRITES = re.compile(
    r"\b(write|type|put|enter|add|append|insert|save|containing|contains?|with the (text|words?|line))\b", re.I
)
"""Words that have something written down."""


def sentences(task: str) -> list[str]:
    """The sentences of ``task``, the points of its lists, and the parts between semicolons, in order; quoted texts stay
    whole."""
    hidden, texts = hide(task)
    points = re.split(r"\n\s*(?:[-*•]|\d+[.)])\s+", hidden)
    parts = (part for point in points for part in re.split(rf"{_SENTENCE_END}|(?<=;)\s+", point))
    return [shown for part in parts if (shown := show(part, texts).strip())]


@lru_cache(maxsize=256)
def clauses(task: str) -> tuple[str, ...]:
    """The clauses of ``task`` in order, in its own words but for politeness; quoted texts stay whole."""
    hidden, texts = hide(" ".join(commands_marked(task).split()))
    said = " ".join(ordered(sentence, VERBS) for sentence in re.split(_SENTENCE_END, plain(hidden)))
    split = [piece for part in _ENDS.split(said) if part for piece in _pieces(part.strip(" ,;"))]
    parts = [shown for piece in split if (shown := show(piece, texts).strip(" ,;")).strip(".")]
    joined: list[str] = []
    for part in parts:
        if joined and _PLACE_ONLY.match(joined[-1]):
            joined[-1] = f"{joined[-1]}, {part}"
        elif joined and _BARE.fullmatch(joined[-1]):
            joined[-1] = f"{joined[-1]} and {part}"
        else:
            joined.append(named(part, joined))
    return tuple(joined)


def commands_marked(task: str) -> str:
    """``task`` with backticks around a command line that stands after a colon: it is one text, whatever words are in it."""

    def mark(match: re.Match[str]) -> str:
        before = match.group(0)[: match.start("command") - match.start()]
        return f"{before}`{match['command'].rstrip()}`"

    return _COMMAND.sub(mark, task)


def _pieces(part: str) -> tuple[str, ...]:
    """A clause without why it is wanted; what it tells before a colon by itself; a name for what was written as saving it
    under that name. Quoted texts must be hidden."""
    part = _FILLER.sub("", part)
    aside = _ASIDE.search(part)
    if aside and not re.search(rf"^(?:if|when|as)\b|\b(?:{VERBS})\b|\"", part[:4] + aside.group(0), re.I):
        part = part[: aside.start()] + part[aside.end() :]
    if found := _LISTED.match(part):
        return (f"List {found['what']}.", *_pieces(f"write them{found['how']}"))
    part = _SAVED.sub("save it", part)
    if (named := _NAMED.match(part)) and (file_names(part) or '"' in part):
        part = f"save it as {part[named.end() :]}"
    if (
        (tail := _INTO.search(part))
        and (tail["how"] or not ORDER.match(part))
        and len(file_names(part[tail.start() :])) == 1
    ):
        using = f"write it {tail['how']}".rstrip(". ") if tail["how"] else ""
        made = (f"{part[: tail.start()].rstrip('.')}.", using and f"{using}.", f"save it as {tail['file']}")
        return tuple(each for each in made if each)
    told = _REMARK.match(part)
    return (f"{part[: told.end()].rstrip(': ')}.", part[told.end() :]) if told else (part,)


def named(clause: str, before: Sequence[str]) -> str:
    """A clause that does something to "it" with the name of the file that was spoken of ``before``, where it was one and
    nothing was done to it yet."""
    match, names = _TO_IT.match(clause), file_names(" ".join(before))
    if any(_HANDLES.match(each) for each in before):
        return clause
    return f"{match[1]}{names[0]}{clause[match.end() :]}" if match and len(names) == 1 else clause


def hide(text: str) -> tuple[str, list[str]]:
    """``text`` with a number in place of each quoted text, and these texts with their marks."""
    texts: list[str] = []

    def number(match: re.Match[str]) -> str:
        texts.append(match.group(0))
        return f'"{len(texts) - 1}"'

    return _QUOTES.sub(number, text), texts


def show(text: str, texts: list[str]) -> str:
    """What :func:`hide` took out, put back."""
    return re.sub(r'"(\d+)"', lambda match: texts[int(match.group(1))], text)


def informs(clause: str) -> bool:
    """Whether a clause asks for nothing: it says how things are, in no word that orders, asks or wants."""
    quotes = _QUOTES.search(clause) is not None
    if not quotes and _TELLS_HOW_IT_IS.match(clause):
        return True
    if (_NO_NEED.match(clause) or _NEEDS.match(clause)) and not (quotes or file_names(clause)):
        return True
    if _REPORTS.match(clause) or (_IS.match(clause) and not _OBLIGES.search(clause)):
        return not _ASKS.search(clause)
    return not (_WANTS.search(clause) or _ASKS.search(clause) or _BEGINS.match(clause))


def stays(clause: str) -> bool:
    """Whether a clause only says what is to be left as it is."""
    return _STAYS.fullmatch(clause) is not None


def questions(parts: tuple[str, ...]) -> str:
    """What the user wants to be told, '' when nothing: the clauses that ask."""
    return " ".join(part for part in parts if _ASKS.search(part))


def steps(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses that somebody has to do something for: all but those that only ask to be told at the end, where there is
    more to do before than opening something."""
    doing: list[str] = []
    looking = False
    for part in parts:
        first = all(informs(each) for each in doing) and part is not parts[-1]
        if not _TELLS.match(part) or first or (doing and _HANDLES.match(doing[-1]) and _OWN_QUESTION.search(part)):
            doing.append(part)
            looking = _LOOKS.match(part) is not None
        elif looking:  # what for is the whole of it
            doing[-1] = f"{doing[-1].rstrip('.,')}, and {part}"
            looking = False
    return tuple(doing) if any(not (opens(part) or informs(part)) for part in doing) else parts


def opens(clause: str) -> bool:
    """Whether a clause begins with opening something."""
    return _OPENS.match(clause) is not None


def heading(number: int, clause: str) -> str:
    """What a reply calls a clause: its number and first words, so that a model sees what it is choosing for."""
    return f"{number} {' '.join(clause.split()[:3])}"


def file_names(task: str) -> tuple[str, ...]:
    """Names in the task that look like files, in order, each once."""
    return tuple(dict.fromkeys(match.group(0) for match in FILE_NAME.finditer(task)))


def unquoted(quote: re.Match[str]) -> str:
    """What stands between the marks of a match of :data:`QUOTED`."""
    return next(group for group in quote.groups() if group)


def quoted(task: str) -> tuple[str, ...]:
    """Texts in quotation marks, in order, without those that are file names."""
    names = set(file_names(task))
    return tuple(dict.fromkeys(text for text in map(unquoted, QUOTED.finditer(task)) if text not in names))
