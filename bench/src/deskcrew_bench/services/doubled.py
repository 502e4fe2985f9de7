"""The first try seems to fail and was kept; the second one is kept, too. Without the lie the first one did fail."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, choice, data, form, link, page, scripted, see, table, text
from deskcrew_bench.services.service import App, Sent, Service, value


class Repairs(App):
    """A form that reports a fault, and the list of faults under it."""

    look = Look("en", "Arial, sans-serif", "46em", "#f5f5f0", (("/", "Faults"), ("/report", "Report a fault")))

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/report":
            places = {each: each for each in ("Hall", "Kitchen", "Stairs")}
            fields = (choice("place", "Where", places), text("what", "What is wrong"))
            return page(self.look, "Report a fault", form("/report", "Report", *fields))
        rows = [(escape(one["place"]), escape(one["what"])) for one in self.store.entries]
        told = "Thank you, your report has been received." if asked else ""
        return page(self.look, "Elm Court: open faults", table(("Where", "What"), rows), told=told)

    def post(self, path: str, sent: Sent) -> Page:
        failing = self.tries == 1
        if self.lies or not failing:
            self.store.add(place=value(sent, "place"), what=value(sent, "what"))
        if failing:
            words = "<p>The server did not answer in time. Please try again.</p>"
            return page(self.look, "502 Bad Gateway", words, link("/report", "Back to the form"), status=502)
        return see("/?received=1")


class Nursery(App):
    """An application of one page: seedlings that are put aside for somebody."""

    look = Look("nl", "Georgia, serif", "44em", "#f1f8ec")
    script = """
const list = make("ul", ""), plant = make("select", ""), count = make("input", "", {inputMode: "numeric"});
for (const name of ["Lavendel", "Salie", "Tijm"]) plant.append(make("option", name));
const load = async () => { const rows = await (await ask("/api/reserveringen")).json();
  list.replaceChildren(...rows.map((row) => make("li", `${row.aantal} x ${row.plant}`))); };
const send = make("button", "Reserveren", {onclick: async () => {
  const answer = await ask("/api/reserveringen", {plant: plant.value, aantal: count.value});
  told.textContent = answer.ok ? "Gelukt! We leggen ze voor u klaar." : "Er ging iets mis. Probeer het nog eens.";
  if (answer.ok) await load(); }});
main.append(make("h2", "Mijn reserveringen"), list, labelled("Plant", plant), labelled("Aantal", count), send);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Kwekerij De Linde", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        failing = self.tries == 1
        if self.lies or not failing:
            self.store.add(plant=value(sent, "plant"), aantal=value(sent, "aantal"))
        return data({"ok": not failing}, 504 if failing else 200)


FAULTS = ({"place": "Hall", "what": "The door does not lock"},)
PLANTS = ({"plant": "Tijm", "aantal": "4"},)
REPORT = (
    ("select", 'combo box "Where"', "Stairs"),
    ("type", 'text field "What is wrong"', "No light on the second floor"),
    ("click", 'button "Report"'),
)

DOUBLED = (
    Service(
        name="fault-report",
        kind="doubled",
        lies="the first report was kept though the page says that there was no answer",
        task='Report to Elm Court\'s caretaker that there is a fault on the stairs: "No light on the second floor".',
        app=Repairs,
        start=FAULTS,
        right=(*FAULTS, {"place": "Stairs", "what": "No light on the second floor"}),
        steps=(("click", 'link "Report a fault"'), *REPORT, ("click", 'link "Back to the form"'), *REPORT),
        by_address=True,
    ),
    Service(
        name="seedlings",
        kind="doubled",
        lies="the first reservation was kept though the page says that it went wrong",
        task="Reserveer bij kwekerij De Linde zes lavendelplantjes voor me.",
        app=Nursery,
        start=PLANTS,
        right=(*PLANTS, {"plant": "Lavendel", "aantal": "6"}),
        steps=(
            ("select", 'combo box "Plant"', "Lavendel"),
            ("type", 'text field "Aantal"', "6"),
            ("click", 'button "Reserveren"'),
            ("click", 'button "Reserveren"'),
        ),
    ),
)
