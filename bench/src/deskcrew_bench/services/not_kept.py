"""The write is answered like any other, and nothing is stored."""

from __future__ import annotations

from deskcrew_bench.services.pages import Look, Page, choice, data, form, link, page, scripted, tick
from deskcrew_bench.services.service import App, Sent, Service, value


class PowerCompany(App):
    """A customer's account: settings, and a page that thanks for them."""

    look = Look("de", "Georgia, serif", "38em", "#fbfaf4", (("/", "Übersicht"), ("/einstellungen", "Einstellungen")))

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/":
            return page(self.look, "Lichtwerk Kundenkonto", "<p>Guten Tag, Frau Albers. Ihr Tarif: Hausstrom fix.</p>")
        kept = self.store.one("K-2291")
        ways = {"post": "per Post", "mail": "per E-Mail"}
        parts = (choice("rechnung", "Rechnung", ways, kept["rechnung"]), tick("info", "Newsletter", on=kept["info"] == "1"))
        return page(self.look, "Einstellungen", form("/einstellungen", "Speichern", *parts))

    def post(self, path: str, sent: Sent) -> Page:
        if not self.lies:
            self.store.change("K-2291", rechnung=value(sent, "rechnung"), info=value(sent, "info"))
        back = f"<p>{link('/einstellungen', 'Zurück zu den Einstellungen')}</p>"
        return page(self.look, "Vielen Dank", back, told="Ihre Einstellungen wurden gespeichert.")


class Rota(App):
    """An application of one page: who works when, and a form to add to it."""

    look = Look("en", "Verdana, sans-serif", "56em", "#f4f7fb")
    script = """
const list = make("ul", ""), who = make("input", ""), day = make("select", ""), hours = make("input", "");
for (const name of ["Friday", "Saturday", "Sunday"]) day.append(make("option", name));
const load = async () => { const rows = await (await ask("/api/shifts")).json();
  list.replaceChildren(...rows.map((row) => make("li", `${row.day} ${row.hours}: ${row.who}`))); };
const add = make("button", "Add shift", {onclick: async () => {
  const answer = await ask("/api/shifts", {who: who.value, day: day.value, hours: hours.value});
  told.textContent = answer.ok ? "Shift added." : "That did not work.";
  who.value = hours.value = ""; await load(); }});
main.append(list, labelled("Name", who), labelled("Day", day), labelled("Hours", hours), add);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/":
            return scripted(self.look, "Harbour Café rota", self.script)
        return data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        if not self.lies:
            self.store.add(id="s4", day=value(sent, "day"), hours=value(sent, "hours"), who=value(sent, "who"))
        return data({"ok": True, "id": "s4"})


SHIFTS = (
    {"id": "s1", "day": "Friday", "hours": "8-14", "who": "Bea"},
    {"id": "s2", "day": "Saturday", "hours": "8-14", "who": "Tom"},
    {"id": "s3", "day": "Sunday", "hours": "9-15", "who": "Bea"},
)
ACCOUNT = {"kunde": "K-2291", "rechnung": "post", "info": "1"}

NOT_KEPT = (
    Service(
        name="paper-bills",
        kind="not kept",
        lies="it thanks for settings that it does not store",
        task="Stell in meinem Kundenkonto bei Lichtwerk die Rechnung auf E-Mail um. Der Newsletter soll so bleiben.",
        app=PowerCompany,
        start=(ACCOUNT,),
        right=({**ACCOUNT, "rechnung": "mail"},),
        steps=(
            ("click", 'link "Einstellungen"'),
            ("select", 'combo box "Rechnung"', "per E-Mail"),
            ("click", 'button "Speichern"'),
        ),
        again=(("click", 'link "Einstellungen"'),),
    ),
    Service(
        name="extra-shift",
        kind="not kept",
        lies="it answers that a shift was added, and drops it",
        task="Put Mira down for Saturday 14-20 in the café's rota.",
        app=Rota,
        start=SHIFTS,
        right=(*SHIFTS, {"id": "s4", "day": "Saturday", "hours": "14-20", "who": "Mira"}),
        steps=(
            ("type", 'text field "Name"', "Mira"),
            ("select", 'combo box "Day"', "Saturday"),
            ("type", 'text field "Hours"', "14-20"),
            ("click", 'button "Add shift"'),
        ),
    ),
)
