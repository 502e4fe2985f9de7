"""Asking a role: a prompt, one request, and the reply as an event. A retry after a malformed reply is simply another
request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypedDict, TypeVar, Unpack

import anyio
from pydantic import BaseModel, ValidationError

from deskcrew.actions.action import Action
from deskcrew.actions.narrowing import foresees, offered
from deskcrew.engine.human.interventions import Interventions
from deskcrew.engine.human.questions import EditedReply, ReplyQuestion
from deskcrew.engine.limits import may_ask, out_of_time
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.explained import reply_text
from deskcrew.engine.roles.prompt import Picture, render
from deskcrew.engine.roles.recalling import recall
from deskcrew.engine.roles.replies import from_event, meant_for, reply_type, to_event
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import CONSENTING, Now
from deskcrew.engine.roles.view import Sight, corrected, view
from deskcrew.errors import CrewMistake, ModelFailure
from deskcrew.facts.canonical import canonical
from deskcrew.facts.events import Event, HumanSaid, PartRef, RoleCalled, RoleReplied
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.plan import Subtask
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import HUMAN, Correction
from deskcrew.learning.memory.long_term import LongTerm
from deskcrew.models.client import Answer, Call, Malformed, Model, Part, Text
from deskcrew.secrets.redactor import Redactor
from deskcrew.settings import Limits

ANEW = 0.7
"""Minimum temperature when a role is asked again without being told what to change."""
CONTROL = " (control: its number on the screen, or '' where an operation can do without{})"
"""What prompts say about operations if any of them targets a control."""
AHEAD = '; of one that an operation before it brings up its name: Oslo, option "Oslo" or button "Delete" in "Bo"'
"""What prompts add if controls that are not there yet may be named."""
IN_THE_SCHEMA = "as the schema of your reply describes them."
"""What prompts say instead of listing operations if the model is shown the schema."""
PATIENCE = 600.0
"""Seconds for which a model's server may fail before the run ends, to be continued later."""
SAID_LENGTH = 1000
"""Length of the excerpt of a rejected reply that its role is shown, in characters."""


Check = Callable[[JsonObject], None]
"""Raises CrewMistake for a reply that is well formed but impossible, such as a circular plan."""
SaidT = TypeVar("SaidT", bound=BaseModel)
"""The class as which a reply is read: see ``engine/roles/said.py``."""


class RequestParts(TypedDict, total=False):
    """Optional parts of a request. ``wide``: everything that could be named, for models whose schema stays constant."""

    wide: Now
    subtask: Subtask | None
    actions: Mapping[str, Action]
    pictures: Sequence[Picture]


