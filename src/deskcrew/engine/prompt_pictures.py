"""The pictures in prompts for models with vision: the screen, if its text form is poor, and picture files in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from deskcrew.actions import media
from deskcrew.actions.action import LOOKS, ON_DESKTOP
from deskcrew.actions.files import READ_FILE
from deskcrew.engine.prompting import Prompting, offered
from deskcrew.engine.record import Record
from deskcrew.engine.roles.prompt import Picture
from deskcrew.engine.roles.role import Role
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.marks import marks
from deskcrew.environments.pictures import FORMATS
from deskcrew.environments.pointing import POINTING
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation, PictureRead
from deskcrew.facts.observation import Observation
from deskcrew.facts.texts import names_file


def pictures_for(prompting: Prompting, role: Role) -> tuple[Picture, ...]:
    """The pictures for a decision of a role, the most useful last: if a model takes fewer, the first are left out."""
    profile = prompting.asker.model(role).profile
    if not profile.vision:
        return ()
    return (*_of_the_workspace(prompting.surroundings, role, max(1, profile.max_images)), *_of_the_screen(prompting, role))


def around(surroundings: Surroundings, function: str, before: Observation) -> tuple[Picture, ...]:
    """The screen before and after an operation, for its reviewer; () if the operation does not work in windows (C10)."""
    if surroundings.actions[function].needs not in ON_DESKTOP:
        return ()
    return before_and_after(surroundings, before, "the operation", always=function in POINTING)


def before_and_after(
    surroundings: Surroundings, before: Observation, what: str, *, always: bool = False
) -> tuple[Picture, ...]:
    """The screen before and after something, if its text form is poor or pictures are ``always`` wanted."""
    if not (always or surroundings.record.crew.pictures == "always" or before.drawn or surroundings.now.drawn):
        return ()
    if before.screenshot is not None and before.screenshot == surroundings.now.screenshot:
        return (Picture(f"The screen, the same before and after {what}:", before.screenshot),)
    looks = ((f"The screen before {what}:", before), (f"The screen after {what}:", surroundings.now))
    return tuple(Picture(caption, look.screenshot) for caption, look in looks if look.screenshot)


# -- the screen


def _of_the_screen(prompting: Prompting, role: Role) -> tuple[Picture, ...]:
    """The screen, plain and with marks, for roles that work in windows and are told of them."""
    seen = prompting.surroundings.now
    told = "observation" in role.reads
    works_there = told and any(action.needs in ON_DESKTOP for action in prompting.actions_of(role).values())
    if (
        seen.screenshot is None
        or not works_there
        or not (prompting.record.crew.pictures == "always" or seen.drawn is not None or _goes_by_it(prompting, role))
    ):
        return ()
    size = f", {seen.screen.width} x {seen.screen.height} pixels" if seen.screen is not None else ""
    return (
        Picture(f"The screen{size}:", seen.screenshot),
        Picture("The same, each control with its label:", marks(offered(seen))),
    )


def _goes_by_it(prompting: Prompting, role: Role) -> bool:
    """Whether the role needs the screenshot: its last reply acted on points of it, or only looked at the screen or failed
    there, so that what it was told in words was not enough."""
    turn, actions = prompting.record.state.turn, prompting.surroundings.actions
    if turn is None or turn.role != role.name:
        return False
    if any(each.operation.function in POINTING for each in turn.done):
        return True
    done = [(actions[each.operation.function].gesture, each.ok) for each in turn.done if each.operation.function in actions]
    return bool(done) and all(gesture in LOOKS or (gesture and not ok) for gesture, ok in done)


# -- the workspace


def _of_the_workspace(surroundings: Surroundings, role: Role, most: int) -> tuple[Picture, ...]:
    """The last ``most`` pictures of files that are in use."""
    if surroundings.desk.vault:
        return ()  # what a file shows of a secret nobody could take out
    shown: list[Picture] = []
    for path in reversed(_in_use(surroundings, role)):
        if len(shown) == most:
            break
        if (data := _picture(surroundings.record, path)) is not None:
            shown.append(Picture(f"The picture {path}:" if (frames := media.asked(path)) is None else frames.words, data))
    return tuple(reversed(shown))


def _in_use(surroundings: Surroundings, role: Role) -> tuple[str, ...]:
    """Pictures that were attached to the task or are named in it, then those that the role has read recently."""
    state = surroundings.record.state
    there = [entry.path for entry in surroundings.now.files if entry.kind == "file" and _is_picture(entry.path)]
    attached = state.started.attachments if state.started is not None else ()
    of_task = [path for path in there if path in attached or names_file(state.task, path)]
    own = [turn for turn in state.turns if turn.role == role.name][-max(1, role.short_term) :]
    read = [path for turn in own for each in turn.done if (path := _shown_by(each.operation, there))]
    # What was used last comes last, once.
    return tuple(reversed(dict.fromkeys(reversed([*of_task, *read]))))


def _shown_by(operation: Operation, pictures: Sequence[str]) -> str:
    """The picture file or video frames that an operation read; '' if none."""
    path = str(operation.params.get("file_path") or "")
    match operation.function:
        case READ_FILE.name if path in pictures:
            return path
        case media.VIDEO_FRAMES.name:
            return media.address(operation.params)
        case _:
            return ""


def _is_picture(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in FORMATS


def _picture(record: Record, path: str) -> bytes | None:
    """A picture of the workspace as prompts show it; None if it is not one. If it differs from what was last read, it
    is recorded as an event before it is used."""
    data, error = b"", ""
    try:
        data = record.picture(path)
    except ActionError as problem:
        error = str(problem)
    body = PictureRead(path=path, picture=record.journal.blob(data) if data else "", error=error)
    if record.state.pictures_read.get(path) != body:
        record.journal.append(body, lane=record.lane)
    return data or None
