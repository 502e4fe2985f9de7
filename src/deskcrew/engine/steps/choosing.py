"""Choose a skill for the whole task, in place of a model that cannot reason.

If skills are among its actions, such a model uses one where it should not, and writes a program where a skill would do. Its
word that a skill fits is worth little, too: it takes the most similar. So all that can be decided without it is
(``engine/steps/covering.py``): a skill is a candidate if it uses all that the task names, and gets its values from the task
and from the workspace. Which candidate is asked for, if any, was learnt from examples (``learning/skills/recognising.py``).
The model says whether a skill that a person taught is meant, and fills in the remaining values. A person is then shown the
reading of the task, as a sentence. Once they have said yes, or did beforehand, the task is that skill's own, with its proven
goal; otherwise the skill is used, but nothing lets the run end done.

The reading is in the journal: a run that was interrupted before it was confirmed asks again, and one interrupted afterwards
begins the skill.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import anyio.to_thread
from pydantic import ValidationError

from deskcrew.engine.context import Run
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import NO_SKILL, Now
from deskcrew.engine.roles.said import Chosen
from deskcrew.engine.roles.view import Sight
from deskcrew.engine.steps.approving import hidden
from deskcrew.engine.steps.cells import Table, table_of
from deskcrew.engine.steps.changing import changed, refers_back, with_results
from deskcrew.engine.steps.common_words import ALSO, AND, INTO, THEN
from deskcrew.engine.steps.covering import (
    ALMOST,
    Named,
    alike,
    by_name,
    idle,
    in_columns,
    is_made,
    misnamed_file,
    named,
    read_files,
    reversing_word,
    said,
    same,
    strange,
    unused_name,
)
from deskcrew.engine.steps.filling import Blanks, There, Unfit, as_far_as_known, blanks, check, ends, place, possible
from deskcrew.engine.steps.sayings import choices_said, tells_column
from deskcrew.engine.steps.understanding import Agreed, Understanding, agreed, asked_for
from deskcrew.engine.steps.using_skills import agent_for, underway
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.evidence import compare
from deskcrew.errors import ActionError, CrewMistake
from deskcrew.facts.events import ActionFinished, ActionInterrupted, HumanSaid, Rewound, SkillUse, Understood
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.nearest import nearest_told
from deskcrew.facts.no_file import a_link, no_column
from deskcrew.facts.texts import file_names, names_file
from deskcrew.facts.unfit import fault
from deskcrew.facts.verdict import NAME_TAKEN, NO_COLUMN, NO_FILE, NO_FIT, Branch, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import touched
from deskcrew.learning.skills.lexicon import deed, deeds, kinds, lexicon, words_of
from deskcrew.learning.skills.offering import as_action, in_general
from deskcrew.learning.skills.skill import PART, Skill
from deskcrew.learning.skills.underway import Underway

APART, SECOND, MOST = 1.5, 1.0, 4
"""How much nearer a skill that is no candidate may be, how near a candidate must be then, and among how many to choose."""
COMPARED = 2.5
"""How much nearer a skill that compares the values of a column counts if the request says a value: few other requests do."""
WHOLE = 2.0
"""How much nearer a skill counts if a request names a column or a choice, and all its words fit the skill: people's own
names make a request unlike the examples."""
ORDERED = 1.5
"""How much nearer a skill counts whose verb the request begins with: number the rows."""
NEAREST = 3
"""The maximum number of other skills that are suggested if a person says no to one, or none fits."""
UNRELATED = -3.5
"""A skill that is less near than this has nothing to do with a task."""
TRIES = 2
"""The number of consecutive unusable replies after which the model is not asked again."""
TABLES = (".csv", ".tsv", ".xlsx", ".xlsm")
HELP = "a larger model may do it (--model), or a skill that you teach (deskcrew teach)"
OVER = f"Skill {{skill}} is the nearest, but has no place for {{left!r}}, and {{model}} can only use skills: {HELP}"
NOTHING = f"No skill does what is asked{{near}}, and {{model}} can only use skills: {HELP}"
TWO = (
    "That is more than one chore, so nothing was done: skill {skill} does one of them ({use}), but nothing about {left!r}. "
    "Ask for each by itself; for the other, {then}"
)
ONE_COLUMN = (
    f"Skill {{skill}} is the nearest, but takes one column, and the task names {{columns}}: name one of them, or {HELP}. "
    "{model} can only use skills"
)
GONE = ". Not in the folder, if it is to be read: {gone}"
EMPTY = (
    "The folder of this run is empty, and {model} can only use skills, which need files: name them in the task, or say "
    f"in which folder they are; for anything else, {HELP}"
)
COLUMNS_OF = (
    f"it has the columns {{columns}}. Name one of these, or {HELP}. {{model}} can only use skills, and no skill does "
    "what is asked{near}"
)
UNCALLED = f"Nothing in {{file}} is called {{called}}: {COLUMNS_OF}"
UNSAID = f"It is not clear which column of {{file}} is meant: {COLUMNS_OF}"
UNUSABLE = (
    f"The skill {{skill}} may fit, but {{model}} cannot fill it in{{why}}: use it yourself (deskcrew skill use), or {HELP}"
)
TAKEN = "There is already {name}, which the task names for the result, so nothing was done"
MISFIT = (
    "The skill ended before all was done, and {model} can only use skills. Undo what was done (deskcrew undo) and ask "
    f"again, or {HELP}"
)


async def choose(run: Run) -> bool:
    """Have a skill chosen and begun for the whole task, if the run can only use skills. False: something else is due
    first."""
    record, prompting, journal = run.record, run.prompting, run.record.journal
    state = record.state
    if not prompting.skills_only or state.plan.subtasks:
        return True
    since = _since(journal)
    there = _there(run.surroundings)
    if (earlier := _understood(journal, since)) is not None and earlier.skill in _names(prompting):
        return await _begun_again(run, earlier, there)
    task, _ = _with_results(journal, there)
    if _misnamed(run.surroundings, task, there):
        return False
    fit = _possible(prompting, task, there)
    if (again := _as_before(prompting, since, there, alone=not fit)) is not None:
        return await _confirmed(run, *again, there)
    if not (there.files or file_names(task)) and all(found.skill.shipped for found in fit.values()):
        no_fit(prompting, EMPTY)
        return False
    if name := _taken(prompting, task, there, fit):
        record.stop(Verdict(kind="stop", reason=NAME_TAKEN, why=TAKEN.format(name=name)))
        return False
    nearest = await _nearest(prompting, fit, since) if fit else ""
    if not nearest:
        if nearest == "" or state.format_errors >= TRIES:
            if missing := _missing(prompting, task, there):
                not_there(record, missing, there.files)
            else:
                _none_fits(prompting, task, there)
        return False
    return await _fill_in(run, fit[nearest], task)


def _misnamed(surroundings: Surroundings, task: str, there: There) -> bool:
    """Whether a task names a symbolic link, or misspells a file's name; the run is then ended."""
    record, started = surroundings.record, surroundings.record.state.started
    links = (entry.path for entry in surroundings.now.files if entry.kind == "link")
    if started is not None and (link := next((path for path in links if names_file(task, path)), "")):
        record.stop(Verdict(kind="stop", reason=NO_FILE, why=a_link(link, started.workspace)))
        return True
    if name := misnamed_file(task, there.files):
        not_there(record, name, there.files)
    return bool(name)


