"""A strong model's part, written by hand: it says what must hold, and does the chore or takes the skill that is offered."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from deskcrew.engine.steps.agreeing import parts_of
from deskcrew.errors import UsageError
from deskcrew.facts.texts import stands_in
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew_bench.again.family import Family, Variant
from deskcrew_bench.desk.task import rendered
from deskcrew_bench.lies.believer import aimed, facts

AGENT = "Worker"
DONE = "all that could be done was done"


class Strong(ScriptedModel):
    """Does one variant. ``wanted``: the operation that takes a skill, taken as soon as a prompt offers it; None: never.
    ``insists``: after that it does nothing else, whatever became of it."""

    def __init__(
        self, family: Family, variant: Variant, wanted: Mapping[str, Any] | None = None, *, insists: bool = False
    ) -> None:
        profile = Profile(
            name="strong",
            context=128_000,
            contracts=True,
            reading=12_000,
            operations=24,
            observation_tokens=6000,
            schema_mode="grammar",  # so that its prompt, and not its schema, tells the skills
        )
        super().__init__(itertools.repeat(self._reply), name="scripted:strong", profile=profile)
        self.family, self.variant, self.wanted, self.insists = family, variant, wanted, insists
        told = family.document
        steps = [list(each) for each in told.steps] or family.chore.oracle(variant.made)["steps"]
        self.left: list[list[dict[str, Any]]] = rendered(steps, variant.values)
        self.took = False

    def _reply(self, call: Call) -> Reply:
        match call.role:
            case "ContractWriter":
                return self._contract()
            case "Planner":
                return {"subtasks": [{"goal": self.variant.task, "role": AGENT}]}
            case "ConsentReader":
                return {"ordered": []}
            case "OrderMatcher":
                return {"why": "Nothing is ordered on pages.", "fits": "other"}
            case "Verifier":
                return {"code": rendered(self.family.document.probes, self.variant.values)}
            case "FinalAnswer":
                return self._answer(call)
            case "Reviewer":
                return {"analyze": "It was tried.", "judgement": "Go on.", "verdict": "continue"}
            case _:
                return self._work(call)

    def _contract(self) -> Reply:
        told = rendered([each.model_dump(mode="json") for each in self.family.document.requirements], self.variant.values)
        parts = list(range(1, len(parts_of(self.variant.task)) + 1))
        wanted = [{**each, "parts": parts, "checks": [], "stays": False} for each in told]
        question = next((each["says"] for each in told if each["seen_by"] == "answer"), "")
        return {"requirements": wanted, "context": [], "question": question}

    def _work(self, call: Call) -> Reply:
        wanted = self.wanted
        if wanted is not None and not self.took and f"{wanted['function']}(" in call.text("stable"):
            self.took = True
            return {"operations": [dict(wanted)], "branch": "RoleTaskFinish"}
        if not self.left or (self.took and self.insists):
            return {"operations": [], "branch": "Interrupt", "problem": DONE}
        try:
            operations = [dict(aimed(each, call)) for each in self.left.pop(0)]
        except UsageError as error:
            return {"operations": [], "branch": "Interrupt", "problem": str(error)}
        if self.left:
            return {"operations": operations, "branch": "Continue"}
        says = rendered(self.family.document.says, self.variant.values)
        return {"operations": operations, "information": says, "branch": "RoleTaskFinish"}

    def _answer(self, call: Call) -> Reply:
        """The answer where the prompt tells it: nobody reads what is not there."""
        answer = str(self.variant.values["answer"])
        if stands_in(answer, call.text("volatile")):
            return {"answer": answer, "sources": facts(call), "branch": "Continue", "problem": ""}
        return {"answer": "", "sources": [], "branch": "Unanswerable", "problem": "it was not found out"}
