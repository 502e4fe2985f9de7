"""A model that plays its part of a task, and says with a strong model's replies what must hold and whether it does.

The plan and the operations are the task's own. What the other roles reply was kept from a strong model, or comes from a
model that is named.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from deskcrew.models.client import Answer, Call, Model, Profile, T
from deskcrew.models.scripted import ScriptedModel

CONSENT = "ConsentReader"
"""Asked at whatever point the guard would ask a person. Where nothing was kept of it, nothing was ordered."""
NOTHING = '{"ordered": []}'
MATCH = "OrderMatcher"
"""Asked whether something is what is ordered, where letters do not tell. Where nothing was kept of it, it is not."""
OTHER = '{"why": "No reply was kept.", "fits": "other"}'
Replies = dict[str, list[str]]
"""What was replied, word for word and in order, by role."""
SAYING = frozenset({"ContractWriter", CONSENT, MATCH, "Verifier", "Reader"})
"""The roles that say what must hold and whether it does."""
PATIENCE = 1800.0
"""Seconds a model may take that is named: it may be a person."""
NO_MORE = "there is no reply of the strong model left for "


def kept_replies(path: Path) -> Replies:
    """What a strong model replied; {} where none was asked yet."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def keep_replies(path: Path, replies: Replies) -> None:
    """Keep what it replied."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{json.dumps(replies, ensure_ascii=False, indent=1)}\n", encoding="utf-8")


class Player:
    """Plays one run, in its parts as :meth:`part` says. ``replies``: kept ones; ``model``: who is asked where none is left.
    ``contracts``: whether there is anybody who says what must hold."""

    def __init__(self, replies: Replies, model: Model | None = None, *, name: str, contracts: bool = True) -> None:
        self.name, self.model, self.contracts = name, model, contracts
        self.left = {role: list(said) for role, said in replies.items()}
        self.said: Replies = {}
        self.calls: list[Call] = []
        """Of the roles that say what must hold and whether it does."""
        self.working: list[Call] = []
        """Of all others."""
        self.asked: list[str] = []

    @property
    def profile(self) -> Profile:
        """A strong model's, whoever says what must hold."""
        agreed = self.contracts
        return Profile(name="played", context=128_000, contracts=agreed, scripted=not agreed, observation_tokens=6000)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        if call.role not in SAYING:
            self.working.append(call)
            return await ScriptedModel([self.part(call)], name=self.name).answer(call, type)
        self.calls.append(call)
        kept = self.left.get(call.role)
        if kept:
            answer = await ScriptedModel([kept.pop(0)], name=self.name).answer(call, type)
        elif self.model is not None:
            self.asked.append(call.role)
            answer = await self.model.answer(replace(call, deadline=PATIENCE), type)
        elif call.role in (CONSENT, MATCH):
            nothing = NOTHING if call.role == CONSENT else OTHER
            answer = await ScriptedModel([nothing], name=self.name).answer(call, type)
        elif last := self.said.get(call.role):  # asked once more than when it was right: it keeps to what it said
            self.asked.append(call.role)
            answer = await ScriptedModel([last[-1]], name=self.name).answer(call, type)
        else:
            self.asked.append(call.role)
            answer = await ScriptedModel([f"{NO_MORE}{call.role}"], name=self.name).answer(call, type)
        self.said.setdefault(call.role, []).append(answer.raw)
        return answer

    async def close(self) -> None:
        if self.model is not None:
            await self.model.close()

    def part(self, call: Call) -> Any:
        """What a role replies that plans, works or answers."""
        raise NotImplementedError