def _with_results(journal: Journal, there: There) -> tuple[str, str]:
    started = journal.state.started
    return with_results(
        by_name(asked_for(journal), there.files), started.earlier if started is not None else (), there.files
    )


def _as_before(prompting: Prompting, since: int, there: There, *, alone: bool) -> tuple[Skill, dict[str, str]] | None:
    """The skill of the last reading before event ``since``, or of the run before, with its values but for what is named now;
    None if there was none, or something else is meant. ``alone``: nothing else may be."""
    state = prompting.record.state
    before, said = _read_before(prompting.record.journal, since), [each.text for each in state.guidance]
    words = said[-1] if said else state.task
    if before is None or before.skill not in _names(prompting) or not (said or alone or refers_back(words)):
        return None
    skill = prompting.skills[_names(prompting)[before.skill]]
    given = changed(before, skill, words, there)
    return (skill, given) if given is not None else None


def _read_before(journal: Journal, since: int) -> SkillUse | None:
    for event in reversed(journal.events):
        if isinstance(event.body, Rewound) and event.body.read is not None:
            return event.body.read
        if isinstance(event.body, Understood) and event.number < since:
            return event.body.use
    started = journal.state.started
    return started.earlier[-1].read if started is not None and started.earlier else None


def _taken(prompting: Prompting, task: str, there: There, fit: Mapping[str, Blanks]) -> str:
    """The existing file that the task names last, if it is the result that is meant: without it, a nearer skill would be a
    candidate, and make it. '' otherwise."""
    *others, last = sorted(named(task, there.files).files, key=lambda file: place(task, file)) or ("",)
    folder = f"{PurePosixPath(last).parent}/".casefold()
    if not others or not is_made(task[: place(task, last)].casefold().removesuffix(folder)):
        return ""
    without = _possible(prompting, task, replace(there, files=tuple(file for file in there.files if file != last)))
    first, now = (next(iter(some.values()), None) for some in (without, fit))
    made = first is not None and any(first.known.get(each.name) == last for each in first.skill.method.parameters)
    return last if first is not None and made and (now is None or first.skill.near > now.skill.near) else ""