@dataclass(frozen=True, slots=True)
class RoleRequest:
    """A recorded request, and what its reply may be. ``narrow``: the reply's type; ``wire``: the type that the model is
    given, which may admit more."""

    role: Role
    now: Now
    subtask: Subtask | None
    event: Event
    call: Call
    narrow: type[BaseModel]
    wire: type[BaseModel]
    check: Check | None = None

    @property
    def lane(self) -> str:
        return self.subtask.id if self.subtask is not None else ""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the roles of one crew. ``models``: by role name, with ``''`` for all others."""

    journal: Journal
    crew: Crew
    models: Mapping[str, Model]
    limits: Limits
    interventions: Interventions
    seed: int | None = None
    until: Callable[[], float | None] = lambda: None
    """When the run's time is up, by the monotonic clock: no call continues past it."""
    memory: LongTerm | None = None
    """None: nothing is recalled."""
    redactor: Redactor = field(default_factory=Redactor)
    """Every prompt passes through it, so that no secret's value reaches a model, whatever text it occurs in."""

    def model(self, role: Role) -> Model:
        """The model of a role. Roles that read what the user consents to share the model of the contract's writer."""
        others = (self.crew.contract,) if role.kind in CONSENTING else ()
        named = (self.models[name] for name in (role.name, *others) if name in self.models)
        return next(named, self.models[""])

    async def ask(
        self,
        role: Role,
        now: Now,
        sight: Sight,
        kind: type[SaidT],
        *,
        check: Callable[[SaidT], None] | None = None,
        **more: Unpack[RequestParts],
    ) -> SaidT | None:
        """Make one request, and read the reply as ``kind``. Returns None if the reply is not used; the reason is in the
        state, and the next prompt shows it. Arguments as for :meth:`request`. Raises ModelFailure if the model fails, and
        LimitReached if the role has used up its replies.
        """
        reply = await self.reply(await self.request(role, now, sight, check=check and reading(kind, check), **more))
        return None if reply is None else kind.model_validate(reply)

    async def request(
        self, role: Role, now: Now, sight: Sight, *, check: Check | None = None, **more: Unpack[RequestParts]
    ) -> RoleRequest:
        """Write a request into the journal; :meth:`answer` sends it.

        ``now``: what exists at this moment. Raises LimitReached if the role has used up its replies.
        """
        subtask, wide = more.get("subtask"), more.get("wide")
        state, model = self.journal.state, self.model(role)
        correction = corrected(state, role)
        if correction is None:  # an answer that a person asked for again is no step (C37)
            may_ask(state, self.limits, role.name)
        if self.memory is not None:
            await recall(role, self.crew, self.journal, self.memory, subtask)
        narrow = reply_type(role, self.crew, model.profile, now)
        named = wide if model.profile.schema_mode == "validate" and wide is not None else now
        wire = reply_type(role, self.crew, model.profile, named)
        parts = render(
            role,
            view(
                role,
                self.crew,
                state,
                sight,
                subtask,
                reading=model.profile.reading,
                room=model.profile.context // 2,
            ),
            crew=self.crew,
            profile=model.profile,
            actions=actions_text(
                role,
                offered(more.get("actions") or {}, named.operations),
                listed=model.profile.schema_mode == "grammar",
                ahead=foresees(named.operations),
            ),
            reply=reply_text(role, wire, self.crew.hearers(role.name), passed_on=self.crew.results != "latest"),
            usual=reply_type(role, self.crew, model.profile, (wide or now).usual),
            pictures=more.get("pictures", ()),
        )
        if correction is not None:
            parts = (*parts, Text(text=wish(correction), zone="volatile"))
        parts = tuple(self._clean(part) for part in parts)
        attempt = state.format_errors + 1
        call = self._call(role, model, parts, correction)
        called = self.journal.append(self._called(call, subtask, wire, model, attempt), lane=subtask.id if subtask else "")
        return RoleRequest(role, now, subtask, called, call, narrow, wire, check)

    async def reply(self, asked: RoleRequest) -> JsonObject | None:
        """Send a request, and return the reply as :meth:`hear` does."""
        return await self.hear(asked, await self.answer(asked))

    async def answer(self, asked: RoleRequest) -> Answer[BaseModel]:
        """The model's answer. Raises ModelFailure if there is none."""
        return await self._answer(self.model(asked.role), asked.call, asked.wire)

    async def hear(self, asked: RoleRequest, answer: Answer[BaseModel]) -> JsonObject | None:
        """Write an answer into the journal, and return the reply once a person who should see it has; None if it is not
        used."""
        role, now, narrow, check = asked.role, asked.now, asked.narrow, asked.check
        value = answer.value
        reply, error = (None, value.error) if isinstance(value, Malformed) else self._usable(role, value, narrow, check)
        replied = RoleReplied(
            role=role.name,
            subtask=asked.lane or None,
            reply=reply,
            error=error,
            cut=isinstance(value, Malformed) and value.cut,
            raw=self.journal.blob(answer.raw.encode(errors="surrogatepass")),
            usage=answer.usage,
            model=answer.model,
            seconds=round(answer.seconds, 3),
            retries=answer.retries,
        )
        event = self.journal.append(replied, lane=asked.lane, cause=asked.event)
        if reply is None:
            return None
        if role.kind in CONSENTING:
            return reply  # who has to be asked sees the operations instead
        question = ReplyQuestion(role=role.name, subtask=replied.subtask, reply=reply, contract=role.kind == "contract")
        return await self._heard(event, question, lambda given: self._edited(role, given, narrow, now, check))

    async def unproven(self, role: Role, now: Now, check: Check) -> tuple[bool, JsonObject | None]:
        """Ask a person about a task for which ``role`` could make no contract. Returns whether to go on, and the contract
        that they wrote themselves, if any."""
        none: JsonObject = {"question": "", "requirements": [], "context": []}
        question = ReplyQuestion(role=role.name, reply=none, contract=True, unproven=self.journal.state.task)
        narrow = reply_type(role, self.crew, self.model(role).profile, now)
        reply = await self._heard(self.journal.latest, question, lambda given: self._edited(role, given, narrow, now, check))
        return reply is not None, None if reply is question.reply else reply

    def _call(self, role: Role, model: Model, parts: tuple[Part, ...], correction: Correction | None) -> Call:
        """The request with this prompt. Earlier failures raise the temperature, and the run's time bounds the call."""
        state = self.journal.state
        # At temperature 0 a small model often repeats the reply that was unusable, or what did not work.
        failures = state.format_errors + state.failing[role.name]
        temperature, seed = min(0.9, 0.3 * failures), self.seed
        if state.attempt > 1 and state.comparing is None:
            temperature, seed = max(ANEW, temperature), (seed or 0) + state.attempt
        if correction is not None and not correction.guidance:
            # The prompt says nothing new, so only sampling can produce another answer.
            temperature, seed = max(ANEW, temperature), (seed or 0) + correction.number
        left = math.inf if (until := self.until()) is None else max(0.0, until - time.monotonic())
        return Call(
            role=role.name,
            parts=parts,
            max_tokens=max(role.max_tokens, model.profile.reply_tokens) << state.cut,
            temperature=temperature,
            seed=seed,
            deadline=min(model.profile.seconds, left),
            patience=min(PATIENCE, left),
            told=self.interventions.human.tell,
            meant_for=lambda said: meant_for(said, role, self.crew, model.profile),
        )

    async def _answer(self, model: Model, call: Call, type: type[BaseModel]) -> Answer[BaseModel]:
        """The model's answer. Raises LimitReached instead of ModelFailure if the call ended because the run's time was
        up."""
        until = self.until()
        left = None if until is None else max(0.0, until - time.monotonic())

        async def answered() -> Answer[BaseModel]:
            with anyio.fail_after(left):
                return await model.answer(call, type)

        try:
            return await self.journal.floor.outside(answered)
        except (ModelFailure, TimeoutError):
            if until is not None and time.monotonic() >= until:
                raise out_of_time(self.limits) from None
            raise

    async def _heard(
        self, event: Event, question: ReplyQuestion, usable: Callable[[JsonObject], tuple[JsonObject | None, str]]
    ) -> JsonObject | None:
        """The reply after a person has seen it; None if they took it back. ``usable`` turns an edited reply into data,
        or says what is wrong with it."""
        state, human = self.journal.state, self.interventions.human
        role, subtask = question.role, question.subtask
        while True:
            said = await human.after_reply(state, question)
            if said is None:
                return question.reply
            if isinstance(said, EditedReply):
                reply, error = usable(said.reply)
                if reply is None:
                    question = question.model_copy(update={"note": error, "tried": said.reply})
                    continue
                lane = event.header.lane
                edit = self.journal.append(HumanSaid(kind="edit", role=role), lane=lane, cause=event)
                theirs = RoleReplied(role=role, subtask=subtask, reply=reply, model=HUMAN)
                self.journal.append(theirs, lane=lane, cause=edit)
                return reply
            alone = self.interventions.leaves_alone(said, role)
            if self.interventions.take(said) and not alone:
                return None

    def _edited(
        self,
        role: Role,
        given: JsonObject,
        narrow: type[BaseModel],
        now: Now,
        check: Check | None,
    ) -> tuple[JsonObject | None, str]:
        """A reply that a person wrote, as :meth:`_usable` returns it."""
        try:
            value = narrow.model_validate(from_event(narrow, given, now))
        except ValidationError as error:
            return None, _first(error)
        return self._usable(role, value, narrow, check)

    def _clean(self, part: Part) -> Part:
        return replace(part, text=self.redactor.text(part.text)) if isinstance(part, Text) else part

    def _usable(
        self, role: Role, value: BaseModel, narrow: type[BaseModel], check: Check | None
    ) -> tuple[JsonObject | None, str]:
        """The reply as data, or what is wrong with it, worded for the model."""
        try:
            fitting = value if isinstance(value, narrow) else narrow.model_validate(value.model_dump(mode="json"))
            reply = to_event(role, fitting)
            canonical(reply)  # an event cannot contain what JSON cannot represent (huge numbers, broken Unicode)
            if check is not None:
                check(reply)
        except ValidationError as error:
            return None, _first(error)
        except CrewMistake as error:
            return None, str(error)
        except ValueError as error:
            return None, f"A value cannot be used: {error}."
        return reply, ""

    def _called(self, call: Call, subtask: Subtask | None, wire: type[BaseModel], model: Model, attempt: int) -> RoleCalled:
        return RoleCalled(
            role=call.role,
            subtask=subtask.id if subtask else None,
            parts=tuple(self._kept(part) for part in call.parts),
            schema_blob=self.journal.blob(schema_of(wire)),
            model=model.name,
            max_tokens=call.max_tokens,
            temperature=call.temperature,
            seed=call.seed,
            attempt=attempt,
        )

    def _kept(self, part: Part) -> PartRef:
        if isinstance(part, Text):
            return PartRef(zone=part.zone, kind="text", blob=self.journal.blob(part.text))
        return PartRef(zone=part.zone, kind="image", blob=self.journal.blob(part.data))


