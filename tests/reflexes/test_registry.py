"""When reflexes speak, and what the engine makes of what they propose."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from deskcrew.events import Operation
from deskcrew.observation import FileEntry, Observation, Window
from deskcrew.plan import Subtask
from deskcrew.reflexes.registry import REFLEXES, propose
from deskcrew.situation import Infeasible, Proposal, Reply, Situation
from support.desktop_double import BOX

PAGE = "https://example.org/a"


def situation(
    part: str, *, tried: bool = False, repairs: int = 0, malformed: str = "", now: Observation | None = None
) -> Any:
    done = [SimpleNamespace(ok=True, operation=Operation(function="open_application"))]
    turns: Any = (SimpleNamespace(subtask="1", done=done, reply={}),) if tried else ()
    can: Any = {name: object() for name in ("open_application", "open_url", "wait_for_loading")}
    look = now or Observation(files=(FileEntry(path="a.txt", kind="file"),))
    return Situation(
        subtask=Subtask(id="1", goal=part),
        now=look,
        programs=("Text Editor", "Calculator"),
        turns=turns,
        repairs=repairs,
        doubted=bool(malformed),
        made=frozenset(),
        domain=can,
        core=can,
        text_of=str,
    )


def operations(proposal: Proposal | None) -> list[tuple[str, dict[str, object]]]:
    assert isinstance(proposal, Reply)
    return [(each.function, dict(each.params)) for each in proposal.operations]


def test_a_program_is_opened_once_on_a_file_that_is_there() -> None:
    asked = propose(situation("Please open a.txt in the text editor."))
    assert operations(asked) == [("open_application", {"app_name": "Text Editor", "file": "a.txt"})]
    assert propose(situation("Please open gone.txt in the text editor.")) is None
    assert propose(situation("Please open a.txt in the text editor.", tried=True)) is None


def test_a_page_is_opened_and_one_in_front_is_left_as_it_is() -> None:
    assert operations(propose(situation(f"Go to {PAGE}."))) == [("open_url", {"url": PAGE})]
    shown = Window(id=1, title="A", app="browser", box=BOX, active=True, url=PAGE)
    assert operations(propose(situation(f"Go to {PAGE}.", now=Observation(windows=(shown,)))))[0][0] == "wait_for_loading"


def test_nothing_is_proposed_once_something_went_wrong() -> None:
    assert propose(situation(f"Go to {PAGE}.", repairs=1)) is None
    assert propose(situation(f"Go to {PAGE}.", malformed="no JSON")) is None


def test_the_first_that_has_something_to_say_is_heard() -> None:
    def never(_: Situation) -> Proposal | None:
        return None

    def cannot(_: Situation) -> Proposal | None:
        return Infeasible("there is no such thing")

    assert propose(situation("x"), (never, cannot, *REFLEXES)) == Infeasible("there is no such thing")
    assert propose(situation("x"), ()) is None