def _missing(prompting: Prompting, task: str, there: There) -> str:
    """The first missing file that the task would read; '' if none. A missing file would be read if a skill were a candidate
    with it there, or, if no named file is there, if a skill with a positive nearness reads such files."""
    # What has been said otherwise since counts only in part: with it, a skill comes into question too easily.
    read, said_since = read_files(task), bool(prompting.record.state.guidance)
    new = [each for each in named(task, there.files).new if each.endswith(read) and not said_since][:MOST]
    for those in (each for count in range(1, len(new) + 1) for each in combinations(new, count)):
        files = (*there.files, *those)
        skills = {action: skill for action, skill in prompting.offered.items() if len(skill.given) <= len(files)}
        if _possible(prompting, task, replace(there, files=files), skills):
            return those[0]
    names = () if any(names_file(task, path) for path in there.files) else read
    near = (skill for skill in prompting.offered.values() if skill.near >= 0)
    given = [parameter for skill in near for parameter in skill.method.parameters if parameter.given]
    return next((file for file in names for parameter in given if ends(file, parameter)), "")


class Lacking(NamedTuple):
    """The words of a task that name a column which its table does not have, () if none stands where a column does.
    ``slip``: the only one is almost a heading; ``meant``: it is said that a column is needed."""

    words: tuple[str, ...]
    table: str
    slip: bool
    meant: bool = True


def _lacking(prompting: Prompting, task: str, there: There) -> Lacking | None:
    """Which words of a task name no column of its table, if a near skill would be a candidate if they or other words did;
    None if there are none."""
    asked = named(task, there.files)
    table = next((file for file in asked.files if there.headings(file)), "")
    if not table or prompting.record.state.guidance:
        return None
    columns = there.headings(table)
    known = {heading: heading for heading in columns} | there.table(table).said(asked.bare)

    def called(word: str) -> There:
        wider = Table({**there.table(table).columns, word: ()})

        def looked(file: str) -> Table:
            return wider if file == table else there.table(file)

        return replace(there, table=looked)

    for skill in _nearer_than_none(prompting):
        left = [each for each in strange(asked, skill, known) if not reversing_word(each)]
        if blanks(task, skill, there) is None and (
            words := [each for each in left if blanks(task, skill, called(each)) is not None]
        ):
            slips = [each for each in words if get_close_matches(each, map(str.casefold, columns), 1, ALMOST)][:1]
            found = tuple(_as_written(each, task) for each in slips or in_columns(asked.bare, words))
            chosen = any(choices_said(asked.rest, each) for each in skill.method.parameters)
            return Lacking(found, table, bool(slips), meant=bool(found or chosen or deed(skill) in words_of(task)))
    return None


def _nearer_than_none(prompting: Prompting) -> list[Skill]:
    """The nearest of the skills that ship and have a nearness of at least 0."""
    skills = (skill for skill in prompting.offered.values() if skill.shipped and skill.near >= 0)
    return sorted(skills, key=lambda skill: -skill.near)[:NEAREST]


def _part(prompting: Prompting, task: str, there: There) -> tuple[Blanks, str] | None:
    """The nearest skill that does a part of a task, and a word of the rest; None if there is none. One whose deed is said is
    nearer than any other. What only names a file, a folder, a heading or a cell is no chore."""
    for skill in sorted(_related(prompting), key=lambda each: deed(each) not in words_of(task)):
        found = blanks(task, skill, there, corrected=True)
        if found is None or not _said_or_near(skill, task):
            continue
        asked, could_be = replace(found.asked, binding=True), {**found.known, "": _could_be(found)}
        names = (*found.columns, *_cells(found))
        places = (*asked.files, *(PurePosixPath(each).name for each in asked.folders))
        rest = unused_name(asked, skill, could_be, names)
        if left := rest or next((each for each in idle(asked, skill, could_be) if each not in THEN), ""):
            return None if left in (*names, *places) else (found, left)
    return None


