"""What goes into a role's prompt: the actions that it may take, and what it is shown of the environment."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deskcrew.actions.action import Action
from deskcrew.engine import limits as bounds
from deskcrew.engine.record import Record
from deskcrew.engine.roles.ask import Asker
from deskcrew.engine.roles.file_outlines import FileOutlines
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.engine.roles.view import Sight
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.describe import describe
from deskcrew.environments.drawn import CANVAS
from deskcrew.facts.observation import Control, ControlOperation, Observation
from deskcrew.facts.plan import Subtask
from deskcrew.learning.skills.offering import CONSIDERED, OFFERED, possible
from deskcrew.learning.skills.skill import Skill

IN_TEXT = frozenset({"cell", "column header", "row header"})
"""Roles of elements that the window's text already contains, row by row; left out if they cannot be operated."""
ONCE_ENABLED: Mapping[str, tuple[ControlOperation, ...]] = {
    "button": ("click",),
    "text field": ("click", "type"),
    "text area": ("click", "type"),
    "number field": ("click", "type", "set"),
    "date editor": ("click", "type"),
    "check box": ("click", "toggle"),
    "radio button": ("click", "toggle"),
    "toggle button": ("click", "toggle"),
    "combo box": ("click", "select"),
}
"""What can be done to a control, by its role, once it is enabled."""


@dataclass
class Prompting:
    """Makes what the prompts of a run's roles show. ``unfit``: digests of skills that turned out unfit in this run."""

    surroundings: Surroundings
    asker: Asker
    unfit: set[str] = field(default_factory=set[str])
    _heads: FileOutlines = field(default_factory=FileOutlines, repr=False)

    @property
    def record(self) -> Record:
        return self.surroundings.record

    def actions_of(self, role: Role) -> dict[str, Action]:
        """The role's action space: its domain, without what this run's environment cannot do."""
        return self._possible(role.domain)

    @property
    def skills(self) -> dict[str, Skill]:
        """Skills that may be begun now, by the name of their action. Skills that send a request are left out."""
        most = len(self.record.crew.skills) if self.skills_only else CONSIDERED
        return {name: skill for name, skill in self._wanted(most).items() if skill.method.request is None}

    @property
    def offered(self) -> dict[str, Skill]:
        """The skills that could be begun if all files that they need were there, by the name of their action."""
        return {skill.action: skill for skill in self._usable() if skill.method.request is None}

    @property
    def skills_only(self) -> bool:
        """Whether the run can only use a skill, which a role chooses (``engine/steps/choosing.py``), as none of its models
        may work freely."""
        crew = self.record.crew
        return crew.chooser in crew.roles and not any(m.profile.freely for m in self.asker.models.values())

    def _wanted(self, most: int) -> dict[str, Skill]:
        """The skills that may be needed now, the nearest first."""
        return {skill.action: skill for skill in possible(self._usable(), self.surroundings.seen, most)}

    def _usable(self) -> Iterator[Skill]:
        actions = self.surroundings.actions
        return (each for each in self.record.crew.skills if each.digest not in self.unfit and each.action in actions)

    def _possible(self, names: Sequence[str]) -> dict[str, Action]:
        """The named actions that the run's environment can do now; those on pages only while a window shows one."""
        actions, seen = self.surroundings.actions, self.surroundings.seen
        hidden = {skill.action for skill in self.record.crew.skills} - set(self._wanted(OFFERED))
        found = {name: actions[name] for name in names if name in actions and name not in hidden}
        windows = seen.windows if seen is not None else ()
        if not self.surroundings.pages_come or any(window.page is not None for window in windows):
            return found
        return {name: action for name, action in found.items() if action.needs != "browser"}

    def sight(self, role: Role, *, elsewhere: Collection[str] = (), **extra: str) -> Sight:
        """What a prompt shows of the environment, within the budget of the role's model. ``elsewhere``: files whose contents
        are in ``extra``."""
        profile, state = self.asker.model(role).profile, self.record.state
        # Who checks a part is to see what it left, and not how its files begin.
        whole = self._changed_for(state.subtask) if role.kind == "check" and profile.reading else frozenset[str]()

        def target() -> str:
            window = self.surroundings.now.active_window
            if window is None:
                return "none"
            return f"{window.title!r}{' (dialog)' if window.dialog else ' (page)' if window.url else ''}"

        return Sight(
            observation=lambda: self.told(role, self.surroundings.now, self.surroundings.before),
            files=lambda: self._heads.told(
                self.surroundings.now,
                self.record.state,
                self.record.text_of,
                part=KINDS[role.kind].sees_files,
                reading=profile.reading,
                whole=whole,
                elsewhere=elsewhere,
            ),
            applications=lambda: ", ".join(self.record.state.applications),
            target_window=target,
            skills=self._skills_told,
            extra={
                "secrets": self.surroundings.desk.vault.told(),
                "left": self._left(role) if "left" in role.reads else "",
                **extra,
            },
        )

    def _left(self, role: Role) -> str:
        """What is left of the budgets that are nearly used up, in words for a role."""
        record = self.record
        # How long it has taken is read from all its events: only where that counts.
        seconds = bounds.seconds_of(record.journal.events) if record.limits.seconds is not None else 0.0
        return bounds.nearly_used_up(bounds.budgets(record.state, record.limits, seconds, role.name).values())

    def _skills_told(self) -> str:
        """The skills that agents are offered now, in words for the roles that assign subtasks."""
        crew = self.record.crew
        lines: list[str] = []
        for name in self._wanted(OFFERED):
            if users := [agent.name for agent in crew.agents if name in self.actions_of(agent)]:
                by = dict.fromkeys(crew.type_of(user) for user in users)
                lines.append(f"- {name} ({', '.join(by)}): {self.surroundings.actions[name].summary}")
        return "\n".join(("Skills, each with who may use it:", *lines)) if lines else ""

    def _changed_for(self, subtask: Subtask | None) -> frozenset[str]:
        """Files that were made or changed for a subtask."""
        turns = (turn for turn in self.record.state.turns if subtask is not None and turn.subtask == subtask.id)
        return frozenset(path for turn in turns for done in turn.done for path in done.files)

    def told(self, role: Role, seen: Observation, before: Observation | None = None) -> str:
        """An observation as text within the budget of a role's model, '' if there is no desktop. What was not there
        ``before`` is marked as new."""
        if self.surroundings.desk.desktop is None:
            return ""
        tokens = self.asker.model(role).profile.observation_tokens
        return describe(offered(seen), tokens=tokens, before=before)


def offered(seen: Observation) -> Observation:
    """An observation as roles are shown it: without controls that have no name or lie behind a dialog, and with
    disabled controls, because earlier operations of the same decision may enable them. A canvas is included even
    without a name: operations at its points use its label."""
    offered: list[Control] = []
    front = seen.active_window
    # A dialog takes all that is done in its program; a find bar that does not is left by Escape or by switching.
    behind = {w.id for w in seen.windows if front is not None and front.dialog and w.app == front.app and w != front}
    for control in seen.controls:
        if control.window in behind:
            continue
        says = control.name or control.owner or control.value or control.options or "type" in control.operations
        if not says and control.role != CANVAS:
            continue
        if control.role in IN_TEXT and not control.operations:
            continue
        late = control.role == "button" or "disabled" in control.states
        if late and not control.operations:
            control = control.model_copy(update={"operations": ONCE_ENABLED.get(control.role, ())})
        offered.append(control)
    return seen.model_copy(update={"controls": tuple(offered), "files": ()})
