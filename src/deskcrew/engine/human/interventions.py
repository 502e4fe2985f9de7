"""Turns what a person says into events, or refuses it with a reason; the only place that does, whenever it was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deskcrew.engine.human.human import Human
from deskcrew.engine.human.questions import MODES, PlanEdit, Said
from deskcrew.errors import PlanError
from deskcrew.facts.events import HumanSaid, PlanPatched, RoleKind
from deskcrew.journal.journal import Journal

QUIET = frozenset({"pause", "resume", "mode", "take_over"})
"""Kinds that leave the last reply and its operations as they are."""


@dataclass(frozen=True, slots=True)
class Interventions:
    """Records what a person says. ``kinds``: the kind of each role, for switches; ``desktop``: whether there is one to take
    over."""

    journal: Journal
    human: Human
    kinds: Mapping[str, RoleKind]
    desktop: bool

    def take(self, said: Said) -> bool:
        """Record what was said. False if it is not possible: the person was told why."""
        refused = self.refusal(said)
        if refused:
            self.human.tell(refused)
        elif isinstance(said, PlanEdit):
            plan = self.journal.state.plan.patched(said.patch)
            self.journal.append(PlanPatched(by="human", why=said.why, patch=said.patch, plan=plan))
        else:
            role = None if said.role is None else self.name(said.role)
            kind = self.kinds.get(role or "", "other") if said.kind == "switch" else "other"
            self.journal.append(said.model_copy(update={"role": role, "role_kind": kind}))
        return not refused

    def refusal(self, said: Said) -> str:
        """Why this is not possible, worded for the person; '' if it is possible."""
        return self._no_edit(said) if isinstance(said, PlanEdit) else self._refused(said)

    def leaves_alone(self, said: Said, role: str) -> bool:
        """Whether the last reply of ``role``, with its operations, still counts after this was said."""
        if isinstance(said, PlanEdit):
            plan = self.journal.state.plan
            later = self.kinds.get(role) == "decision" and not self.refusal(said)
            state = self.journal.state
            return later and state.due(plan.patched(said.patch)) == state.subtask
        other = said.kind == "guide" and said.role is not None and self.name(said.role) != role
        return other or said.kind in QUIET

    def name(self, given: str) -> str:
        """The name of a role as the crew writes it; ``given`` itself if there is no such role."""
        return next((name for name in self.kinds if name.casefold() == given.strip().casefold()), given)

    def _no_edit(self, edit: PlanEdit) -> str:
        plan = self.journal.state.plan
        if not plan.subtasks:
            return "There is no plan yet; the planner makes the first one."
        for subtask in (*edit.patch.add, *edit.patch.edit):
            if subtask.role is not None and self.kinds.get(subtask.role) != "decision":
                return f"{subtask.role!r} cannot do a subtask. These can: {self._able('decision')}."
        try:
            plan.patched(edit.patch)
        except PlanError as error:
            return str(error)
        return ""

    def _refused(self, said: HumanSaid) -> str:
        state, role = self.journal.state, None if said.role is None else self.name(said.role)
        if said.kind != "switch" and role is not None and role not in self.kinds:
            return f"There is no role {role!r}. There are: {', '.join(self.kinds)}."
        match said.kind:
            case "switch":
                return self._no_switch(role or "")
            case "mode" if said.text not in MODES:
                return f"There is no mode {said.text!r}. There are: {', '.join(MODES)}."
            case "pause" if state.held is not None:
                return "The run is paused already."
            case "take_over" if state.held == "take_over":
                return "You have taken over the desktop already: say hand back when you are done."
            case "take_over" if not self.desktop:
                return "This run has no desktop that could be taken over."
            case "resume" if state.held is None:
                return "The run is not paused."
            case "hand_back" if state.held != "take_over":
                return "You have not taken over the desktop."
            case "answer" if state.asking is None:
                return "Nobody asked. To tell a role something, guide it."
            case "edit":
                return "A reply can only be edited when you are asked about it."
            case _:
                return ""

    def _no_switch(self, role: str) -> str:
        """Why ``role`` cannot continue; '' if it can."""
        kind, plan = self.kinds.get(role, "other"), self.journal.state.plan
        if kind == "other":
            return f"{role!r} cannot be switched to. These can: {self._able('plan', 'schedule', 'decision')}."
        if kind != "plan" and not plan.subtasks:
            return f"There is no plan yet, so there is nothing for {role} to do."
        if kind != "plan" and self.journal.state.subtask is None:
            return f"Every subtask is done, so there is nothing for {role} to do; add one to the plan first."
        return ""

    def _able(self, *kinds: RoleKind) -> str:
        return ", ".join(name for name, kind in self.kinds.items() if kind in kinds)