def _more_columns(prompting: Prompting, task: str, there: There) -> bool:
    """Whether the nearest skill takes one column, and the task names several for it; the run is then ended."""
    skill = next((each for each in _nearer_than_none(prompting) if deed(each) in words_of(task)), None)
    takes = [each.kind for each in skill.method.parameters] if skill is not None else []
    found = blanks(task, skill, there, corrected=True) if skill is not None and takes.count("column") == 1 else None
    columns = said(replace(found.asked, binding=True), found.skill, found.columns) if found is not None else ()
    if found is None or len(columns) < 2 or "columns" in takes:
        return False
    named_ = " and ".join(sorted(columns, key=lambda each: place(task, each)))
    no_fit(prompting, ONE_COLUMN, skill=found.skill.name, columns=named_)
    return True


def _more_than_a_skill(prompting: Prompting, found: Blanks, left: str, task: str) -> None:
    """End a run that is asked for more than a skill does: say what is left and, if that is another chore, how to ask for
    each."""
    words = words_of(task)
    before = words[: words.index(left.casefold())][-1:] if left.casefold() in words else []
    chore = left.casefold() in deeds() or (left.casefold() in kinds() and not INTO.isdisjoint(before))
    if not chore or ("," not in task and ALSO.union(THEN, AND).isdisjoint(words)):
        no_fit(prompting, OVER, skill=found.skill.name, left=left)
        return
    other = next((each for each in _related(prompting) if deed(each) == left.casefold()), None)
    then = f"skill {other.name} does it ({_use(other, {})})" if other is not None else HELP
    no_fit(prompting, TWO, skill=found.skill.name, use=_use(found.skill, as_far_as_known(found)), left=left, then=then)


def _use(skill: Skill, values: Mapping[str, str]) -> str:
    given = (f"{name}={shlex.quote(value) if value else name.upper()}" for name, value in values.items())
    return " ".join(("deskcrew skill use", skill.name, *given))


def _said_or_near(skill: Skill, task: str) -> bool:
    """Whether a skill is near enough to be named where none fits, or the task says its deed."""
    return skill.near >= SECOND or deed(skill) in words_of(task)


def _related(prompting: Prompting) -> list[Skill]:
    """The skills that ship and are not :data:`UNRELATED` to the task, the nearest first."""
    skills = (skill for skill in prompting.offered.values() if skill.shipped and skill.near >= UNRELATED)
    return sorted(skills, key=lambda skill: -skill.near)


def _none_fits(prompting: Prompting, task: str, there: There) -> None:
    """End a run that no skill fits, and name the nearest skills and the columns of the task's table: a person may have meant
    one of these."""
    asked, lacking = named(task, there.files), _lacking(prompting, task, there)
    if lacking is not None and (lacking.slip or len(lacking.words) == 1):
        _no_column(prompting.record, lacking, there)
        return
    near = [skill.name for skill in _related(prompting) if _said_or_near(skill, task)]
    told = nearest_told(near[:NEAREST])
    ends = {PurePosixPath(file).suffix.casefold() for file in asked.files}
    new = (file for file in asked.new if file.endswith(read_files(task)))
    gone = ", ".join(file for file in new if PurePosixPath(file).suffix.casefold() in ends)
    missing = GONE if gone else ""
    if _more_columns(prompting, task, there):
        return
    if lacking is None and not gone and (part := _part(prompting, task, there)) is not None:
        _more_than_a_skill(prompting, *part, task)
        return
    if lacking is None or not lacking.meant:
        no_fit(prompting, NOTHING + missing, gone=gone, near=told)
        return
    columns, called = ", ".join(there.headings(lacking.table)), " or ".join(map(repr, lacking.words))
    words = (UNCALLED if called else UNSAID) + missing
    no_fit(prompting, words, gone=gone, near=told, file=lacking.table, called=called, columns=columns)


def _no_column(record: Record, lacking: Lacking, there: There) -> None:
    """End a run whose task names a column that does not exist."""
    why = no_column(lacking.words[0], lacking.table, there.headings(lacking.table))
    record.stop(Verdict(kind="stop", reason=NO_COLUMN, why=why))


async def _fill_in(run: Run, found: Blanks, task: str) -> bool:
    """Have the values filled in, and the reading of the task confirmed."""
    record, prompting = run.record, run.prompting
    skill, role = found.skill, record.crew.roles[record.crew.chooser]
    if (lacking := _slip(found, task)) is not None:
        _no_column(record, lacking, found.there)
        return False

    def usable(reply: JsonObject) -> None:
        try:
            given = found.filled(reply)
            check(given, skill, task, found.there)
            _doing(record, skill, given)
        except ValueError as error:
            raise CrewMistake(f"{error}.") from error

    reply: JsonObject | None = {}
    if found.values.model_fields:
        if record.state.format_errors >= TRIES:
            no_fit(prompting, UNUSABLE, skill=skill.name, why="")
            return False
        shown = _sight(prompting, role, taught=_taught(found), files=_files(found))
        asked = await prompting.asker.request(role, Now(values=found.values), shown, check=usable)
        reply = await prompting.asker.reply(asked)
    if reply is None:
        return False
    try:
        usable(reply)
    except CrewMistake as error:
        no_fit(prompting, UNUSABLE, skill=skill.name, why=f" ({str(error).removesuffix('.')})")
        return False
    given = found.filled(reply)
    if left := unused_name(found.asked, skill, given, (*found.columns, *_cells(found))):
        no_fit(prompting, OVER, skill=skill.name, left=left)
        return False
    return await _confirmed(run, skill, given, found.there)


