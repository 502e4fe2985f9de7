"""Who is told what in the crews of the papers, from their role files: printed, or with --write in docs/design/papers.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew
from deskcrew.engine.roles.role import BUILTIN, Role, load_roles

PAGE = Path(__file__).parents[1] / "docs" / "design" / "papers.md"
BEGIN, END = "<!--{}-->\n", "<!--/-->"
Wire = tuple[str, str, str]


def wires(crew: Crew) -> list[Wire]:
    """Every pair of roles of which one tells the other something, with the kind of message."""
    return sorted(set(_wires(crew)))


def _wires(crew: Crew) -> Iterator[Wire]:
    def role(name: str) -> list[Role]:
        return [crew.roles[name]] if name else []

    planner, scheduler, checker, reviewer = map(role, (crew.planner, crew.scheduler, crew.checker, crew.reviewer))
    agents, answerer = crew.agents, role(crew.answerer)

    def told(senders: list[Role] | tuple[Role, ...], kind: str, *receivers: Role, through: str) -> Iterator[Wire]:
        for sender in senders:
            yield from ((sender.name, kind, each.name) for each in receivers if through in each.reads and each != sender)

    yield from told([*planner, *scheduler, *agents], "note", *agents, through="message")
    yield from told(agents, "result", *agents, *checker, through="results")
    yield from told(agents, "result", *planner, *answerer, through="information")
    yield from told(agents, "result", *reviewer, through="result")
    yield from told(agents, "refusal", *(scheduler if scheduler and not crew.appeals else planner), through="problem")
    yield from told(scheduler, "refusal", *planner, through="problem")
    yield from told([*reviewer, *checker], "judgement", *agents, through="judgement")
    yield from told(checker, "judgement", *planner, through="problem")
    if crew.appeals:
        yield from told(planner, "judgement", *agents, *checker, through="judgement")
    for each in (*planner, *checker, *agents):
        yield from ((name, "result", each.name) for key in each.hears for name in crew.members if each.hears_of(key, name))


def graph(crew: Crew) -> str:
    """The wires as text: for each sender and kind, who is told; all agents of the pool as ``agents``."""
    pool = set(crew.pool)

    def called(names: list[str]) -> str:
        whole = pool <= set(names) and len(pool) > 1
        return ", ".join((["agents"] if whole else []) + [name for name in names if not (whole and name in pool)])

    lines: dict[tuple[str, str], list[str]] = {}
    for (sender, kind), found in groupby(wires(crew), key=lambda wire: wire[:2]):
        receivers = [wire[2] for wire in found]
        if sender in pool and pool - {sender} and pool - {sender} <= set(receivers):
            receivers = sorted({*receivers, sender})  # to each other
        lines.setdefault((kind, called(receivers)), []).append(sender)
    return "\n".join(f"{called(senders)} ─{kind}─► {receivers}" for (kind, receivers), senders in sorted(lines.items()))


def page(text: str) -> str:
    """The page with the graph of each crew that it has a place for."""
    roles = load_roles((BUILTIN,))
    for path in sorted(CREWS.glob("*.toml")):
        begin = BEGIN.format(path.stem)
        if begin in text:
            before, _, rest = text.partition(begin)
            _, _, after = rest.partition(END)
            text = f"{before}{begin}\n```text\n{graph(load_crew(path.stem, (CREWS,), roles))}\n```\n\n{END}{after}"
    return text


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(PAGE.read_text()))
    else:
        all_roles = load_roles((BUILTIN,))
        for name in sys.argv[1:] or [path.stem for path in sorted(CREWS.glob("*.toml"))]:
            print(f"{name}\n{graph(load_crew(name, (CREWS,), all_roles))}\n")
