"""The commands as the help lists them. Each one's module is imported only when it is called: all of them together would take
most of the time of a command."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn

from typer import Typer

WORK, LOOK, REPAIR, MANAGE = "Work", "Look", "Repair", "Manage"
"""The panels of the help."""


@dataclass(frozen=True, slots=True)
class ListedCommand:
    """A command. ``does``: the first paragraph of its help; ``module``, ``function``: where it is, if its name does not say
    so; ``epilog``: the name of its examples there; ``group``: it has commands of its own, and ``build`` makes it."""

    name: str
    panel: str
    does: str
    module: str = ""
    function: str = ""
    epilog: str = "EPILOG"
    group: bool = False

    def load(self, app: Typer) -> None:
        """Add all of it."""
        module = import_module(f"{__package__}.{self.module or self.name}")
        if self.group:
            app.add_typer(module.build(), name=self.name, rich_help_panel=self.panel)
            return
        function = getattr(module, self.function or self.name)
        app.command(self.name, epilog=getattr(module, self.epilog), rich_help_panel=self.panel)(function)

    def mention(self, app: Typer) -> None:
        """Add what the help lists of it."""
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
        "Have a task done at set times, or for each new file. Without a task: run the scheduler, which starts what is due.",
    ),
    ListedCommand(
        "learn", WORK, "Learn a subject by itself: lessons on copies, of which what was proven is kept as skills and memory."
    ),
    ListedCommand(
        "resume",
        WORK,
        "Continue a run whose process, model or desktop died, or that was stopped, used up a limit, or waits to go on.",
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
        "teach", WORK, "Show how something is done, on a virtual desktop: what you do there is written down step by step."
    ),
    ListedCommand("serve", WORK, "Start tasks, watch them, approve or deny steps, and look at past runs in a browser."),
    ListedCommand(
        "mcp",
        WORK,
        "Serve runs to another agent by the Model Context Protocol, over standard input and output. "
        "What they work with is yours to say here: the other agent chooses tasks, and files in the folders that you share.",
    ),
    ListedCommand("a2a", WORK, "Serve tasks to other agents by the Agent2Agent protocol (A2A), over HTTP on this machine."),
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
    ListedCommand("docs", LOOK, "Show a page of the documentation, or list all of them."),
    ListedCommand(
        "rewind",
        REPAIR,
        "Go back to an earlier reply, say what was wrong, and let the crew go on from there on a new branch.",
    ),
    ListedCommand(
        "undo", REPAIR, "Put everything in the workspace back as it was before a run. Shows first what that undoes."
    ),
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
        "Say whether a requirement of a finished run holds. Your word is recorded, and the outcome follows it; so does "
        "what is remembered of the run, and the score of a skill that was made of it or tried by it.",
    ),
    ListedCommand("replay", REPAIR, "Do a run again: over its record alone, or on a live desktop with other values."),
    ListedCommand("doctor", REPAIR, "Check what works on this machine and what does not, with the command that fixes it."),
    ListedCommand("notes", MANAGE, "Show what a workspace says to agents (AGENTS.md, skills), and say whether it is yours."),
    ListedCommand(
        "settings", MANAGE, "Show every setting, its value here, and what it means; or set one.", module="configured"
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
        "Delete runs for good, with everything recorded of them and learned from them alone, and shrink the journal.",
    ),
    ListedCommand("policy", MANAGE, "What the crew may do: check a policy, test it, explain its decisions.", group=True),
    ListedCommand(
        "actions",
        MANAGE,
        "Actions: show the built-in ones, list your own, allow files and MCP servers of a project that add some, and "
        "revoke that.",
        group=True,
    ),
    ListedCommand(
        "skill", MANAGE, "Proven chores that can be repeated without a model: keep, make, try and share them.", group=True
    ),
    ListedCommand("role", MANAGE, "Agents for the pool of crews, drafted and tried.", group=True),
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
"""In the order of the help: in a panel, groups are last."""
