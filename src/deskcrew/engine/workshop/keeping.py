"""Turns a proven run into a skill: values in its task become parameters, and what was proven becomes the checks.

Of the screen, a skill keeps only what is needed to repeat its steps: windows, the controls acted on, and the focus.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from deskcrew.actions import action_of, builtin
from deskcrew.engine.request import allowed_skills, own_skills, secrets_of, usable_actions
from deskcrew.engine.workshop.proposing import files_of_check, typed_values
from deskcrew.engine.workshop.showing import block, checks_of, proven_when, ways_of
from deskcrew.environments.evidence import compare
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ConfigError, UsageError
from deskcrew.evidence.changes import saved_states
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import OF_THE_SCREEN, Requirement, TypedCheck
from deskcrew.facts.events import Event, GoalSet, Saved
from deskcrew.facts.meant import unknown
from deskcrew.facts.observation import Control, Observation, Window
from deskcrew.facts.texts import file_names, latin_words, quoted, stands_in
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.records import ending
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.learning.repeating.goals import goal_again
from deskcrew.learning.repeating.recording import Recording, Step, recording
from deskcrew.learning.repeating.values import Value, built_in, find_values, value_named
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.openapi import ServiceOperation
from deskcrew.learning.skills.scoring import UNASKED
from deskcrew.learning.skills.skill import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    MOST_STEPS,
    NAMES,
    WORKSPACE,
    Method,
    Parameter,
    Provenance,
    Skill,
    SkillStep,
    action_name,
    names_parameter,
)
from deskcrew.learning.skills.trials import Trial, Trials, first_files, input_of
from deskcrew.secrets.vault import PLACEHOLDER
from deskcrew.settings import Settings

T = TypeVar("T")
LONGEST_OUTPUT = 100_000
"""The maximum length in characters of a result that a skill keeps to compare it with the next one."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """A person's changes to what is proposed. ``params``: additional parameters as ``name=value``, or another name for
    the value of a proposed one; ``fixed``: names of proposed parameters that stay constants; ``dropped`` and
    ``unchecked``: numbers of steps and checks to leave out, from 1; ``checks``: additional checks."""

    params: Sequence[str] = ()
    fixed: Sequence[str] = ()
    dropped: Sequence[int] = ()
    unchecked: Sequence[int] = ()
    checks: Sequence[TypedCheck] = ()


AS_PROPOSED = Corrections()


def kept(journal: Journal, head: Event | None = None, corrections: Corrections = AS_PROPOSED) -> Method:
    """The run's branch as the method of a skill. Its parameters are the quoted texts and files in its task or, after a
    demonstration, what the person typed.

    Raises UsageError for a run that is not proven, or whose proof cannot be repeated without asking a model or a
    person; JournalError for a record that was altered.
    """
    journal.check_intact()
    if journal.imported():
        raise UsageError(
            f"Run {journal.run} was imported: it was verified elsewhere.", hint="Do the task here, and keep that run."
        )
    path = path_to(journal.all, head) if head is not None else list(journal.events)
    check_proven(journal.run, ending(path))
    found = recording(journal, head)
    if found.goal.question and found.goal.contract is None:
        raise _unfit(journal.run, "it answered a question, and a model judged the answer")
    _held(path, journal, corrections.checks)
    goal = _corrected(goal_again(found.goal, lambda text: text), corrections)
    left = _without(found.steps, corrections.dropped, "step")
    if not left:
        raise UsageError("A skill needs a step.", hint="Drop fewer.")
    if len(left) > MOST_STEPS:
        raise UsageError(f"A skill has at most {MOST_STEPS} steps, and this has {len(left)}.", hint="Drop some.")
    found = replace(found, steps=left)
    there = Manifest.from_bytes(journal.read_blob(found.files)).by_path if found.files else {}
    started = found.started
    method = Method(
        parameters=tuple(
            Parameter(name=each.name, kind=each.kind, value=each.value, given=each.kind == "file" and each.value in there)
            for each in _values(found, corrections)
        ),
        steps=tuple(_step(found, step) for step in found.steps),
        goal=goal,
        program=found.program,
        answer=found.answer,
        provenance=Provenance(
            run=journal.run,
            task=started.task,
            model=started.model,
            version=started.version,
            day=datetime.fromtimestamp(journal.all[0].header.time, UTC).date().isoformat(),
            desktop=started.desktop,
            secrets=tuple(sorted(secrets_of(journal) | _secrets(found))),
            ordered=found.ordered or bool(found.goal.contract and found.goal.contract.consents),
        ),
    )
    return _elsewhere(method, started.workspace)


def keep(
    journal: Journal,
    settings: Settings,
    place: Path,
    name: str = "",
    description: str = "",
    head: Event | None = None,
    corrections: Corrections = AS_PROPOSED,
) -> Skill:
    """Keep the run's branch as a skill in the folder ``place``. ``name`` and ``description``: '' derives them from the task.

    The run counts as the skill's first success, unless it was a person's demonstration. Raises what :func:`kept`
    raises, and ConfigError and UsageError for an invalid or taken name.
    """
    method = kept(journal, head, corrections)
    said = " ".join((description or method.provenance.task).split())[:LONGEST_DESCRIPTION]
    called = name or named_after(method.provenance.task)
    check_free(called, settings)
    files = skill_files(called, said, method)
    skill = folders.parse(called, files, str(place / called))
    folders.write(place / called, files)
    if place != own_skills(settings):
        allowed_skills(settings).add(skill.digest, str(place / called))
    started = journal.state.started
    if started is None or started.crew != TAUGHT:
        trial = Trial(run=journal.run, input=kept_input(journal, method, head), done=True)
        Trials(settings.data).add(skill.digest, trial)
    return skill


def constants(method: Method) -> dict[str, str]:
    """The quoted texts and files of the task that the skill always uses, each with why it cannot be a parameter."""
    task, operations = method.provenance.task, [step.operation for step in method.steps]
    taken = {each.value for each in method.parameters}
    named = [value for value in (*quoted(task), *file_names(task)) if value not in taken]
    return {value: why for value in named if (why := built_in(value, operations, method.program))}


def received(source: folders.Source, settings: Settings) -> Skill:
    """Somebody else's skill, to be shown to the user. Raises ConfigError if it is invalid, or needs an action that is
    missing."""
    skill = folders.load(source)
    there = builtin() | usable_actions(settings)
    unknown = [step.operation.function for step in skill.method.steps if step.operation.function not in there]
    if unknown:
        hint = "If a file or an MCP server adds it, allow that first: deskcrew actions allow FILE, deskcrew actions connect."
        raise ConfigError(f"The skill {skill.name} needs an action {unknown[0]!r}, which does not exist here.", hint=hint)
    return skill


def check_free(name: str, settings: Settings) -> None:
    """Raise ConfigError for an invalid skill name, UsageError for an action's name: runs could not be offered the skill."""
    folders.check_name(name)
    if (action := action_name(name)) in builtin() | usable_actions(settings):
        raise UsageError(f"{name!r} cannot be the name of a skill: {action} is an action.", hint="Give it another --name.")


