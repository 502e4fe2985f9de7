"""Decides without a model whether a skill uses all that a request names: a small model takes the most similar skill for the
right one, however it is asked.

All that is named (existing files, new files, quoted texts, numbers, headings of columns) must be in the skill's values. The
converse, that everything filled in was asked for, is ensured by ``engine/steps/filling.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from deskcrew.engine.steps.common_words import (
    AGAIN,
    ALSO,
    AND,
    ARTICLES,
    BEFORE_COLUMNS,
    COLUMNS,
    CONTRASTING,
    FILE,
    FOLDERS,
    FROM,
    IN,
    INTO,
    KINDS,
    MANY,
    MOST,
    NAMELESS,
    NEGATING,
    NOUNS,
    NUMBERS,
    ONE,
    REMOVING,
    SAVING,
    THEN,
)
from deskcrew.engine.steps.meaning import passed_over
from deskcrew.facts.texts import file_names, names_file, quoted, speaks_of, words_in
from deskcrew.learning.skills.lexicon import (
    conditions,
    deed,
    deeds,
    is_small,
    kinds,
    lexicon,
    own_words,
    shared_by,
    telling,
    usual_words,
    words_of,
)
from deskcrew.learning.skills.skill import Skill

SHORTEST = 3
"""The minimum letters of a file's name for it to be recognised without its suffix."""
ALMOST = 0.8
"""How similar two names must be, from 0 to 1, for one to be taken for a misspelling of the other."""
STEM = 4
"""The minimum number of first letters that two forms of a word share."""
FEW = 8
"""The maximum number of skills asked for with a word, for that word to tell skills apart."""
TELLING = 0.5
"""How telling a part of a file's name must be to identify the file: see ``learning/skills/lexicon.py``."""
NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:/-]\d+)*(?=[^\W\d_]{0,2}(?!\w))")
"""A number, also if a unit or ending follows: 800px, 3rd."""
STEP = re.compile(r"(?:(?<=\s)|^)\(?(\d)\)(?=\s)")
"""The number of a step in a list."""
THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?:[.,]|$))")


@dataclass(frozen=True, slots=True)
class Named:
    """What a request names. ``files``: existing files, in its order; ``new``: names of files that do not exist; ``rest``:
    the request without any of these; ``spoken``: the words by which it refers to files without their names, by file;
    ``bare``: ``rest`` without these words, too; ``binding``: whether all that is named must be used; ``folders``: existing
    folders, and whether it says of each that it is a folder."""

    files: tuple[str, ...]
    new: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    rest: str
    bare: str
    binding: bool = True
    spoken: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    folders: Mapping[str, bool] = field(default_factory=dict[str, bool])

    @property
    def words(self) -> tuple[str, ...]:
        """The words by which the request refers to files without writing their names."""
        return tuple(word for words in self.spoken.values() for word in words)

    def about(self, files: Iterable[str]) -> Named:
        """This request with only ``files`` meant: words for other files then count as ordinary words."""
        return replace(self, bare=_without((word for file in files for word in self.spoken.get(file, ())), self.rest))

    def but(self, names: Iterable[str]) -> Named:
        """This request without some names in it."""
        said = tuple(names)
        return replace(self, rest=_without(said, self.rest), bare=_without(said, self.bare)) if said else self


def misnamed_file(task: str, files: Sequence[str]) -> str:
    """The file name in a task that must be a misspelling, '' if none: no file that it names exists, and one has almost this
    name. A name that only extends another may be that of a new file."""
    if any(names_file(task, file) for file in files):
        return ""
    for name in read_files(task):
        path = PurePosixPath(name)
        stem, end = path.stem.casefold(), path.suffix.casefold()
        alike = [there.stem.casefold() for there in map(PurePosixPath, files) if there.suffix.casefold() == end]
        if any(near not in stem for near in get_close_matches(stem, alike, n=1, cutoff=ALMOST)):
            return name
    return ""


def read_files(task: str) -> tuple[str, ...]:
    """The names of files in a task, without those of which it says that they are to be made: into x.csv, a new file x.csv.
    One that follows another and "to", or is *the* file called so, may be read."""
    found, at = list[str](), 0
    for name in file_names(task):
        begin, after = task.find(name, at), at
        at = begin + len(name)
        if not is_made(task[:begin]) or (found and words_of(task[after:begin]) == ["to"]):
            found.append(name)
    return tuple(found)