def _possible(prompting: Prompting, task: str, there: There, skills: Mapping[str, Skill] | None = None) -> dict[str, Blanks]:
    """The candidates, the nearest first. A skill that ships must have a nearness of at least 0, and be about as near as any.
    A skill that a person taught is a candidate however the task is worded, and so is every skill once they have corrected a
    reading. ``skills``: those to consider, None for those that may be begun now."""
    corrected, offered = bool(prompting.record.state.guidance), prompting.skills if skills is None else skills
    able = (each for each in offered if agent_for(prompting.record, each))
    fit = ((each, _with_rows(task, offered[each], there, corrected=corrected)) for each in able)
    asked = {each: found for each, found in fit if found is not None}
    near = {each: skill.near for each, skill in offered.items() if skill.shipped}
    near |= {each: near[each] + COMPARED for each in asked.keys() & near.keys() if asked[each].compared}
    near |= {each: near[each] + ORDERED for each in asked.keys() & near.keys() if _is_ordered(task, offered[each])}
    near |= {each: near[each] + WHOLE for each in asked.keys() & near.keys() if _whole(asked[each])}
    most = max(near.values(), default=0.0)
    taken = [each for each in asked if corrected or each not in near or enough(near[each], most)]
    # Where one has a place for all that is named, others that have not are not asked about.
    whole = [each for each in asked if near.get(each, 0) >= 0 and not _homeless(asked[each])] if taken else []
    taken = [each for each in taken if each in whole] or whole or taken
    taken = [each for each in taken if not _guessed(asked[each])] or taken
    return {each: asked[each] for each in sorted(taken, key=lambda each: -near.get(each, offered[each].near))}


def _with_rows(task: str, skill: Skill, there: There, *, corrected: bool) -> Blanks | None:
    """The values of a skill for a task; if it has no place for all that is named, with conditions for rows if they have."""
    found = blanks(task, skill, there, corrected=corrected)
    if not any(each.kind == "rows" for each in skill.method.parameters):
        return found
    if found is not None and not _homeless(found):
        could_be = {**found.known, "": _could_be(found)}
        if not unused_name(found.asked, skill, could_be, ()):
            return found
    return blanks(task, skill, there, corrected=corrected, rows=True) or found


def _is_ordered(task: str, skill: Skill) -> bool:
    """Whether a request begins with the skill's verb, and not with a noun of this form: number of rows."""
    return words_of(task)[:1] == [deed(skill)] and words_of(task)[1:2] != ["of"]


def _spoken_of(found: Blanks) -> bool:
    """Whether the request names a column or a choice of the skill."""
    chosen = any(choices_said(found.asked.rest, each) for each in found.skill.method.parameters)
    return chosen or any(alike(found.asked.rest, heading) for heading in found.columns)


def _whole(found: Blanks) -> bool:
    """Whether the request also has no word that does not belong to the skill, and says each column of it. False if a value
    may be any text."""
    free = found.free or found.compared or _guessed(found)
    return not free and _spoken_of(found) and not idle(found.asked, found.skill, {"": _could_be(found)})


def _guessed(found: Blanks) -> bool:
    """Whether a column of any kind is filled in of which the request has no word, neither of its heading nor of a cell."""
    asked, parameters = found.asked, found.skill.method.parameters
    columns = [found.known.get(each.name, "") for each in parameters if each.kind == "column" and not each.holds]
    told = any(tells_column(asked.rest, each) for each in parameters) or found.compared
    return not told and any(heading and not alike(asked.rest, heading) for heading in columns)


def enough(near: float, most: float) -> bool:
    """Whether a skill that ships is near enough, if the nearest one has the nearness ``most``."""
    return near >= (0 if near == most else max(SECOND, most - APART))


def _near(prompting: Prompting, but: Skill, task: str, there: There) -> tuple[SkillUse, ...]:
    """The nearest of the other candidates."""
    found = [each for each in _possible(prompting, task, there).values() if each.skill.name != but.name]
    return tuple(SkillUse(skill=each.skill.name, values=as_far_as_known(each)) for each in found[:NEAREST])


