"""The names that a question is about, and whether a source speaks of them.

What a question names (a person, a month, an order number, a text in quotation marks) must stand in what answers it, in one
form or another: else there is no answer. Only names are looked at, since other words of a question seldom stand in the data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from deskcrew.english.clauses import FILE_NAME, QUOTED, unquoted
from deskcrew.english.wording import normal, words_of
from deskcrew.environments.calendars import MONTHS

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = "|".join(MONTHS)
_WORD = r"[A-Z][\w]*(?:[-'’&][\w]+)*"
_NAMES = re.compile(rf"(?<![\w.$#/'’-]){_WORD}(?:\s+(?:(?:von|van|de|der|&)\s+(?={_WORD}))?{_WORD})*")
_IDS = re.compile(r"(?<![\w./#-])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w./-])")
_YEARS = re.compile(r"(?<![\w./-])(?:19|20)\d\d(?![\w./-])")
_YEAR_IN = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DATE = r"\d{4}-\d\d|\d[./]\d{1,2}[./]\d"
_NUMBERED = re.compile(r"\b(?:no\.|number|invoice|order|ticket|customer|id)\s+#?(\d{3,})(?![\w./-])", re.I)
_BEGINS = re.compile(r"(?:^|[.!?:;(\"“]\s*|\n\s*(?:[-*•]\s*)?)$")
_COMPARES = re.compile(
    r"\b(?:since|until|till|before|after|between|from|to|through|than|by|except|excluding|without|not|besides|but|unlike|like|"
    r"e\.g\.|in (?:the )?(?:form|style) of|called|named|as)\s+(?:the\s+|for\s+|in\s+|of\s+)?$",
    re.I,
)
"""Before a name that bounds what is asked for, or is left out of it, or is one to be given: it need not stand anywhere."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|x|k|m|pm|am|px|kg|km|cm|mm|gb|mb|kb|h|min|d|hours?)?", re.I)
_IGNORED = words_of(
    "i i'd i'm i've i'll please what which who whose whom where when why how is are was were do does did can could "
    "would will shall should tell find give look read open use using take add sum count calculate compute check the a "
    "an in on at of for and or if then there this that these those my our your it its they pdf csv tsv excel xlsx "
    "word docx powerpoint pptx json xml html markdown zip png jpeg jpg python libreoffice calc writer impress ods odt "
    "txt text yes no not ok total average mean median mr mrs ms dr prof eur usd gbp euro euros dollar dollars iso utc "
    "yyyy "
)
_LABELS = words_of(
    "invoice number no date total amount due customer order name surname price address phone email mail id code column "
    "sheet row table section chapter page figure question part item unit quantity team department month year day time net "
    "gross vat tax subject title value first last status category type list celsius fahrenheit"
)
"""Words that are written with a capital letter where they are labels, and stand in data in other words."""
_LANGUAGES = re.compile(
    r"english|german|french|spanish|italian|dutch|polish|portuguese|russian|chinese|japanese|arabic|swedish|norwegian|danish|"
    r"finnish|greek|turkish|korean|hindi|czech|hungarian|ukrainian|latin"
)
_OF_A_FILE = re.compile(
    r"\s*[(,:\"“'‘-]*\s*_{3}|\s+(?:files?|list|spreadsheet|document|report|table|workbook|database|letter|folder|memo|archive|"
    r"presentation|handbook|manual|data|log|export)\b",
)
"""What follows the words that a file is called by."""
_WHETHER = re.compile(
    r"^(?:please\s+)?(?:(?:check|find out|tell me|see) (?:if|whether)\s+)?(?:(?:is|are|was|were) there\b|there (?:is|are)\b"
    r"|(?:is|are|was|were)\b.*\b(?:in|on|listed|mentioned|included|among)\b"
    r"|(?:does|do|did|has|have)\b(?! you know).*\b(?:contain|mention|include|list|appear|occur|exist|have)\b)",
    re.I,
)
"""A question whether something is there at all: that it is not is its answer."""
_ENDINGS = re.compile(r"(?:ians?|eans?|ans?|ish|ese|s)$")
_LONG = 6
"""Letters of a word that may stand in a longer one, or without the spaces within it."""
_NEAR = 80
"""Characters within which all words of a name must stand."""


def names_in(question: str) -> tuple[str, ...]:
    """The names in a question, in order, each once; none of one that asks whether something is there."""
    if _WHETHER.match(question):
        return ()
    plain = FILE_NAME.sub(lambda match: "_" * len(match.group(0)), question)
    quoted = map(unquoted, QUOTED.finditer(plain))
    plain = QUOTED.sub(lambda match: "_" * len(match.group(0)), plain)
    found = [(0, text) for text in quoted if "_" not in text]
    found += [(match.start(), word) for match in _NAMES.finditer(plain) for word in _named(match, plain)]
    found += [(match.start(), match.group(0).lstrip("#")) for match in _IDS.finditer(plain) if _is_id(match.group(0))]
    found += [(match.start(), match.group(1)) for match in _NUMBERED.finditer(plain)]
    lower = re.finditer(rf"\b(?:{_MONTHS})\b", plain)
    found += [(m.start(), m.group(0)) for m in lower if m.group(0) not in ("may", "march", "august")]
    found += [(match.start(), match.group(0)) for match in _YEARS.finditer(plain)]
    return tuple(dict.fromkeys(word for at, word in sorted(found) if not _COMPARES.search(plain[:at])))