def by_name(task: str, files: Container[str]) -> str:
    """The task with the name alone of each file that it names by a path from elsewhere, and of which there is a copy."""
    for word in task.split():
        path = word.strip("\"'“”„’,;:!?()").rstrip(".")
        folder, _, name = path.rpartition("/")
        if folder and name in files and path not in files and not is_made(task[: task.find(path)]):
            task = task.replace(path, name)
    return task


def is_made(before: str) -> bool:
    """Whether the text before the name of a file says that it is to be made: into, as a new file, save them in."""
    words = words_of(before)
    saved = not SAVING.isdisjoint(words) and {"are", "is"}.isdisjoint(words[-3:])
    while words and words[-1] in FILE:
        words.pop()
    return words[-1:] != [] and "the" not in words[-3:-1] and (words[-1] in INTO or (saved and words[-1] in IN))


def named(task: str, files: Sequence[str], folders: Sequence[str] = ()) -> Named:
    """What ``task`` names, given that ``files`` and ``folders`` exist."""
    plain = task.casefold()
    here = sorted(
        (file for file in files if names_file(task, file)), key=lambda file: plain.find(PurePosixPath(file).stem.casefold())
    )
    there = dict.fromkeys(_nearest(task, here))
    named_folders = _folders(_without((*there, *file_names(task)), task), folders)
    rest = _without((*there, *quoted(task)), task)
    new = tuple(whole(task, file, files) for file in file_names(rest))
    rest = _without(new, rest)
    # Where a file is named by its name, a word beside it is no other one's of the kind: North is looked for in orders.csv.
    kinds = {PurePosixPath(file).suffix.casefold() for file in there}
    spoken = spoken_of(rest, [file for file in files if PurePosixPath(file).suffix.casefold() not in kinds])
    there |= dict.fromkeys(spoken)
    there = there or dict.fromkeys(called_alike(rest, files))
    numbers = tuple(dict.fromkeys(NUMBER.findall(_unlisted(rest))))
    return Named(tuple(there), new, quoted(task), numbers, rest, rest, spoken=spoken, folders=named_folders).about(spoken)


def _folders(task: str, folders: Iterable[str]) -> dict[str, bool]:
    """The folders that a task names by their path, or else by their name alone, and whether it says of each that it is a
    folder. A small word, such as "in", names one only if it does, or ends with it."""
    text = task.casefold()
    words = [word.strip("\"'`“”„«»()<>*_.,;:!?") for word in text.split()]

    def is_called(name: str) -> bool:
        beside = (word for at, each in enumerate(words) if each == name for word in words[max(0, at - 1) : at + 2])
        return f"{name}/" in text or any(word.startswith(FOLDERS) for word in beside if word != name)

    paths = [each for each in folders if speaks_of(text, each.casefold())]
    taken = {PurePosixPath(each).name for each in paths}
    alone = [each for each in folders if "/" in each and PurePosixPath(each).name not in taken]
    paths = [each for each in paths if not any(other.startswith(f"{each}/") for other in paths)]
    found = [*paths, *(each for each in alone if speaks_of(text, PurePosixPath(each).name.casefold()))]
    found = found or [each for each in folders if each.endswith("s") and speaks_of(text, each.casefold()[:-1])]
    called = {each: is_called(PurePosixPath(each).name.casefold()) for each in found}
    last = words[-1:]
    return {
        each: said for each, said in called.items() if said or not is_small(each.casefold()) or last == [each.casefold()]
    }


def folders_meant(asked: Named, skill: Skill) -> tuple[str, ...]:
    """The folders that a request names with a word that is not the skill's own; if there are none, those with such a word
    that are in no other folder: files in the folder "files"."""
    own = own_words(skill)
    sure = (each for each, said in asked.folders.items() if said or PurePosixPath(each).name.casefold() not in own)
    return tuple(sure) or tuple(each for each in asked.folders if "/" not in each)


def _unused_folder(asked: Named, skill: Skill, text: str) -> str:
    """The first folder that a request names and that is in no value, '' if none. A word of the skill's own names none if a
    file or folder that is named otherwise is a value, or the skill looks into no folder."""
    names = {each: PurePosixPath(each).name.casefold() for each in folders_meant(asked, skill)}
    used = {name for name in names.values() if speaks_of(text, name)}
    looks = any(each.kind == "files" or (each.kind == "folder" and each.optional) for each in skill.method.parameters)
    free = own_words(skill) if used or asked.files or not looks else frozenset[str]()
    return next((PurePosixPath(each).name for each, name in names.items() if name not in used and name not in free), "")


