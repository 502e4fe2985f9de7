"""A proven run becomes a skill: values of its task become parameters, what was proven becomes the checks.

Of the screen a skill keeps what its steps need to be done again: windows, the control that was meant, what had the focus.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from deskcrew.english.texts import stands_in
from deskcrew.environments.evidence import compare
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ConfigError, UsageError
from deskcrew.events import Event
from deskcrew.journal.fold import CONTENT_ACTIONS, OUTPUT_ACTIONS
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.records import ending
from deskcrew.observation import Control, Observation, Window
from deskcrew.repeating.goals import goal_again
from deskcrew.repeating.recording import Recording, Step, recording
from deskcrew.repeating.values import Value, find_values, value_named
from deskcrew.request import secrets_of
from deskcrew.roles.view import operation_text
from deskcrew.skills.skill import PARAMETER, WORKSPACE, Method, Parameter, Provenance, SkillStep
from deskcrew.skills.trials import first_files, input_of
from deskcrew.verdict import Outcome

UNASKED = ("rules", "probe")
"""Who may have proven it: what looks again without a model and without a person."""
LONGEST_OUTPUT = 100_000
"""Characters of a result that a skill keeps, to tell what is new in the next one."""


def kept(journal: Journal, head: Event | None = None, params: Sequence[str] = ()) -> Method:
    """How the run's branch was done, as a skill has it. ``params``: as typed, ``name=value``, besides those that the task's
    quoted texts and files make; of a value that has a name already it is another name.

    Raises UsageError for a run that is not proven, or that nobody could prove again without being asked.
    """
    if journal.imported():
        raise UsageError(
            f"Run {journal.run} was imported: what it proves was seen elsewhere.", hint="Do it here, and keep that."
        )
    path = path_to(journal.all, head) if head is not None else list(journal.events)
    _check(journal.run, ending(path))
    found = recording(journal, head)
    if found.goal.question and found.goal.contract is None:
        raise _unfit(journal.run, "it answered a question, and that its answer is one was judged by a model")
    there = Manifest.from_bytes(journal.read_blob(found.files)).by_path if found.files else {}
    started = found.started
    method = Method(
        parameters=tuple(
            Parameter(name=each.name, kind=each.kind, value=each.value, given=each.kind == "file" and each.value in there)
            for each in _values(found, params)
        ),
        steps=tuple(_step(found, step) for step in found.steps),
        goal=goal_again(found.goal, lambda text: text),
        program=found.program,
        answer=found.answer,
        provenance=Provenance(
            run=journal.run,
            task=started.task,
            model=started.model,
            version=started.version,
            day=datetime.fromtimestamp(journal.all[0].header.time, UTC).date().isoformat(),
            desktop=started.desktop,
            secrets=tuple(sorted(secrets_of(journal))),
            ordered=found.goal.contract is not None and bool(found.goal.contract.consents),
        ),
    )
    return _elsewhere(method, started.workspace)


def kept_input(journal: Journal, method: Method, head: Event | None = None) -> str:
    """The input that the run had, as trials tell it (``skills/trials.py``)."""
    return input_of(method.parameters, {}, first_files(journal, head))


def words_of(name: str, description: str, method: Method) -> str:
    """What SKILL.md says of a skill below its front matter, for people and for other programs that read such folders."""
    lines = [f"# {name}", "", description, "", "## Parameters", ""]
    lines += [f"- `{each.name}` ({each.kind}), for example {each.value!r}" for each in method.parameters] or ["None."]
    lines += ["", "## Steps", ""]
    lines += [f"{number}. {step_words(step)}" for number, step in enumerate(method.steps, 1)]
    lines += ["", "## Done when", "", *(f"- {each}" for each in checks_of(method))]
    lines += ["", f"Deskcrew does it from `skill.json`: `deskcrew skill try {name}`."]
    return "\n".join(lines)


def step_words(step: SkillStep) -> str:
    """A step on one line, its control by name."""
    label = step.operation.control or ""
    control = step.before.control(label) if step.before is not None and label else None
    told = operation_text(step.operation.model_copy(update={"control": None}))
    return f"{told} on {control.role} {control.name!r}" if control is not None else told


def checks_of(method: Method) -> tuple[str, ...]:
    """What must hold when it is done, a sentence each."""
    contract = method.goal.contract
    if contract is not None:
        return tuple(each.says for each in contract.standing)
    return tuple(check.words for check in method.goal.checks)


def _check(run: str, outcome: Outcome | None) -> None:
    """Raise UsageError unless the run is done, and everything was seen by what can look again."""
    if outcome is None:
        raise _unfit(run, "it has not ended")
    if outcome.status != "done":
        raise _unfit(run, f"it ended {outcome.status}: {outcome.why or outcome.reason}")
    for proof in outcome.proofs:
        if not proof.proven or proof.by not in UNASKED:
            by = {"judge": "was judged by a model that read it", "human": "was confirmed by a person"}.get(proof.by, "")
            raise _unfit(run, f"{proof.says!r} {by or 'was not shown'}")
    if not outcome.proofs and outcome.verified_by not in UNASKED:
        raise _unfit(run, "it was not rules that saw it done")


def _unfit(run: str, why: str) -> UsageError:
    hint = "Only what typed checks and probes have proven can be checked again with other values."
    return UsageError(f"Run {run} cannot become a skill: {why.removesuffix('.')}.", hint=hint)


def _values(found: Recording, params: Sequence[str]) -> tuple[Value, ...]:
    """The parameters: those that are proposed and stand in an operation, and those that a person names."""
    proposed = find_values(found.started.task, found.started.attachments, found.steps)
    values = {
        each.value: each for each in proposed if set(each.places) - {"task", "attachment"} or _on_a_control(found, each)
    }
    named = set[str]()
    for text in params:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"--param {text!r} is not NAME=VALUE.", hint="For example --param month=June")
        if not re.fullmatch(PARAMETER, name):
            raise UsageError(f"{name!r} is no name of a parameter.", hint="Lower-case letters, digits and _, 40 at most.")
        if value in named:
            raise UsageError(f"--param gives {value!r} two names.", hint="Leave one out.")
        named.add(value)
        given = value_named(name, value, found.steps)
        if not given.places and not _on_a_control(found, given):
            raise UsageError(f"{value!r} stands in no operation of run {found.run}, so it cannot be a parameter.")
        values[value] = given
    names = [each.name for each in values.values()]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two parameters would be called {twice!r}.", hint="Name them apart with --param NAME=VALUE.")
    return tuple(values.values())


def _on_a_control(found: Recording, value: Value) -> bool:
    """Whether a control that was operated is called by it, such as the option that was chosen: with another value it is
    another control."""
    labels = ((found.observation(step.before), step.operation.control) for step in found.steps if step.operation.control)
    controls = (look.control(label) for look, label in labels)
    return any(control is not None and stands_in(value.value, control.name) for control in controls)


def _step(found: Recording, step: Step) -> SkillStep:
    before, after = found.observation(step.before), found.observation(step.after)
    learnt = step.operation.function in OUTPUT_ACTIONS | CONTENT_ACTIONS
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
    """What is needed of a look: nothing that controls or windows held, only what they were."""
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
    """The method without the folder that the run was in."""
    text = method.model_dump_json()
    inside = json.dumps(workspace, ensure_ascii=False)[1:-1]
    try:
        return Method.model_validate_json(text.replace(inside, WORKSPACE) if inside else text)
    except ValueError as error:
        raise ConfigError("The skill's texts cannot be told from its run's folder.") from error