def reading(kind: type[SaidT], check: Callable[[SaidT], None]) -> Check:
    """``check``, made to take a reply as plain data."""
    return lambda reply: check(kind.model_validate(reply))


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}."


def wish(correction: Correction) -> str:
    """The last part of the prompt if a person wants another answer (C36)."""
    lines = [f"You replied: {shorten(correction.said, SAID_LENGTH)}"] if correction.said else []
    if correction.own:
        lines.append(f"That was done, turned out to be wrong, and was undone: {correction.guidance}")
        return "\n".join((*lines, "Reply again with that in mind.", "Reply:"))
    rejects = "The user rejects this reply" if correction.said else "The user"
    if correction.guidance:
        lines.append(f"{rejects}{' and' if correction.said else ''} says: {correction.guidance}")
        lines.append("Reply again and do what the user says.")
    else:
        lines += [f"{rejects}."] if correction.said else []
        lines.append("Reply again, in another way.")
    return "\n".join((*lines, "Reply:"))


def actions_text(role: Role, actions: Mapping[str, Action], *, listed: bool = True, ahead: bool = False) -> str:
    """What a prompt says about a role's actions, generated from their signatures and docstrings (C26). ``listed``: False if
    the model is shown the schema, which says it all; ``ahead``: controls that are not there yet may be named."""
    offered = [actions[name] for name in role.domain if name in actions]
    if not offered:
        return ""
    control = CONTROL.format(AHEAD if ahead else "") if any(action.control != "none" for action in offered) else ""
    head = f"Operations{control}:"
    return "\n".join((head, *map(_action_text, offered))) if listed else f"{head} {IN_THE_SCHEMA}"


@lru_cache(maxsize=256)
def _action_text(action: Action) -> str:
    return f"- {action.signature()}: {action.summary}{action.explained()}"


@lru_cache(maxsize=256)
def schema_of(wire: type[BaseModel]) -> bytes:
    """The schema of a reply as the journal stores it, cached by type."""
    return canonical(wire.model_json_schema())
