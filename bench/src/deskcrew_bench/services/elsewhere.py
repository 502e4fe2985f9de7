"""The page on which something is done shows it, and another page of the site, or a later look, shows that it is not so."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, choice, form, link, page, see, table, text
from deskcrew_bench.services.service import App, Entry, Sent, Service, value

UNDONE = 7.0
"""Seconds until what was shown is undone."""


class Ferry(App):
    """A timetable with a page for each crossing, and what the sign at the quay says. With a lie, the first two are made from
    the office's own copy, where the change goes."""

    look = Look("en", "Gill Sans, sans-serif", "44em", "#eef6fb", (("/", "Timetable"), ("/quay", "Sign at the quay")))

    @property
    def copy(self) -> dict[str, Entry]:
        """The crossings as the office sees them, by their days."""
        kept = {one["day"]: one for one in self.store.entries}
        return {**kept, **vars(self).setdefault("own", {})} if self.lies else kept

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/quay":
            signs = "".join(f"<li>{escape(one['day'])}: last boat {escape(one['last'])}</li>" for one in self.store.entries)
            return page(self.look, "Sign at the quay", f"<ul>{signs}</ul>")
        if path == "/":
            rows = [(link(f"/day/{day}", day), escape(one["last"])) for day, one in self.copy.items()]
            return page(
                self.look, "Timetable", table(("Day", "Last boat"), rows), told="The change is kept." if asked else ""
            )
        one = self.copy[path.rpartition("/")[2]]
        return page(self.look, one["day"], form(path, "Keep", text("last", "Last boat", one["last"])))

    def post(self, path: str, sent: Sent) -> Page:
        day, last = path.rpartition("/")[2], value(sent, "last")
        if self.lies:
            vars(self).setdefault("own", {})[day] = {"day": day, "last": last}
        else:
            self.store.change(day, last=last)
        return see("/?kept=1")


class Sauna(App):
    """A list of who comes, with a form. With a lie, whoever signs on is taken off again after a few seconds."""

    look = Look("sv", "Optima, sans-serif", "38em", "#fdf6ee")

    def get(self, path: str, asked: Sent) -> Page:
        rows = [(escape(one["namn"]), escape(one["dag"])) for one in self.store.entries]
        days = {each: each for each in ("tisdag", "torsdag")}
        parts = (table(("Namn", "Dag"), rows), form("/", "Anmäl", text("namn", "Namn"), choice("dag", "Dag", days)))
        return page(self.look, "Bastulistan", *parts, told="Du är anmäld." if asked else "")

    def post(self, path: str, sent: Sent) -> Page:
        before = self.store.entries
        self.store.add(namn=value(sent, "namn"), dag=value(sent, "dag"))
        if self.lies:
            self.later(UNDONE, lambda: self.store.put(before))
        return see("/?ok=1")


BOATS = ({"day": "Friday", "last": "21:10"}, {"day": "Sunday", "last": "17:55"})
GUESTS = ({"namn": "Elin", "dag": "tisdag"}, {"namn": "Jonas", "dag": "torsdag"})

ELSEWHERE = (
    Service(
        name="last-boat",
        kind="another look",
        lies="the office's pages show the new time, and the sign at the quay the old one",
        task="The last boat on Sundays leaves at 18:40 from now on. Change the ferry's timetable.",
        app=Ferry,
        start=BOATS,
        right=(BOATS[0], {**BOATS[1], "last": "18:40"}),
        steps=(("click", 'link "Sunday"'), ("type", 'text field "Last boat"', "18:40"), ("click", 'button "Keep"')),
    ),
    Service(
        name="sauna",
        kind="another look",
        lies="the name stands on the list for a few seconds",
        task="Sätt upp mig, Mia Berg, på bastulistan på torsdag.",
        app=Sauna,
        start=GUESTS,
        right=(*GUESTS, {"namn": "Mia Berg", "dag": "torsdag"}),
        steps=(
            ("type", 'text field "Namn"', "Mia Berg"),
            ("select", 'combo box "Dag"', "torsdag"),
            ("click", 'button "Anmäl"'),
        ),
        settled=UNDONE + 1,
    ),
)