def no_fit(prompting: Prompting, words: str = MISFIT, **told: str) -> None:
    """End a run that can only use skills, because none fits."""
    record = prompting.record
    model = prompting.asker.model(record.crew.roles[record.crew.chooser]).name
    record.stop(Verdict(kind="stop", reason=NO_FIT, why=words.format(model=model, **told)))


def not_there(record: Record, name: str, files: Sequence[str]) -> None:
    """End a run whose task names a file that does not exist: no other model could help."""
    started = record.state.started
    assert started is not None
    meant = [each for each in files if names_file(asked_for(record.journal), each)]
    record.stop(Verdict(kind="stop", reason=NO_FILE, why=started.no_file(name, files, meant=meant)))


def resume_skill(prompting: Prompting) -> bool:
    """Begin the skill again that a run had begun in another process, if no step was started, or if it is one program and
    was interrupted before it changed anything. Returns whether it was."""
    record = prompting.record
    said = next((event for event in reversed(record.journal.events) if isinstance(event.body, Understood)), None)
    if said is None or not isinstance(said.body, Understood) or said.body.skill not in _names(prompting):
        return False
    skill, since = prompting.skills[_names(prompting)[said.body.skill]], record.journal.since(said)
    ended = [event.body for event in since if isinstance(event.body, ActionFinished | ActionInterrupted)]
    if ended and (skill.method.function is None or touched(since) or not isinstance(ended[-1], ActionInterrupted)):
        return False
    prompting.record.skill = _doing(record, skill, said.body.values, own=bool(said.body.by))
    return True


def _since(journal: Journal) -> int:
    """The number of the event with a person's last guidance; 0 if there was none. Only readings after it count."""
    heard = (event for event in reversed(journal.events) if isinstance(event.body, HumanSaid))
    return next((event.number for event in heard if isinstance(event.body, HumanSaid) and event.body.kind == "guide"), 0)


def understood(journal: Journal) -> str:
    """The reading of the task, as a sentence, if nobody has said yes or no to it; '' otherwise."""
    said = _understood(journal, 0)
    return said.told if said is not None and not said.by else ""


def confirmed_reading(journal: Journal) -> Understood | None:
    """The reading of the task that a person confirmed; None if they did not."""
    said = _understood(journal, 0)
    return said if said is not None and said.by == "human" and said.holds else None


def _understood(journal: Journal, since: int) -> Understood | None:
    """The last reading of the task after event ``since``; None if there is none yet."""
    events = (event for event in reversed(journal.events) if event.number > since)
    return next((event.body for event in events if isinstance(event.body, Understood)), None)


def _names(prompting: Prompting) -> dict[str, str]:
    """The actions of the skills that may be begun, by the names of the skills."""
    return {skill.name: action for action, skill in prompting.skills.items()}


def _there(surroundings: Surroundings) -> There:
    entries = surroundings.now.files
    known: dict[str, Table] = {}

    def table(path: str) -> Table:
        if path not in known:
            try:
                known[path] = table_of(surroundings.record.text_of(path)) if path.casefold().endswith(TABLES) else Table()
            except ActionError:
                known[path] = Table()
        return known[path]

    paths = {kind: tuple(entry.path for entry in entries if entry.kind == kind) for kind in ("file", "folder")}
    return There(paths["file"], paths["folder"], table)


def _doing(record: Record, skill: Skill, given: Mapping[str, Any], *, own: bool = False) -> Underway:
    agent = agent_for(record, skill.action)
    return replace(underway(record.journal, skill, given, agent, PART, Branch.ROLE_TASK_FINISH), whole=True, own=own)


def _unread_sheets(skill: Skill, values: Mapping[str, Any], there: There) -> str:
    """A note that only the first sheet of a workbook is read, '' if none has several or another is named."""
    for each in skill.method.parameters:
        sheets = [*there.table(str(values[each.name])).sheets] if each.given and ".csv" in each.endings else []
        if len(sheets) > 1 and not values.get("sheet"):
            return f"of {values[each.name]} only the sheet {sheets[0]} is read, not {', '.join(sheets[1:])}"
    return ""


async def _begun_again(run: Run, earlier: Understood, there: There) -> bool:
    """Go on with the reading from before the run was interrupted: ask about it again, unless it was confirmed."""
    skill = run.prompting.skills[_names(run.prompting)[earlier.skill]]
    if earlier.by and earlier.holds:
        run.record.skill = _doing(run.record, skill, earlier.values, own=True)
        return True
    return await _confirmed(run, skill, earlier.values, there, shown=earlier)


