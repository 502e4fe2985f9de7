"""Dialogs of a browser, which block the page: alerts, confirmations, prompts, and file choosers.

In an observation each is a dialog with buttons and at most one field, as on a desktop; to the page it is what the browser
would have shown.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Dialog, FileChooser, FilePayload

from deskcrew.errors import ActionError

LARGEST_UPLOAD = 50_000_000
"""The maximum size of the files given to one file chooser."""
Open = Callable[[str], Path]
"""Returns a readable path for a path of the workspace. Raises ActionError, worded for the model."""


@dataclass
class Question:
    """A dialog. ``field``: the name of its field, '' if it has none; ``text``: the field's content."""

    title: str
    message: str
    buttons: tuple[str, str | None]
    """The accepting button, and the declining one; None if there is no declining one."""
    source: Dialog | FileChooser
    field: str = ""
    text: str = ""
    answering: bool = False
    """Whether one of the buttons has been pressed."""

    @classmethod
    def of_dialog(cls, dialog: Dialog, title: str) -> Question:
        """The dialog of an alert, a confirmation, a prompt, or a page that asks before it is left."""
        if dialog.type == "beforeunload":
            return cls("Leave this page?", dialog.message or "What was entered may be lost.", ("Leave", "Stay"), dialog)
        declines = None if dialog.type == "alert" else "Cancel"
        field = "Answer" if dialog.type == "prompt" else ""
        return cls(f"{title} says", dialog.message, ("OK", declines), dialog, field, dialog.default_value)

    @property
    def leaves(self) -> bool:
        """Whether the page asks before it is left."""
        return isinstance(self.source, Dialog) and self.source.type == "beforeunload"

    @classmethod
    def of_chooser(cls, chooser: FileChooser) -> Question:
        """The dialog of a file chooser."""
        several = ", several separated by commas" if chooser.is_multiple() else ""
        return cls("Open File", f"A file of the workspace{several}.", ("Open", "Cancel"), chooser, "File name")

    async def answer(self, agrees: bool, open_file: Open) -> None:
        """Press one of the buttons. Raises ActionError if a named file cannot be uploaded."""
        self.answering = True
        if isinstance(self.source, FileChooser):
            await self.source.set_files(payloads(self.text, self.source.is_multiple(), open_file) if agrees else [])
        elif agrees:
            await self.source.accept(self.text if self.field else None)
        else:
            await self.source.dismiss()


def payloads(named: str, several: bool, open_file: Open) -> list[FilePayload]:
    """The files of the workspace that a text names, as a page gets them. Raises ActionError if they cannot be uploaded."""
    names = [name.strip().strip('"') for name in named.split(",")] if several else [named.strip().strip('"')]
    names = [name for name in names if name]
    if not names:
        raise ActionError("Type the name of a file of the workspace first.")
    files: list[FilePayload] = []
    for name in names:
        path = open_file(name)
        if path.stat().st_size + sum(len(file["buffer"]) for file in files) > LARGEST_UPLOAD:
            raise ActionError(f"{name} is too large: at most {LARGEST_UPLOAD // 1_000_000} MB can be given to a page.")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        files.append({"name": Path(name).name, "mimeType": kind, "buffer": path.read_bytes()})
    return files