def _named(match: re.Match[str], plain: str) -> Iterator[str]:
    """The name that a run of words with capital letters is; the first of a sentence has one anyway."""
    words = match.group(0).split()
    if _BEGINS.search(plain[: match.start()]):
        words = words[1:]
    left_out = _IGNORED | _LABELS
    while words and (_bare(words[0]) in left_out or words[0].islower() or (words[0].isupper() and len(words[0]) <= 5)):
        words = words[1:]
    while words and (_bare(words[-1]) in left_out or words[-1].islower()):
        words = words[:-1]
    if _OF_A_FILE.match(plain, match.end()):
        return
    said = " ".join(words)
    if len(_bare(said)) < 3 or (said.isupper() and len(said) <= 5) or re.fullmatch(r"[A-Z]{1,3}\d+|[QH]\d", said):
        return
    if _LANGUAGES.fullmatch(said.casefold()) and plain[: match.start()].endswith("in "):
        return
    yield re.sub(r"['’]s?$", "", said)


def _is_id(word: str) -> bool:
    word = word.lstrip("#")
    cell = re.fullmatch(r"[A-Za-z]{1,3}\d{1,7}|[qh]\d", word, re.I)
    return len(word) >= 4 and not cell and _ORDINAL.fullmatch(word) is None and not re.search(r"YYYY", word)


def occurs(name: str, text: str, *, doubt: bool = True) -> bool:
    """Whether ``text`` speaks of ``name`` in any form; ``doubt`` where that cannot be told."""
    said, whole = _folded(normal(name)), _folded(text)
    if _alone(said).search(whole) or (len(said) >= _LONG and _closed(said) in _closed(whole)):
        return True
    if said in MONTHS:
        # Where no month is spoken of at all, the whole file may be about the one that is meant.
        return _month(said, whole) or (doubt and not any(_month(each, whole) for each in MONTHS))
    if said in WEEKDAYS:
        days = re.search(rf"\b(?:{'|'.join(day[:3] for day in WEEKDAYS)})", whole)
        return (doubt and days is None) or re.search(rf"\b{said[:3]}\b|{_DATE}", whole) is not None
    if _YEARS.fullmatch(said):
        others = _YEAR_IN.search(whole) is not None or re.search(_DATE, whole) is not None
        return (doubt and not others) or re.search(
            rf"(?<!\d){said}(?!\d)|(?<!\d)['’/.-]?{said[2:]}(?!\d)|\d{{10}}", whole
        ) is not None
    number = re.sub(r"\D", "", said)
    if len(number) >= 3 and re.search(rf"(?<![\w.])0*{number}(?![\w.])", whole):
        return True  # an order is called by its number, with letters before it or without
    words = [_bare(word) for word in said.split() if not re.fullmatch(r"von|van|der?|&", word)]
    return _near([word for word in words if word not in _IGNORED], whole)


def _folded(text: str) -> str:
    """In small letters, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def _near(words: list[str], text: str) -> bool:
    """Whether all words stand near each other, whatever their endings."""
    if not words:
        return True
    first, *rest = (_alone(*_stem(word)) for word in words)
    for match in first.finditer(text):
        around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        if all(each.search(around) for each in rest):
            return True
    return False


def _stem(word: str) -> tuple[str, int]:
    """A word without its ending, and how many letters may follow instead: Italian as Italy, reviewers as reviewer."""
    stem = _ENDINGS.sub("", word)
    return (stem, 3) if len(stem) >= 4 and stem != word else (word, 3 if len(word) >= _LONG else 0)


def _alone(word: str, more: int = 0) -> re.Pattern[str]:
    """``word`` where it is no part of another one, but for ``more`` letters at its end."""
    return re.compile(rf"(?<![^\W\d_]){re.escape(word)}[^\W\d_]{{0,{more}}}(?![^\W\d_])")


def _month(month: str, text: str) -> bool:
    """Whether a month stands in a text, by name, by number, or shortened."""
    number, short = MONTHS.index(month) + 1, month[:3]
    n = f"0?{number}"
    forms = (
        rf"(?<![a-z])(?:{month}|{short}t?)(?![a-z])",
        rf"\d{{4}}[-/.]{n}(?!\d)",
        rf"(?<!\d)\d{{1,2}}[-/.]{n}[-/.]\d{{2}}",
        rf"(?<!\d){n}[-/.]\d{{1,2}}[-/.]\d{{2}}",
        rf"(?<!\d){n}[-/.]\d{{4}}(?!\d)",
        rf"(?<!\d)(?:19|20)\d\d{number:02}(?:\d\d)?(?!\d)",
        r"(?<!\d)1\d{9}(?:\d{3})?(?!\d)",  # seconds since 1970 are in some month
    )
    if any(re.search(form, text) for form in forms):
        return True
    return "month" in text and re.search(rf"(?<![\d.]){n}(?![\d.])", text) is not None


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word.casefold())


def _closed(text: str) -> str:
    """Without spaces: what is taken out of a page has some where none are seen."""
    return re.sub(r"[\s\u00ad-]+", "", text)


_WANTS_FIGURE = re.compile(
    r"\b(?:how\s+(?:many|much)|(?:which|what|the)\s+(?:\w+\s+)?(?:date|year|price|amount|total|sum))\b", re.I
)
_FIGURE = re.compile(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|none|no|nobody|nothing|"
    rf"free|all|both|{_MONTHS}|{'|'.join(WEEKDAYS)})\b",
    re.I,
)


def no_figure(question: str, answer: str) -> str:
    """That a question after an amount or a date is answered without one, in words; '' where it is not."""
    if re.match(
        r"\W*(?:who|whose|where|why|which (?!date|year)\w+ (?:has|is|costs?)|does|is|are|did|has)\b", question, re.I
    ):
        return ""
    if not _WANTS_FIGURE.search(question) or _FIGURE.search(answer):
        return ""
    return "the question is after a figure, and the answer has none"