def _changed_since(surroundings: Surroundings, skill: Skill, values: Mapping[str, Any]) -> str:
    """Which files that the skill reads have changed since a person was last shown what would come of it; '' if none."""
    events = reversed(surroundings.record.journal.events)
    shown = next(event for event in events if isinstance(event.body, Understood) and not event.body.by)
    before = surroundings.record.looks.before(shown.number)
    if before is None or not isinstance(shown.body, Understood) or not shown.body.preview:
        return ""
    now = compare(before, surroundings.now)
    read = {str(values[each.name]) for each in skill.method.parameters if each.given}
    differ = (*now.files_changed, *now.files_created, *now.files_deleted)
    # What is read by a pattern, or in a folder, may be any file.
    paths = [path for path in differ if path in read or not read]
    have = "has" if len(paths) == 1 else "have"
    return f"{', '.join(paths[:NEAREST])} {have} changed since this was shown to you" if paths else ""


async def _confirmed(
    run: Run, skill: Skill, given: Mapping[str, Any], there: There, *, shown: Understood | None = None, note: str = ""
) -> bool:
    """Have a person confirm the skill with these values, and begin it. Returns whether it is begun. ``shown``: the reading
    as another process asked about it; ``note``: why they are asked again."""
    record = run.record

    def edited(reply: JsonObject) -> JsonObject:
        try:
            theirs = as_action(skill).params.model_validate(reply).model_dump(mode="json")
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise Unfit(str(first["loc"][0]), fault(error)) from error
        check(theirs, skill, None, there)
        _doing(record, skill, theirs)
        return theirs

    def told(values: JsonObject) -> str:
        words = skill.in_words(values) if skill.method.told else _doing(record, skill, values).values.text(skill.description)
        notes = [each for each in (_unread_sheets(skill, values, there), meant) if each]
        return "; ".join((words.rstrip("."), *notes)) if notes else words

    _, meant = _with_results(record.journal, there)
    values = as_action(skill).params.model_validate(given).model_dump(mode="json")
    task = asked_for(record.journal)
    read = Understanding(
        skill,
        values,
        task,
        named(by_name(task, there.files), there.files),
        told,
        possible(skill, values, there),
        lambda: _near(run.prompting, skill, task, there),
        shown.preview if shown is not None else await _preview(run, skill, values),
    )
    role, again = record.crew.chooser, shown is not None
    said: Agreed | None = await agreed(run.authorization, role, read, edited, shown=again, note=note)
    if said is None:
        return False
    await run.surroundings.look()  # they may have worked on the files meanwhile
    if note := _changed_since(run.surroundings, skill, said.given):
        return await _confirmed(run, skill, said.given, _there(run.surroundings), note=note)
    run.record.skill = _doing(record, skill, said.given, own=said.own)
    return True


async def _preview(run: Run, skill: Skill, values: JsonObject) -> str:
    """What a function would print and change, for a person who is asked; '' for other skills, and if they said yes
    before."""
    authorization, surroundings = run.authorization, run.surroundings
    if skill.method.function is None or authorization.yes or authorization.meant is not None:
        return ""
    [step] = skill.written_out(values).method.steps
    action, agent = surroundings.actions[step.operation.function], agent_for(run.record, skill.action)
    scene = replace(surroundings.scene(), hidden=lambda: hidden(authorization, action, agent))
    code = str(step.operation.params["code"])
    return await anyio.to_thread.run_sync(surroundings.preview, scene, code, abandon_on_cancel=True)


async def _nearest(prompting: Prompting, possible: Mapping[str, Blanks], since: int) -> str | None:
    """The skill that the task asks for, '' if none, by the model's earlier or new replies. None: something else is due.

    If the nearest is the person's own, the model is asked about it alone first: among many, a small model takes one that
    does only a part in fewer words."""
    record = prompting.record
    role, first = record.crew.roles[record.crew.chooser], next(iter(possible))
    turns = (turn for turn in record.state.turns if turn.number > since and turn.role == role.name)
    said, left = iter([turn.reply for turn in turns]), {**possible}

    async def told(now: Now, **shown: str) -> Chosen:
        if (before := next(said, None)) is not None:
            return Chosen.model_validate(before)
        return await prompting.asker.ask(role, now, _sight(prompting, role, **shown), Chosen) or Chosen()

    if not left[first].skill.shipped:
        same = (await told(Now(), skill=in_general(left.pop(first).skill))).same
        if same is not False:
            return first if same else None
    best = next(iter(left), "")
    if not best or (left[best].skill.shipped and left[best].asked.binding and not _elsewhere(left[best].asked)):
        return best
    close = [*left][:MOST]
    listed = "\n".join(f"- {each}: {in_general(left[each].skill)}" for each in close)
    which = (await told(Now(skills=(*close, NO_SKILL)), skills=listed)).skill
    return "" if which == NO_SKILL else which if which in left else None


