"""What is new, other or gone on a page that was loaded anew: one fact once, and what heads it not at all."""

from __future__ import annotations

from deskcrew.evidence.shown import ShownChange, changes
from deskcrew.facts.observation import Box, Control, Observation, Screen, Sent, SentField, Window

BOX = Box(x=0, y=0, width=9, height=9)
SENT = (Sent(method="POST", url="http://diary/", fields=(SentField(name="when", value="14:00"),)),)


def page(
    *rows: tuple[str, ...], title: str = "Diary", heads: tuple[str, ...] = (), more: tuple[Control, ...] = ()
) -> Observation:
    """A page with a table: each row is a line, and cells."""
    window = Window(id=1, title=title, app="browser", box=BOX, active=True, url=f"http://diary/{title}")
    all_rows = [("column header", heads), *(("cell", row) for row in rows)] if heads else [("cell", row) for row in rows]
    cells = [(role, name) for role, row in all_rows for name in row]
    controls = tuple(
        Control(label=str(number), role=role, name=name, box=BOX, window=1) for number, (role, name) in enumerate(cells, 1)
    )
    text = "\n".join((title, *(" | ".join(row) for _, row in all_rows)))
    return Observation(windows=(window,), controls=(*controls, *more), text=text)


def names(look: Observation) -> list[str]:
    return [control.name for control in look.controls]


def altered(change: ShownChange) -> tuple[set[str], set[str]]:
    """What of the rows' lines, and what of the cells, a changed page shows."""
    said = {part for line in change.look.text.splitlines()[1:] for part in line.split(" | ")}
    return said, set(names(change.look))


def test_a_row_is_altered_as_a_line_and_as_cells_at_once() -> None:
    before, now = page(("9", "08:00", "Gym")), page(("9", "08:00", "Gym"), ("12", "14:00", "Dentist"))
    found = changes(now, (before,), SENT)
    assert [[(thing.role, thing.name) for thing in change.things] for change in found] == [
        [("cell", "12")],
        [("cell", "14:00")],
        [("cell", "Dentist")],
    ]
    for change in found:
        said, shown = altered(change)
        assert said == shown, "a function that reads lines sees what one sees that reads cells"
        assert change.things[0].name not in shown


def test_a_row_with_another_value_is_undone_in_both_places() -> None:
    before, now = page(("9", "08:00", "Gym"), ("12", "14:00", "Tea")), page(("9", "08:00", "Gym"), ("12", "15:00", "Tea"))
    (change,) = changes(now, (before,), SENT)
    assert change.look.text == before.text
    assert names(change.look) == names(before)


def test_a_row_that_is_gone_is_there_again_in_both_places() -> None:
    before, now = page(("9", "08:00", "Gym"), ("12", "14:00", "Tea")), page(("9", "08:00", "Gym"))
    (change,) = changes(now, (before,), SENT)
    assert change.gone
    assert altered(change) == ({"9", "08:00", "Gym", "12", "14:00", "Tea"},) * 2


def test_what_heads_a_repeated_value_is_no_change() -> None:
    start = page(
        title="Free hours", more=(Control(label="1", role="link", name="Mine", box=BOX, window=1, operations=("click",)),)
    )
    mine = page(("draft", "14:00"), title="Mine", heads=("State", "When"))
    found = changes(mine, (start,), SENT)
    assert [thing.name for change in found for thing in change.things] == ["draft", "14:00"]


def view(route: str, *lines: str, sent: tuple[Sent, ...] = ()) -> Observation:
    window = Window(id=1, title="Shop", app="browser", box=BOX, active=True, url=f"http://shop/#/{route}")
    return Observation(windows=(window,), text="\n".join((*FRAME, *lines)), sent=sent)


FRAME = tuple(f"What every view shows, {number}" for number in range(20))