def _nearest(task: str, files: Sequence[str]) -> Iterator[str]:
    """The files, but of several with one name only those that the task names with their folder, else the one in no
    folder."""
    for file in files:
        alike = [each for each in files if PurePosixPath(each).name == PurePosixPath(file).name]
        placed = [each for each in alike if "/" in each and each.casefold() in task.casefold()]
        if file in (placed or [each for each in alike if "/" not in each] or alike):
            yield file


def _unlisted(text: str) -> str:
    """A request without the numbers of its own steps: (1) ..., (2) ..., (3) ..."""
    steps = list(STEP.finditer(text))
    listed = len(steps) > 1 and [int(step[1]) for step in steps] == list(range(1, len(steps) + 1))
    return STEP.sub(" ", text) if listed else text


def _without(names: Iterable[str], text: str) -> str:
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(PurePosixPath(name).name)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return text


def spoken_of(task: str, files: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Files that the task names without their suffix, or by a part of their name that no other file has, each with these
    words: April for sales_april.csv."""
    parts = _parts(files)
    having = Counter(part for each in parts.values() for part in each)
    own = {file: {_stem(file), *(part for part in parts[file] if having[part] == 1)} for file in parts}
    text = task.casefold()
    said = {file: tuple(each for each in own[file] if len(each) >= SHORTEST and speaks_of(text, each)) for file in own}
    # One file per region is not one.eml; but one and two are one.csv and two.csv.
    counts = [file for file, words in said.items() if words and all(word in NUMBERS or word in ONE for word in words)]
    return {file: words for file, words in said.items() if words and counts != [file]}


def called_alike(task: str, files: Iterable[str]) -> tuple[str, ...]:
    """Files that the task names by a part that their names share, in whatever form: invoices for invoice_1.pdf and
    invoice_2.pdf; or one by its singular or plural: the average expense for expenses.csv."""
    parts, said = _parts(files), {word for word in words_in(task.casefold()) if word.isalpha()}
    having = Counter(part for each in parts.values() for part in each)

    def is_said(part: str) -> bool:
        return any(same(word, part) if having[part] > 1 else _is_plural(word, part) for word in said)

    return tuple(file for file in parts if any(map(is_said, parts[file])))


def _stem(file: str) -> str:
    return PurePosixPath(file).stem.casefold()


def _parts(files: Iterable[str]) -> dict[str, set[str]]:
    """The telling parts of the names of files, without those that their folders have: each essay is all of essays/."""

    def own(file: str, part: str) -> bool:
        folders = words_of(" ".join(PurePosixPath(file).parts[:-1]))
        return telling(part) >= TELLING and not any(each in (part, f"{part}s") for each in folders)

    return {file: {part for part in words_of(_stem(file)) if own(file, part)} for file in files}


def whole(task: str, file: str, files: Iterable[str]) -> str:
    """The name of a new file with its first words, if these are the name of an existing file: sales sorted.csv."""
    for stem in (PurePosixPath(each).stem for each in files):
        if found := re.search(rf"(?<![\w-]){re.escape(stem)} {re.escape(file)}", task, re.IGNORECASE):
            return found[0]
    return file


def unused_name(asked: Named, skill: Skill, values: Mapping[str, Any], headings: Iterable[str]) -> str:
    """The first thing that a request names and that no value of the skill has; '' if all is used. ``headings``: of the
    skill's tables."""
    if not asked.binding:
        return ""
    texts = [str(value) for value in values.values()]
    text = " ".join((*texts, skill.method.provenance.task)).casefold()
    choices = " ".join(choice for each in skill.method.parameters for choice in each.choices)
    shapes = {shape(number) for number in NUMBER.findall(choices)}
    text += "".join(f" {NUMBERS[word]}" for word in text.split() if word in NUMBERS)
    for name in (*asked.new, *asked.texts):
        if name.casefold() not in text:
            return name
    if folder := _unused_folder(asked, skill, text):
        return folder
    for file in asked.files:
        patterns = [part.strip() for text in texts for part in text.split(",") if part.strip()]
        meant = any(speaks_of(text, word) for word in asked.spoken.get(file, ()))
        if not meant and file.casefold() not in text and not any(PurePosixPath(file).match(each) for each in patterns):
            return file
    for number in asked.numbers:
        if number not in text and whole_number(number) not in text and (number.isdigit() or shape(number) not in shapes):
            return number
    if number := _unused_count(asked, skill, text):
        return number
    # A word in the name of a file is no column: regions.csv says nothing of Region.
    files = {each.name for each in skill.method.parameters if each.names_file or each.kind in ("files", "folder")}
    own = " ".join((*(str(value) for name, value in values.items() if name not in files), skill.method.provenance.task))
    heading = next((each for each in said(asked, skill, headings) if each.casefold() not in own.casefold()), "")
    taken_up = usual_words(skill)
    # Recorded steps were asked for in one sentence only: what else may be said for it is not known.
    if heading or skill.method.steps:
        return heading
    known = taken_up.union(words_of(" ".join((*texts, *headings))))
    words = [word for word in words_of(asked.bare) if word not in NAMELESS and not is_small(word)]
    if words and REMOVING.issuperset(words):
        return words[0]  # delete sales.csv: it is what is to be removed
    other = passed_over(asked.rest, skill, values) or _rows_of(asked, skill, values, headings)
    other = other or _second_deed(asked.rest, skill)
    return other or _another_deed(asked.rest, taken_up) or _another_kind(asked.rest, known)


def _unused_count(asked: Named, skill: Skill, text: str) -> str:
    """The first number in words that is in no value, '' if there is none. The two files, or these three columns, are as many
    as there are."""
    words = words_of(asked.bare)
    pairs = ((word, behind) for word, behind in zip(words, [*words[1:], ""], strict=True) if word in NUMBERS)
    alone = (word for word, behind in pairs if behind not in KINDS and shared_by(behind) <= FEW)
    return next((each for each in alone if NUMBERS[each] not in text and each not in usual_words(skill)), "")


def _rows_of(asked: Named, skill: Skill, values: Mapping[str, Any], headings: Iterable[str]) -> str:
    """The word that asks for a number of rows that a skill does not count, '' if none: the most orders, if it compares a
    column of another name; how many customers, if it counts what there is for each of them."""
    columns = [each for each in skill.method.parameters if each.kind in ("column", "columns")]
    own = " ".join(str(values.get(each.name, "")) for each in columns)
    counts = any(values.get(each.name) == "count" for each in skill.method.parameters if each.choices)
    groups = " ".join(str(values.get(each.name, "")) for each in columns if counts and not (each.holds or each.optional))
    rows = " ".join((*map(_stem, asked.files), *headings))
    for word, behind in pairwise(word for word in words_of(asked.rest) if word not in FROM):
        if (word in MOST and alike(behind, rows) and not alike(behind, own)) or (word in MANY and alike(behind, groups)):
            return word
    return ""


def reversing_word(text: str) -> str:
    """The first word of a text that negates or inverts the request ("without", "delete"); '' if there is none."""
    turning = NEGATING | REMOVING | CONTRASTING
    return next((each for each in words_of(text) if each in turning), "")


def denied(text: str, headings: Iterable[str]) -> bool:
    """Whether a text negates what a column says: not paid, hasn't paid, unpaid."""
    said = text.casefold().replace("’", "'")
    unsaid = any(word in said for heading in headings for word in (f"un{heading.casefold()}", f"un-{heading.casefold()}"))
    return unsaid or "n't" in said or any(word in NEGATING for word in words_of(text))


def left_out(heading: str, text: str) -> bool:
    """Whether a text says a heading only to leave it out: without VAT."""
    words, own = words_of(text), words_of(heading)
    return any(words[at : at + len(own)] == own and at and words[at - 1] in NEGATING for at in range(len(words)))


def _second_deed(text: str, skill: Skill) -> str:
    """The verb of another chore that is asked for with "and", '' if none: sort the rows and number them."""
    words = [word for word in words_of(text) if word not in THEN]
    verbs = deeds() - NOUNS - {deed(skill)}
    pairs = zip(words, words[1:], [*words[2:], ""], strict=False)
    return next((word for before, word, after in pairs if before in AND and word in verbs and after != "of"), "")


def _another_deed(text: str, taken_up: frozenset[str]) -> str:
    """The first word of a text that names what other skills do, if few skills are asked for with it."""
    words = (each for each in words_of(text) if each in deeds() and each not in taken_up)
    return next((each for each in words if shared_by(each) <= FEW), "")


def _another_kind(text: str, known: frozenset[str]) -> str:
    """The first word of a text that names a kind of file which is neither the skill's nor one of its values."""
    return next((each for each in words_of(text) if each in kinds() and each not in known), "")


def idle(asked: Named, skill: Skill, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a request that occur neither in the skill nor, however misspelled, in its values, without words common to
    many skills."""
    if skill.method.steps:
        return ()
    names = (each.name.replace("_", " ") for each in skill.method.parameters)
    filled_in = words_of(" ".join(map(str, values.values())))
    hows = " ".join(each.words for each in conditions().said) if values.get("where") else ""
    left = _rare(
        asked, usual_words(skill).union(AGAIN, ALSO, NAMELESS, words_of(hows), words_of(" ".join(names)), filled_in)
    )
    return tuple(each for each in left if not get_close_matches(each, filled_in, n=1, cutoff=ALMOST))


def strange(asked: Named, skill: Skill, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a request that may name something in a table: neither the skill, its values nor any skill's name has
    them."""
    return _rare(asked, own_words(skill).union(deeds(), words_of(" ".join(map(str, values.values())))))


def in_columns(text: str, words: Container[str]) -> tuple[str, ...]:
    """Those of some words of a text that stand where the name of a column does: by gross profit, the profit column."""
    there = [word for word in words_of(text) if word not in ARTICLES]
    found = list[str]()
    for before, word, after in zip(["", *there], there, [*there[1:], ""], strict=False):
        if word in words and (before in (*BEFORE_COLUMNS, *COLUMNS, *found[-1:]) or after in COLUMNS):
            found.append(word)
    return tuple(dict.fromkeys(found))


def _rare(asked: Named, known: frozenset[str]) -> tuple[str, ...]:
    """The words of a request with which few skills are asked for, without forms of the ``known`` words."""
    rare = (each for each in dict.fromkeys(words_of(asked.bare)) if shared_by(each) <= FEW and len(each) >= SHORTEST)
    return tuple(each for each in rare if not any(same(each, word) for word in known))


def said(asked: Named, skill: Skill, headings: Iterable[str]) -> tuple[str, ...]:
    """The headings that a request names, without words that the skill has anyway. () for recorded steps: their columns have
    positions."""
    if skill.method.steps:
        return ()
    rest, words = asked.rest.casefold() if asked.binding else "", lexicon(skill)
    return tuple(each for each in headings if speaks_of(rest, each.casefold()) and not words.issuperset(words_of(each)))


def whole_number(text: str) -> str:
    """A number without thousands separators."""
    return THOUSANDS.sub("", text)


def headings_said(asked: Named, skill: Skill, headings: Sequence[str]) -> tuple[str, ...]:
    """The headings of which a request has all words, and those of which it has a word that is in none of the former and does
    not belong to the skill; in the order of the request."""
    text, left = asked.rest.casefold(), asked.bare.casefold()
    exact = [name for name in sorted(headings, key=len, reverse=True) if speaks_of(text, name.casefold())]
    for name in exact:
        left = left.replace(name.casefold(), " ")
    left = _without(map(_stem, asked.files), left)  # orders in orders.csv are none of its column Order
    words = words_of(left)
    parts = {name: [each for each in words_of(name) if any(same(word, each) for word in words)] for name in headings}
    all_of = [name for name in parts if name in exact or 0 < len(parts[name]) == len(words_of(name))]
    known = lexicon(skill).union(*(words_of(each) for each in all_of))
    found = [name for name in parts if name in all_of or not known.issuperset(parts[name])]
    order = words_of(asked.rest)

    def at(name: str) -> int:
        return min((place for place, word in enumerate(order) for part in words_of(name) if same(word, part)), default=0)

    return tuple(sorted(found or [name for name in parts if parts[name]], key=at))


def alike(text: str, heading: str) -> bool:
    """Whether a text has a word of a heading, whatever the word's ending: amounts for Amount."""
    words = words_of(text)
    return any(same(word, each) for each in words_of(heading) for word in words)


def same(word: str, other: str) -> bool:
    """Whether two words are the same except for their endings."""
    least = min(len(word), len(other))
    return (
        word == other
        or _is_plural(word, other)
        or (least >= STEM and word[:STEM] == other[:STEM] and word[: least - 1] == other[: least - 1])
    )


def _is_plural(word: str, other: str) -> bool:
    """Whether either of two words is the other with an s."""
    return f"{word}s" == other or f"{other}s" == word


def shape(number: str) -> str:
    """The pattern of a number, with 9 for each digit: 9999-99-99."""
    return "".join("9" if sign.isdecimal() else sign for sign in number)