def _elsewhere(asked: Named) -> bool:
    """Whether a request names only files that do not exist: its source, or the name of its result."""
    return bool(asked.new and not asked.files)


def _sight(prompting: Prompting, role: Role, **shown: str) -> Sight:
    return prompting.sight(role, **dict.fromkeys(("skills", "skill", "taught", "files"), "") | shown)


def _files(found: Blanks) -> str:
    """The files that a value may name, with the headings of their columns."""
    names = [value for info in found.values.model_fields.values() for value in _literals(info.annotation)]
    files = [name for name in dict.fromkeys(names) if name in found.there.files]
    known = [file for file in found.known.values() if file in found.there.files]
    tables = [file for file in (*known, *files) if found.there.headings(file)]
    lines = [f"{file} (columns: {', '.join(found.there.headings(file))})" for file in tables]
    return "; ".join((*lines, *(file for file in files if file not in tables)))


def _could_be(found: Blanks) -> str:
    """All that the values of a skill are or can be, except files, as one text."""
    open_ = (each for info in found.values.model_fields.values() for each in _literals(info.annotation))
    columns = [each.name for each in found.skill.method.parameters if each.kind not in ("file", "files", "folder")]
    return " ".join((*(found.known.get(name, "") for name in columns), *open_)).casefold()


def _slip(found: Blanks, task: str) -> Lacking | None:
    """A word that no value of the skill can be, and that is almost a heading that none can be either; None if none."""
    could_be = _could_be(found)
    headings = {each.casefold(): each for each in found.headings if each.casefold() not in could_be}
    for word in idle(found.asked, found.skill, {"": could_be}) if headings else ():
        if not any(same(word, each) for each in headings) and (near := get_close_matches(word, headings, 1, ALMOST)):
            files = (*found.known.values(), *found.asked.files, *found.there.files)
            table = next(file for file in files if headings[near[0]] in found.there.headings(file))
            return Lacking((_as_written(word, task),), table, slip=True)
    return None


def _as_written(word: str, task: str) -> str:
    return task[task.casefold().find(word) :][: len(word)]


def _homeless(found: Blanks) -> str:
    """A heading or cell that the request names and that no value of the skill can be; '' if there is none."""
    could_be = _could_be(found)
    told = said(found.asked, found.skill, (*found.columns, *_cells(found)))
    return next((each for each in told if each.casefold() not in could_be), "")


def _cells(found: Blanks) -> tuple[str, ...]:
    """The cells of the skill's tables that the request mentions, without words that the skill has anyway."""
    words = lexicon(found.skill)
    tables = (found.there.table(file) for file in found.known.values() if file in found.there.files)
    said = (cell for table in tables for cells in table.said(found.asked.bare).values() for cell in cells)
    return tuple(cell for cell in said if not words.issuperset(words_of(cell)))


def _literals(kind: Any) -> Iterable[str]:
    for each in getattr(kind, "__args__", ()):
        yield from (each,) if isinstance(each, str) else _literals(each)


def _taught(found: Blanks) -> str:
    """The filled-in task that the skill came from, or its parameters, as an example; only parameters that are asked for."""
    method = found.skill.method
    asked = [each for each in method.parameters if each.name in found.values.model_fields]
    reply = {each.name: _example(found, each.name) for each in asked}
    filled = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{each.name}: {each.description}" for each in asked if each.description]
    if method.provenance.task and all(each.value in method.provenance.task for each in method.parameters):
        return "\n".join((*lines, f"Request: {method.provenance.task}", f"Reply: {filled}"))
    return "\n".join((f"Chore: {found.skill.description}", *lines, f"Reply to another request: {filled}"))


def _example(found: Blanks, name: str) -> Any:
    """The value that a parameter was recorded or tried with, in the reply's form; for a function the most usual value."""
    parameter = next(each for each in found.skill.method.parameters if each.name == name)
    info = found.values.model_fields[name]
    if found.skill.method.function is not None:
        # What is not usual in an example is taken for usual.
        usual = "" if parameter.optional else next(iter(parameter.choices), parameter.value)
        parameter = parameter.model_copy(update={"value": usual})
    if getattr(info.annotation, "__origin__", None) is list:
        return [part.strip() for part in parameter.value.split(",") if part.strip()]
    if parameter.optional or parameter.kind not in ("integer", "number", "truth") or not parameter.value:
        return parameter.value
    return parameter.read(parameter.value)