def test_what_stands_beside_a_repeated_value_and_was_there_before_it_was_sent_is_no_change() -> None:
    first = Sent(method="POST", url="http://shop/", fields=(SentField(name="name", value="Ann Lee"),))
    start, form = view("profile", "Name"), view("orders", "Order 7", "Delivery", "No hour yet", "By Post")
    later = view("orders", "Order 7", "Delivery", "At 14:00", "By Post", "A draft")
    looks = (start.model_copy(update={"sent": (first,)}), form, later.model_copy(update={"sent": SENT}))
    found = changes(later, (start,), (first, *SENT), looks)
    assert [thing.name for change in found for thing in change.things] == ["At 14:00", "A draft"]


def test_a_view_is_not_compared_with_another_one_of_its_application() -> None:
    start, now = view("profile", "Name", "Ann Lee"), view("orders", "Order 7", "Order 8", "At 14:00")
    found = changes(now, (start,), SENT)
    assert all(not change.gone and not change.old for change in found)
    same = changes(view("profile", "Name", "Bo Lee"), (start,), SENT)
    assert [(change.things[0].name, change.old) for change in same] == [("Bo Lee", "Ann Lee")]


SCREEN = Screen(width=9, height=100)


def window_of(*lines: str, top: int = 0, bottom: int = 300) -> Observation:
    """A page of which only some lines are in view. ``top``, ``bottom``: where all of it is."""
    window = Window(id=1, title="Diary", app="browser", box=BOX, active=True, url="http://diary/")
    box = Box(x=0, y=top, width=9, height=bottom - top)
    whole = Control(label="1", role="document", box=box, window=1)
    return Observation(screen=SCREEN, windows=(window,), controls=(whole,), text="\n".join(lines))


ENTRIES = ("Diary", "Gym at 08:00", "Tea at 16:00", "Choir at 19:00", "Cinema at 20:00")


def test_what_only_moves_into_view_or_out_of_it_is_neither_new_nor_gone() -> None:
    taken = window_of("Diary", "Tea at 16:00", "Choir at 19:00", "Cinema at 20:00", "Concert at 21:00")
    assert [change.label for change in changes(taken, (window_of(*ENTRIES),), SENT)] == ["'Gym at 08:00' still there"]
    added = window_of("Diary", "Dentist at 14:00", *ENTRIES[1:-1])
    (change,) = changes(added, (window_of(*ENTRIES),), SENT)
    assert change.things[0].name == "Dentist at 14:00"


def test_of_a_page_that_ends_in_view_what_is_last_is_new_or_gone() -> None:
    whole = window_of(*ENTRIES, bottom=100)
    added = window_of(*ENTRIES, "Concert at 21:00", bottom=100)
    assert [change.things[0].name for change in changes(added, (whole,), SENT)] == ["Concert at 21:00"]
    assert [change.gone for change in changes(whole, (added,), SENT)] == [True]


def test_what_was_sent_and_stands_last_in_view_is_new() -> None:
    now = window_of(*ENTRIES[:-1], "Dentist at 14:00")
    found = changes(now, (window_of(*ENTRIES),), SENT)
    assert any(change.things[0].name == "Dentist at 14:00" for change in found)


def test_a_page_that_is_scrolled_shows_other_lines_and_no_new_ones() -> None:
    scrolled = window_of(*ENTRIES[2:], "Concert at 21:00", "Walk at 22:00", top=-20, bottom=280)
    assert not changes(scrolled, (window_of(*ENTRIES),), SENT)


def entries(*owners: str, away: int, says: tuple[str, ...], more: tuple[Control, ...] = ()) -> Observation:
    """A list in a part of a page that is scrolled by itself: all but the last ``away`` entries are in view."""
    window = Window(id=1, title="Orders", app="browser", box=BOX, active=True, url="http://diary/")
    controls = tuple(
        Control(
            label=str(at), role="button", name="Approve", owner=owner, box=BOX, window=1,
            states=("out of view",) if at >= len(owners) - away else (),
        )
        for at, owner in enumerate(owners)
    )  # fmt: skip
    return Observation(windows=(window,), controls=(*more, *controls), text="\n".join(says))