def check_parameter(name: str) -> None:
    """Raise UsageError if ``name`` cannot be a parameter's name."""
    if not names_parameter(name):
        raise UsageError(f"{name!r} cannot name a parameter.", hint=NAMES)


def take(source: folders.Source, settings: Settings, name: str = "") -> Skill:
    """Add somebody else's skill to the user's own and allow this version: the caller has shown the user what it does.
    ``name``: a new name, '' to keep its own. Its score is not imported. Raises what :func:`received` and :func:`check_free`
    raise, and UsageError for a taken name."""
    skill = received(source, settings)
    files = source.files
    check_free(name or skill.name, settings)
    if name:
        files = {**files, **skill_files(name, skill.description, skill.method)}
        skill = folders.parse(name, files, source.sent)
    place = own_skills(settings) / skill.name
    folders.write(place, files)
    allowed_skills(settings).add(skill.digest, str(place))
    return skill


def named_after(task: str) -> str:
    """A name from the first words of a task."""
    name = ""
    for word in latin_words(task)[:5]:
        longer = f"{name}-{word}" if name else word
        name = longer if len(longer) <= LONGEST_NAME else name
    return name if name[:1].isalpha() else f"skill-{name}".rstrip("-")[:LONGEST_NAME]


def kept_input(journal: Journal, method: Method, head: Event | None = None) -> str:
    """The identity of the run's input, as trials record it (``learning/skills/trials.py``)."""
    return input_of(method.parameters, {}, first_files(journal, head))


def skill_files(name: str, description: str, method: Method) -> dict[str, bytes]:
    """The files of a skill. Below its front matter, SKILL.md explains to people, and to other programs that read such
    folders, how it is done: with all code but that in ``scripts/``. Nothing is read from it again."""
    lines = [f"# {name}", "", description, "", "## Parameters", ""]
    lines += [f"- `{each.name}` ({each.kind}), for example {each.value!r}" for each in method.parameters] or ["None."]
    lines += ["", "## Steps", ""]
    lines += [block(f"{number}. {each}") for number, each in enumerate(ways_of(method), 1)]
    lines += ["", f"## {proven_when(method)}", "", *(f"- {each}" for each in checks_of(method))]
    lines += ["", "## The program that checks it", "", block(method.program)] if method.program else []
    lines += ["", f"Deskcrew does it from `skill.json`: `deskcrew skill try {name}`."]
    return folders.files_of(name, description, method, "\n".join(lines))


