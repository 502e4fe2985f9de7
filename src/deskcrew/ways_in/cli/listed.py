"""The commands as the help lists them. A command's module is imported only when it is called: importing all would take most
of the time that a command takes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn

from typer import Typer

WORK, LOOK, REPAIR, MANAGE = "Work", "Look", "Repair", "Manage"
"""The panels of the help."""


@dataclass(frozen=True, slots=True)
class ListedCommand:
    """A command. ``does``: the first paragraph of its help; ``module``, ``function``: where it is, '' if called like the
    command; ``epilog``: the variable with its examples; ``group``: whether it is a group of commands, made by ``build``."""

    name: str
    panel: str
    does: str
    module: str = ""
    function: str = ""
    epilog: str = "EPILOG"
    group: bool = False

    def load(self, app: Typer) -> None:
        """Import the command, and add it to ``app``."""
        module = import_module(f"{__package__}.{self.module or self.name}")
        if self.group:
            app.add_typer(module.build(), name=self.name, rich_help_panel=self.panel)
            return
        function = getattr(module, self.function or self.name)
        app.command(self.name, epilog=getattr(module, self.epilog), rich_help_panel=self.panel)(function)

    def mention(self, app: Typer) -> None:
        """Add only what the help lists of the command."""
        app.command(self.name, help=self.does, rich_help_panel=self.panel)(_mentioned)


def _mentioned() -> NoReturn:
    raise AssertionError("a command is loaded before it is called")


COMMANDS = (
    ListedCommand(
        "demo",
        WORK,
        "Watch a chore being done, rejected, repaired and proven; then a small model does it again. Needs no key.",
    ),
    ListedCommand("run", WORK, "Have the crew do a task, and watch it work."),
    ListedCommand(
        "every",
        WORK,
        "Have a task done at set times, or for each new file. Without a task: run the scheduler, which starts due runs.",
    ),
    ListedCommand(
        "learn",
        WORK,
        "Have the crew teach itself a subject: it does lessons on copies, and keeps proven work as skills and memory.",
    ),
    ListedCommand(
        "resume",
        WORK,
        "Continue a run whose process, model or desktop died, that was stopped or used up a limit, or that is waiting.",
    ),
    ListedCommand("attach", WORK, "Watch a running run, and answer its questions."),
    ListedCommand(
        "answer", WORK, "Answer the open question of a run without attaching to it.", module="attach", epilog="ANSWER_EPILOG"
    ),
    ListedCommand(
        "stop",
        WORK,
        "Stop a run cleanly: what it did is kept, and `deskcrew resume` continues it.",
        module="attach",
        epilog="STOP_EPILOG",
    ),
    ListedCommand(
        "teach", WORK, "Show how something is done, on a virtual desktop: what you do there is recorded step by step."
    ),
    ListedCommand("serve", WORK, "Start tasks, watch them, approve or deny steps, and look at past runs in a browser."),
    ListedCommand(
        "mcp",
        WORK,
        "Do tasks for another agent that speaks the Model Context Protocol (MCP), over standard input and output. "
        "You decide here what runs work with; the other agent chooses tasks, and files in the folders that you share.",
    ),
    ListedCommand(
        "a2a", WORK, "Do tasks for other agents that speak the Agent2Agent protocol (A2A), over HTTP on this machine."
    ),
    ListedCommand("fleet", WORK, "Many runs on many machines, on Ray and PostgreSQL.", group=True),
    ListedCommand("runs", LOOK, "List your runs: when they began, their state or outcome, and their task."),
    ListedCommand("log", LOOK, "Show everything a run did: plan, replies, operations, verdicts, and what it cost."),
    ListedCommand("show", LOOK, "Show one event: its fields, or the exact prompt, reply, observation or screenshot."),
    ListedCommand(
        "audit",
        LOOK,
        "List every operation that the crew proposed, on all branches: what was decided, by which rule, and by whom.",
    ),
    ListedCommand("verify", LOOK, "Check the hash chain of a run, and say what that proves and what it does not."),
    ListedCommand("docs", LOOK, "Show a page of the documentation, search in all of them, or list them."),
    ListedCommand(
        "rewind",
        REPAIR,
        "Go back to an earlier reply, say what was wrong, and let the crew continue from there on a new branch.",
    ),
    ListedCommand("undo", REPAIR, "Restore the workspace as it was before a run. First shows what that undoes."),
    ListedCommand("branch", REPAIR, "List the branches of a run; name one or hide it."),
    ListedCommand(
        "diff",
        REPAIR,
        "Compare two branches of a run: where they diverge, what each did, how each ended, and which files it left.",
        module="branch",
        epilog="DIFF_EPILOG",
    ),
    ListedCommand(
        "confirm",
        REPAIR,
        "Say whether a requirement of a finished run holds. Your answer is recorded, and changes the outcome, what is "
        "remembered of the run, and the score of a skill that was made from it or tried in it.",
    ),
    ListedCommand("replay", REPAIR, "Repeat a run: from its record alone, or on a live desktop with other values."),
    ListedCommand("doctor", REPAIR, "Check what works on this machine and what does not, with the command that fixes it."),
    ListedCommand(
        "notes",
        MANAGE,
        "Show what a workspace tells agents (AGENTS.md, skills), and say whether these are your instructions.",
    ),
    ListedCommand(
        "settings", MANAGE, "Show every setting, its current value, and what it means; or set one.", module="configured"
    ),
    ListedCommand(
        "export",
        MANAGE,
        "Write a run into one file, to keep it, send it, or attach it to a bug report. Any zip tool opens it.",
    ),
    ListedCommand(
        "import",
        MANAGE,
        "Add an exported run to the journal of this machine. A run that is already there is left alone.",
        module="export",
        function="import_",
        epilog="IMPORT_EPILOG",
    ),
    ListedCommand(
        "remove",
        MANAGE,
        "Delete runs for good, with everything recorded of them and learned only from them, and shrink the journal.",
    ),
    ListedCommand("policy", MANAGE, "What the crew may do: check a policy, test it, explain its decisions.", group=True),
    ListedCommand(
        "actions",
        MANAGE,
        "Show the built-in actions, list your own, and allow a project's files and MCP servers to add actions, or "
        "revoke that.",
        group=True,
    ),
    ListedCommand(
        "skill", MANAGE, "Proven chores that can be repeated without a model: keep, make, try and share them.", group=True
    ),
    ListedCommand("role", MANAGE, "Show the roles, draft agents for the pool of crews, and try them.", group=True),
    ListedCommand("models", MANAGE, "Models: list, download, remove and test them.", group=True),
    ListedCommand(
        "memory", MANAGE, "Memory: what earlier runs have proven and what you have said, recalled in later runs.", group=True
    ),
    ListedCommand(
        "secret",
        MANAGE,
        "Secrets: credentials that a run may type, and that no model, journal or picture shows.",
        group=True,
    ),
)
"""All commands, in the order of the help; in a panel, groups come last."""