def test_entries_that_move_up_to_where_another_was_are_no_change() -> None:
    rope, lamp, hats = (
        "PENDING Feb 28 Rope for the boat…",
        "PENDING Feb 27 Lamp for the cellar…",
        "PENDING Feb 26 Hats 14:00 o…",
    )
    heads = (*FRAME, "Pending", "Feb 28", "Rope for the boat", "Qty: 3")
    last = "PENDING Feb 25 A bell…"
    was = entries(
        rope, lamp, hats, last, away=2, says=(*heads, "Pending", "Feb 27", "Lamp for the cellar", "Qty: 4", "At once")
    )
    now = entries(rope, hats, last, away=1, says=(*heads, "Pending", "Feb 26", "Hats 14:00 one size", "Qty: 5"))
    sent = (Sent(method="PUT", url="http://diary/", fields=(SentField(name="state", value="approved"),)),)
    (change,) = changes(now, (was,), sent)
    assert (change.label, change.gone) == ("'Feb 27' still there", True)
    assert [c.owner for c in change.look.controls] == [rope, hats, last, lamp], "a function that reads the rows sees it, too"
    # The other way round, what moves out of view is not gone.
    assert not any(each.gone for each in changes(was, (now,), sent))


def button(name: str, *states: str, owner: str = "") -> Control:
    return Control(label=name, role="button", name=name, owner=owner, states=states, box=BOX, window=1)


def test_which_view_is_selected_or_in_view_is_no_change_and_a_name_is_altered_wherever_it_is_told() -> None:
    window = Window(id=1, title="Contacts", app="browser", box=BOX, active=True, url="http://diary/")
    friends = [
        (button(name, *state), button("edit", owner=name), button("Family 3"), button("All 40", *other), button("Name", *by))
        for name, state, other, by in (
            ("Friends 7", ("out of view",), ("selected",), ("sorted ascending",)),
            ("Friends 11", ("selected",), (), ()),
        )
    ]
    was, now = (Observation(windows=(window,), controls=controls, text="Contacts") for controls in friends)
    change, *views = changes(now, (was,), SENT)
    assert (change.label, change.of_view) == ("button 'Friends 11' as it was: 'Friends 7'", False)
    assert [each.of_view for each in views] == [True, True]
    assert [control.owner for control in change.look.controls] == ["", "Friends 7", "", "", ""]
    assert change.look.controls[0].states == ("selected",), "it is where it is now"


def test_a_line_is_altered_in_the_card_that_a_control_stands_in() -> None:
    window = Window(id=1, title="Rope - 50 euros", app="browser", box=BOX, active=True, url="http://diary/")
    was, now = (
        Observation(windows=(window,), controls=(button("Buy", owner=f"Rope {price}"),), text=f"Rope\n{price}")
        for price in ("40 euros", "50 euros")
    )
    (change,) = changes(now, (was,), SENT)
    assert (change.look.controls[0].owner, change.look.windows[0].title) == ("Rope 40 euros", "Rope - 40 euros")


def test_all_text_of_a_page_is_altered_with_what_is_in_view() -> None:
    was, now = (
        view("orders", *lines) for lines in (("Rope", "Price_a: 40", "free", "Lamp"), ("Rope", "Price_a: 50", "booked"))
    )
    whole = "\n".join((*FRAME, "- Rope", "- Price\\_a: 50", "- booked", "Below the view: booked"))
    price, booked, lamp = changes(now.model_copy(update={"whole": whole}), (was,), SENT)
    assert price.look.whole == whole.replace("50", "40")
    assert booked.look.whole == whole.replace("booked", "free"), "nobody can say which one is in view"
    assert lamp.look.whole == f"{whole}\nLamp"
    rows = [
        page(("9", "Gym_a"), ("12", name)).model_copy(update={"whole": f"| 9 | Gym\\_a |\n| 12 | {name} |"}) for name in "9x"
    ]
    (cell,) = changes(rows[1], (rows[0],), SENT)
    assert cell.look.whole == rows[0].whole, "a row of a table alone, whatever other cells say"
    elsewhere = changes(now.model_copy(update={"whole": "Something else"}), (was,), SENT)
    assert [each.look.whole for each in elsewhere[:2]] == ["", ""], "then what is in view counts alone"