def keep_operations(found: Iterable[ServiceOperation], place: Path) -> tuple[list[Skill], dict[str, str]]:
    """Write operations of a web service as skills below ``place``. Returns the skills, and the reasons for the operations
    that were left out, by id."""
    kept, left = list[Skill](), dict[str, str]()
    for each in found:
        if each.method is None:
            left[each.id] = each.why
        elif (place / each.name).exists():
            left[each.id] = f"there is a skill {each.name!r} already"
        elif (action := action_name(each.name)) in builtin():
            left[each.id] = f"there is an action {action!r}"
        else:
            files = skill_files(each.name, each.description, each.method)
            kept.append(folders.parse(each.name, files, str(place / each.name)))
            folders.write(place / each.name, files)
    return kept, left


def check_proven(run: str, outcome: Outcome | None) -> None:
    """Raise UsageError unless the run is done, and proven by checks that can be repeated."""
    if why := why_unproven(outcome):
        raise _unfit(run, why)


def why_unproven(outcome: Outcome | None) -> str:
    """Why a run does not count as done and proven by repeatable checks; '' if it does."""
    if outcome is None:
        return "it has not ended"
    if outcome.status != "done":
        return f"it ended {outcome.status}: {outcome.why or outcome.reason}"
    if outcome.unordered:
        return f"it did what nobody ordered: {'; '.join(outcome.unordered)}"
    for proof in outcome.proofs:
        if not proof.proven or proof.by not in UNASKED:
            by = {"judge": "was judged by a model that read it", "human": "was confirmed by a person"}.get(proof.by, "")
            return f"{proof.says!r} {by or 'was not shown'}"
    if not outcome.proofs and outcome.verified_by not in UNASKED:
        return "it was not proven by rules"
    return ""


def _unfit(run: str, why: str) -> UsageError:
    hint = "A run that ended done can, if programs checked it and not a model. `deskcrew runs` lists your runs."
    return UsageError(f"Run {run} cannot become a skill: {why.removesuffix('.')}.", hint=hint)


def _unchecked(hint: str) -> UsageError:
    return UsageError("A skill needs a check: something that must hold when it is done.", hint=hint)


def _without(numbered: Sequence[T], left_out: Sequence[int], what: str) -> tuple[T, ...]:
    """The items whose numbers, from 1, are not left out. Raises UsageError for a number out of range."""
    odd = [number for number in left_out if not 0 < number <= len(numbered)]
    if odd:
        raise UsageError(f"There is no {what} {odd[0]}.", hint=f"They are numbered from 1 to {len(numbered)}.")
    return tuple(each for number, each in enumerate(numbered, 1) if number not in left_out)


def _corrected(goal: GoalSet, corrections: Corrections) -> GoalSet:
    """The goal with a person's changes to its checks. Raises UsageError if that is impossible, or leaves no check."""
    if goal.contract is None:
        checks = _without(goal.checks, corrections.unchecked, "check")
        if corrections.checks:
            raise UsageError("This run's checks come from its task's words.", hint="Checks can only be added to a contract.")
        if not checks:
            raise _unchecked("Leave one.")
        return goal.model_copy(update={"checks": checks})
    standing = _without(goal.contract.standing, corrections.unchecked, "check")
    if not standing and not corrections.checks:
        raise _unchecked("Add one, or leave one.")
    last = max((int(each.id) for each in goal.contract.requirements), default=0)
    added = (
        Requirement(id=str(number), says=check.words, seen_by="checks", files=files_of_check(check), checks=(check,))
        for number, check in enumerate(corrections.checks, last + 1)
    )
    return goal.model_copy(update={"contract": goal.contract.model_copy(update={"requirements": (*standing, *added)})})


def _held(path: Sequence[Event], journal: Journal, checks: Sequence[TypedCheck]) -> None:
    """Raise UsageError for an added check of files that did not hold at the end of the run, or held at its start already."""
    of_files = [check for check in checks if check.kind not in OF_THE_SCREEN]
    if not of_files or not any(isinstance(event.body, Saved) for event in path):
        return
    states = saved_states(path, journal.read_blob)
    with tempfile.TemporaryDirectory(prefix="deskcrew-keep-") as folder:
        end_there, start_there = states.lay_out(list(islice(states.all(), 2)), Path(folder))
        for check in of_files:
            right, found = holds(check, Side(end_there, start_there, Observation()))
            if right is not True:
                raise UsageError(f"A check must hold at the end of the run: {check.words}. It did not: {found}.")
            if holds(check, Side(start_there, start_there, Observation()))[0] is True:
                hint = "Give one that only holds because of what was done."
                raise UsageError(f"A check must not hold at the start already: {check.words}.", hint=hint)


