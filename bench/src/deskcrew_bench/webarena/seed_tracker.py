"""Makes the tracker of :mod:`deskcrew_bench.webarena.own`: a program of its own, since Roundup is only installed where
its tasks are tried. ``python seed_tracker.py HOME``."""

# pyright: basic
from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from roundup import admin, demo, instance  # pyright: ignore[reportMissingImports]

PEOPLE = (
    ("ana", "Ana Duarte", "+351 555 0142", "Harbour Works"),
    ("bram", "Bram Visser", "+31 555 0178", "Canal Cranes"),
    ("chidi", "Chidi Okafor", "+234 555 0115", "Harbour Works"),
)
KEYWORDS = ("brakes", "display", "gearbox", "manual")
ISSUES: tuple[tuple[str, str, str, str, tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    # title, priority, status, who it is assigned to, keywords, messages
    ("Crane 4 stops half a second late", "critical", "in-progress", "ana", ("brakes",),
     (("bram", "Measured on 3 March: the hook goes on for 0.52 s after the lever is released."),
      ("ana", "The brake pads of type BP-77 are worn. New ones are ordered."))),
    ("Display shows tons instead of kilograms", "bug", "unread", "", ("display",), (("chidi", "Since version 2.4.1."),)),
    ("Gearbox whines in third gear", "bug", "testing", "bram", ("gearbox",), ()),
    ("Print the manual in Portuguese", "wish", "deferred", "chidi", ("manual",), ()),
    ("Warn before the battery is empty", "feature", "unread", "", (), ()),
    ("Cabin door opens while driving", "critical", "resolved", "bram", (), (("bram", "The latch was bent."),)),
    ("Horn cannot be heard beside the engine", "urgent", "chatting", "ana", (), ()),
)  # fmt: skip


def main() -> None:
    """Make a tracker in the folder that the command line names, with all of it. Nothing of it is sent to anybody."""
    home = Path(sys.argv[1])
    templates: Any = admin.AdminTool().listTemplates()
    demo.install_demo(str(home), "sqlite", templates["classic"]["path"])
    db: Any = instance.open(str(home)).open("admin")
    for name, real, phone, works in PEOPLE:
        address = f"{name}@example.org"
        db.user.create(username=name, realname=real, phone=phone, organisation=works, roles="User", address=address)
    for word in KEYWORDS:
        db.keyword.create(name=word)
    for title, priority, status, assigned, words, messages in ISSUES:
        made: dict[str, Any] = {"title": title, "priority": db.priority.lookup(priority), "status": db.status.lookup(status)}
        if assigned:
            made["assignedto"] = db.user.lookup(assigned)
        made["keyword"] = [db.keyword.lookup(word) for word in words]
        made["messages"] = [
            db.msg.create(author=db.user.lookup(author), content=text, summary=text[:60]) for author, text in messages
        ]
        db.issue.create(**made)
    db.commit()
    db.close()


if __name__ == "__main__":
    main()
