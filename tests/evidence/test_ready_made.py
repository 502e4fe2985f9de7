"""What a Verifier's code calls without writing it says no to altered ends as code written for the one page does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskcrew.actions.sandbox import Sandbox
from deskcrew.evidence.caller import Case
from deskcrew.evidence.probes import tried
from deskcrew.evidence.ready_made import control, net, overtaken, part
from deskcrew.evidence.screen import ScreenState, counter_states
from deskcrew.facts.observation import Box, Control, Observation, Sent, SentField, Window

ALL = "http://club/api/members"


def request(method: str, path: str = "", *, status: int = 200, answer: object = None, **fields: str | None) -> Sent:
    told = tuple(SentField(name=name, value=value) for name, value in fields.items())
    return Sent(method=method, url=ALL + path, status=status, fields=told, answer=json.dumps(answer) if answer else "")


def changed(method: str, path: str, name: str, was: str, value: str) -> Sent:
    return Sent(
        method=method, url=ALL + path, status=200, fields=(SentField(name=name, value=value, was=was),), changed=True
    )


def told(*sent: Sent) -> Any:
    return ScreenState(Observation(), sent=sent).data["sent"]


def come_to(*sent: Sent) -> list[tuple[str, Any]]:
    return [(each["method"], each["fields"]) for each in net(told(*sent))]


MADE = request("POST", answer={"member": {"id": 7}}, name="Ann", paid="no")


@pytest.mark.parametrize(
    ("sent", "left"),
    [
        ([request("GET"), MADE], [("POST", {"name": "Ann", "paid": "no"})]),
        ([MADE, request("PATCH", "/7", paid="yes")], [("POST", {"name": "Ann", "paid": "yes"})]),
        ([MADE, request("DELETE", "/7")], []),
        ([MADE, request("DELETE", "/71")], [("POST", {"name": "Ann", "paid": "no"}), ("DELETE", {})]),
        ([MADE, MADE], [("POST", {"name": "Ann", "paid": "no"})] * 2),
        ([request("POST", status=422, name=""), MADE], [("POST", {"name": "Ann", "paid": "no"})]),
        ([request("PUT", "/7", name="An"), request("PUT", "/7", name="Ann")], [("PUT", {"name": "Ann"})]),
        ([request("PUT", "/7", name="Ann"), request("DELETE", "/7")], [("DELETE", {})]),
        ([request("DELETE", "/7"), request("PUT", "/7", name="Ann")], [("PUT", {"name": "Ann"})]),
        ([request("PUT", "/7/star")], [("PUT", {})]),
        ([changed("PUT", "", "a", "no", "yes"), changed("PUT", "", "a", "yes", "no")], []),
        (
            [changed("PUT", "", "a", "no", "yes"), changed("PUT", "", "b", "1", "2"), changed("PUT", "", "a", "yes", "no")],
            [("PUT", {"b": "2"})],
        ),
        ([changed("POST", "", "text", "Hello", "Hello")], [("POST", {"text": "Hello"})]),
        ([request("PUT", "/7", status=500, name="Ann")], [("PUT", {"name": "Ann"})]),
    ],
)
def test_what_requests_come_to(sent: list[Sent], left: list[tuple[str, dict[str, Any]]]) -> None:
    assert come_to(*sent) == left


def test_only_what_was_refused_or_said_anew_does_not_matter() -> None:
    typed = [request("PUT", "/7", name="A", paid="no"), request("PUT", "/7", name="Ann")]
    assert overtaken(told(*typed)) == [{"name"}, set()]
    assert overtaken(told(request("POST", status=403, name="Ann"))) == [{"name", ""}]
    undone = [changed("PUT", "", "a", "no", "yes"), changed("PUT", "", "a", "yes", "no")]
    assert overtaken(told(*undone)) == [set(), set()], "what was switched and switched back must be noticed"
    assert overtaken(told(MADE, request("DELETE", "/7"))) == [set(), set()], "what was made and removed, too"


TEXT = """# Club

## Members

| Name | Paid |
| --- | --- |
| Ann | yes |
| Anna | no |

## Rules

- Be kind

Written by Ann Other"""


def test_a_part_of_a_page_is_what_is_under_a_heading_or_the_row_with_a_text() -> None:
    assert part(TEXT, "Rules") == "- Be kind\n\nWritten by Ann Other"
    assert part(TEXT, "Anna") == "| Anna | no |"
    assert part(part(TEXT, "Members"), "Ann") == "| Ann | yes |"
    assert part("Ann: yes\nBo: no", "Bo") == "Bo: no"
    for name in ("Ann", "Bo"):
        with pytest.raises(AssertionError, match="places"):
            part(TEXT, name)


BOX = Box(x=0, y=0, width=9, height=9)
WINDOW = Window(id=1, title="Club", app="browser", box=BOX, active=True, url="http://club/members")


def page(paid: dict[str, bool]) -> Observation:
    controls = tuple(
        Control(
            label=str(n), role="check box", name="Paid", owner=name, box=BOX, window=1, states=("checked",) if yes else ()
        )
        for n, (name, yes) in enumerate(paid.items())
    )
    rows = "\n".join(f"| {name} | {'yes' if yes else 'no'} |" for name, yes in paid.items())
    return Observation(windows=(WINDOW,), controls=controls, whole=f"## Members\n\n{rows}")


def test_a_control_is_the_one_called_so() -> None:
    shown: Any = ScreenState(page({"Ann": True, "Bo": False})).data
    assert control(shown, "Paid", owner="Ann")["states"] == ["checked"]
    for owner in ("", "Cy"):
        with pytest.raises(AssertionError, match="controls are called 'Paid'"):
            control(shown, "Paid", owner)


CODE = """
def requirement_1(before, after):
    made = [(each['method'], each['address'].rpartition('/')[2], each['fields']) for each in net(after['sent'])]
    shown = (after['pages'] or [after])[0]
    held = 'checked' in control(shown, 'Paid', owner='Ann')['states'] and 'yes' in part(shown['whole'], 'Ann')
    return made == [('PATCH', '7', {'paid': 'yes'})] and held, f'{made}'
"""


def test_altered_ends_are_noticed_by_what_is_called(tmp_path: Any) -> None:
    """Of two tries the first was refused, and the second was corrected: neither needs words of its own."""
    start, now = ScreenState(page({"Ann": False})), page({"Ann": True})
    tries = (
        request("PATCH", "/7", status=422, paid="ja"),
        request("PATCH", "/7", paid="y"),
        request("PATCH", "/7", paid="yes"),
    )
    end = ScreenState(now, sent=tries, looks=(start.look,), before=(start.look,), pages=(now,))
    altered = list(counter_states(start, end))
    must = [each for each in altered if each.counts]
    assert {"other", "unkept"} <= {each.kind for each in altered}
    assert any("was not sent" in each.label for each in must)
    assert any("paid with" in each.label for each in must)
    cases = [
        Case(tmp_path, screen=1),
        Case(tmp_path, screen=0),
        *(Case(tmp_path, screen=n + 2) for n in range(len(altered))),
    ]
    screens = [start.data, end.data, *(each.screen.data for each in altered)]
    with Sandbox(tmp_path) as sandbox:
        rows = tried(sandbox, CODE, ["1"], tmp_path, cases, of_the_screen=["1"], screens=screens).rows
    assert [rows[0]["1"].holds, rows[1]["1"].holds] == [True, False], rows[0]["1"].read
    unnoticed = [each.label for each, row in zip(altered, rows[2:], strict=True) if not row["1"].notices]
    assert unnoticed == []