def _secrets(found: Recording) -> set[str]:
    """Names of the secrets that a person typed in a demonstration."""
    texts = (str(step.operation.params.get("keys") or "") for step in found.steps)
    return {name for text in texts for name in PLACEHOLDER.findall(text)}


def _proposed(found: Recording) -> dict[str, Value]:
    if found.started.crew == TAUGHT:
        return {each.value: each for each in typed_values(found)}
    proposed = find_values(found.started.task, found.started.attachments, found.steps, found.program)
    return {each.value: each for each in proposed if not each.fixed and _is_used(found, each)}


def _values(found: Recording, corrections: Corrections) -> tuple[Value, ...]:
    """The proposed parameters, with the person's changes. Raises UsageError if a change is impossible."""
    values = _proposed(found)
    for name in corrections.fixed:
        same = next((value for value, each in values.items() if each.name == name), None)
        if same is None:
            raise unknown(f"No parameter {name!r} is proposed", name, [each.name for each in values.values()])
        del values[same]
    named = set[str]()
    for text in corrections.params:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"--param {text!r} is not NAME=VALUE.", hint="For example --param month=June")
        check_parameter(name)
        if value in named:
            raise UsageError(f"--param gives {value!r} two names.", hint="Leave one out.")
        named.add(value)
        given = value_named(name, value, found.steps, found.program)
        if given.fixed:
            hint = f"Leave --param {name} out: the skill always uses it."
            raise UsageError(f"{value!r} cannot be a parameter: {given.fixed}.", hint=hint)
        if not _is_used(found, given):
            raise UsageError(f"{value!r} occurs as data in no operation of run {found.run}, so it cannot be a parameter.")
        values[value] = given
    names = [each.name for each in values.values()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two parameters would be called {twice!r}.", hint="Give them different names: --param NAME=VALUE.")
    return tuple(values.values())


def _is_used(found: Recording, value: Value) -> bool:
    """Whether another value would change an operation."""
    return bool(set(value.places) - {"task", "attachment"}) or _on_a_control(found, value)


def _on_a_control(found: Recording, value: Value) -> bool:
    """Whether the value is the name of a control that was operated, such as a chosen option: another value then means
    another control."""
    labels = ((found.observation(step.before), step.operation.control) for step in found.steps if step.operation.control)
    controls = (look.control(label) for look, label in labels)
    return any(control is not None and stands_in(value.value, control.name) for control in controls)


def _step(found: Recording, step: Step) -> SkillStep:
    before, after = found.observation(step.before), found.observation(step.after)
    action = action_of(step.operation)
    learnt = action is not None and action.learnt
    if learnt and len(step.output) > LONGEST_OUTPUT:
        raise _unfit(found.run, f"event {step.number} returned more than a skill can keep")
    changed = compare(before, after) if step.before is not None and step.after is not None else None
    gone = {*changed.files_changed, *changed.files_deleted} if changed else set[str]()
    new = {*changed.files_changed, *changed.files_created} if changed else set[str]()
    label = step.operation.control
    return SkillStep(
        operation=step.operation,
        intention=step.intention,
        before=_needed(before, label, gone) if step.before is not None else None,
        after=_needed(after, label, new) if step.after is not None else None,
        held=step.held,
        exit_code=step.exit_code,
        output=step.output if learnt else "",
    )


def _needed(seen: Observation, label: str | None, files: set[str]) -> Observation:
    """The part of an observation that is needed: which windows and controls there were, without their contents."""
    wanted = {label, seen.focus} - {None}
    return Observation(
        screen=seen.screen,
        windows=tuple(_window(each) for each in seen.windows),
        controls=tuple(_control(each) for each in seen.controls if each.label in wanted),
        focus=seen.focus,
        files=tuple(each for each in seen.files if each.path in files),
    )


def _window(window: Window) -> Window:
    return window.model_copy(update={"pid": None, "url": ""})


def _control(control: Control) -> Control:
    return control.model_copy(update={"value": None, "options": (), "behind": None})


def _elsewhere(method: Method, workspace: str) -> Method:
    """The method with :data:`WORKSPACE` in place of the path of the run's folder. Raises ConfigError if that breaks it."""
    text = method.model_dump_json()
    inside = json.dumps(workspace, ensure_ascii=False)[1:-1]
    try:
        return Method.model_validate_json(text.replace(inside, WORKSPACE) if inside else text)
    except ValueError as error:
        raise ConfigError("The skill's texts cannot be distinguished from the path of its run's folder.") from error
