"""The fields that every form for a task has: model, crew, folder, hosts and limits."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Form
from pydantic import BaseModel, ValidationError

from deskcrew.engine.request import RunRequest, existing_folder, usual
from deskcrew.errors import UsageError
from deskcrew.evidence.required import check_of, contract_in, contract_of, program_of, with_required
from deskcrew.facts.contract import Contract
from deskcrew.models.prices import price_known
from deskcrew.models.reference import FILES, parse
from deskcrew.settings import Limits, Settings
from deskcrew.ways_in.web.context import Here
from deskcrew.ways_in.web.fields import FieldError, of_field
from deskcrew.ways_in.web.offering import check_model

PROGRAM = "your program"
Text = Annotated[str, Form()]


class LimitForm(BaseModel):
    """The limits that a form may set; '' leaves a limit as it is."""

    operations: str = ""
    seconds: str = ""
    tokens: str = ""
    money: str = ""

    def limits(self, usual: Limits, *, form: str = "") -> Limits:
        """``usual`` with the limits that were filled in. ``form``: the prefix of their field names.

        Raises FieldError with a readable message for an invalid one.
        """
        values = usual.model_dump(exclude_unset=True) | self.filled
        try:
            return Limits.model_validate(values)
        except ValidationError as error:
            name = str(error.errors()[0]["loc"][0])
            label = "Spend at most" if name == "money" else name.capitalize()
            raise FieldError(f"{label}: {Limits.taken(name)}.", field=form + name) from error

    @property
    def filled(self) -> dict[str, str]:
        """The limits that were filled in, by name."""
        given = {name: str(getattr(self, name)).strip() for name in LimitForm.model_fields}
        return {name: text for name, text in given.items() if text}


class TaskForm(LimitForm):
    """The fields as a person filled them in; '' means the settings' value."""

    task: str
    model: str = ""
    crew: str = ""
    workspace: str = ""
    copied: bool = False
    hosts: str = ""
    network: bool = False
    require: str = ""
    program: str = ""
    contract: str = ""

    def request(self, settings: Settings) -> RunRequest:
        """The request that the form describes. Raises FieldError for an invalid field. Blocking."""
        if not self.task.strip():
            hint = "In plain words, as you would tell somebody else."
            raise FieldError("Say what is to be done.", hint=hint, field="task")
        with of_field("model"):
            chosen = model_named(self.model.strip() or settings.model, settings)
        with of_field("workspace"):
            work = folder_named(self.workspace, settings)
            if self.copied and work is None:
                raise FieldError("There is no folder to copy.", hint="Name it, or leave the box empty.", field="workspace")
        limits = self.limits(settings.limits)
        if limits.money is not None and not price_known(chosen, settings.prices):
            hint = "Name a model whose price is known, or limit tokens instead."
            raise FieldError(
                f"The price of {chosen} is not known, so a limit in money cannot be enforced.", hint=hint, field="money"
            )
        base = usual(settings)
        return replace(
            base,
            task=self.task.replace("\r\n", "\n"),
            model=chosen,
            crew=self.crew.strip() or base.crew,
            workspace=work,
            copy=self.copied,
            limits=limits,
            network=self.network,
            hosts=tuple(self.hosts.split()),
            memory=settings.memory.use,
            required=required_with(self.require, self.program, self.contract),
        )


def _asked(web: Here, form: Annotated[TaskForm, Form()]) -> RunRequest:
    return form.request(web.settings)


Asked = Annotated[RunRequest, Depends(_asked)]
"""A route's parameter of this type is the request that the fields shared by such forms describe."""


def required_with(require: str, program: str, contract: str) -> Contract | None:
    """What must hold in the end, from a form: one requirement per line, the text of a program, and a whole contract. Raises
    FieldError for an invalid one."""
    with of_field("require"):
        checks = [check_of(line) for line in require.splitlines() if line.strip()]
    with of_field("program"):
        text = program.replace("\r\n", "\n")
        programs = [program_of(text, PROGRAM)] if text.strip() else []
    with of_field("contract"):
        named = contract_of(checks, programs)
        return with_required(contract_in(contract, "What you wrote"), named) if contract.strip() else named


def model_named(given: str, settings: Settings) -> str:
    """The model that a form names. Raises UsageError if it cannot be used. On a server for several people, it may be neither
    a file, whose content they could read as replies, nor an address, which would be sent the server's key."""
    check_model(given)
    if settings.person and given != settings.model:
        reference = parse(given)
        if reference.kind in (*FILES, "server") or (reference.kind == "local" and "/" in reference.name):
            hint = "Name a provider's model, or leave it as it is."
            raise UsageError(f"{given!r} is not a model that you may choose.", hint=hint)
    return given


def folder_named(given: str, settings: Settings) -> Path | None:
    """The folder that a form names, None for ''. Raises UsageError if it is not a folder, or, on a server for several
    people, not one of the person's runs."""
    if not given.strip():
        return None
    path = Path(given.strip())
    with suppress(RuntimeError):  # a home of nobody is no full path
        path = path.expanduser()
    if settings.person and not path.resolve().is_relative_to((settings.data / "workspaces").resolve()):
        hint = "Leave it empty for a new folder, and attach the files."
        raise UsageError(f"{given.strip()!r} is not the folder of one of your runs.", hint=hint)
    if not path.is_absolute():
        raise UsageError(f"There is no folder {given.strip()!r} on this machine.", hint="Give its full path.")
    return existing_folder(path)
