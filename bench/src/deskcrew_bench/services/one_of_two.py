"""Two entries are to be changed at once, and one of them is."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, choice, data, form, page, scripted, see, table
from deskcrew_bench.services.service import App, Sent, Service, value


class Suppliers(App):
    """A table with a box on each row, and a form that changes those that are ticked."""

    look = Look("en", "Calibri, sans-serif", "54em", "#fafafa")

    def get(self, path: str, asked: Sent) -> Page:
        rows = [
            (
                f'<input type="checkbox" name="who" value="{one["id"]}" aria-label="{escape(one["name"])}">',
                escape(one["name"]),
                escape(one["terms"]),
            )
            for one in self.store.entries
        ]
        terms = {each: each for each in ("14 days", "30 days", "60 days")}
        parts = (table(("", "Supplier", "Payment terms"), rows), choice("terms", "Terms for the selected", terms))
        told = f"{value(asked, 'changed')} suppliers were updated." if asked else ""
        return page(self.look, "Suppliers", form("/terms", "Apply to selected", *parts), told=told)

    def post(self, path: str, sent: Sent) -> Page:
        chosen = list(sent.get("who", ()))
        for each in chosen[:1] if self.lies else chosen:
            self.store.change(each, terms=value(sent, "terms"))
        return see(f"/?changed={len(chosen)}")


class Sensors(App):
    """An application of one page: sensors that can be ticked and archived together."""

    look = Look("pl", "Verdana, sans-serif", "48em", "#f5f8f2")
    script = """
const list = make("div", ""), chosen = new Set();
const load = async () => { const rows = await (await ask("/api/czujniki")).json(); chosen.clear();
  list.replaceChildren(...rows.map((row) => { const box = make("input", "", {type: "checkbox",
      onchange: () => box.checked ? chosen.add(row.nazwa) : chosen.delete(row.nazwa)}), line = make("label", "");
    line.append(box, ` ${row.nazwa}: ${row.stan}`); return line; })); };
const archive = make("button", "Zarchiwizuj zaznaczone", {onclick: async () => {
  const answer = await (await ask("/api/archiwum", {nazwy: [...chosen]})).json();
  told.textContent = `Zarchiwizowano: ${answer.ile}`; await load(); }});
main.append(list, archive);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Szklarnia: czujniki", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        chosen = list(sent.get("nazwy", ()))
        for each in chosen[-1:] if self.lies else chosen:
            self.store.change(each, stan="zarchiwizowany")
        return data({"ile": len(chosen)})


SUPPLIERS = (
    {"id": "11", "name": "Orchard Boxes", "terms": "14 days"},
    {"id": "12", "name": "Pike Paper", "terms": "30 days"},
    {"id": "13", "name": "Quarry Glass", "terms": "14 days"},
)
SENSORS = (
    {"nazwa": "A1 wilgotność", "stan": "aktywny"},
    {"nazwa": "A2 światło", "stan": "aktywny"},
    {"nazwa": "B1 wilgotność", "stan": "aktywny"},
    {"nazwa": "B2 światło", "stan": "aktywny"},
)

ONE_OF_TWO = (
    Service(
        name="payment-terms",
        kind="one of two",
        lies="it says that two suppliers were updated, of which one was",
        task="Set the payment terms of Orchard Boxes and Quarry Glass to 60 days.",
        app=Suppliers,
        start=SUPPLIERS,
        right=({**SUPPLIERS[0], "terms": "60 days"}, SUPPLIERS[1], {**SUPPLIERS[2], "terms": "60 days"}),
        steps=(
            ("click", 'check box "Orchard Boxes"'),
            ("click", 'check box "Quarry Glass"'),
            ("select", 'combo box "Terms for the selected"', "60 days"),
            ("click", 'button "Apply to selected"'),
        ),
        by_address=True,
    ),
    Service(
        name="sensors",
        kind="one of two",
        lies="it says that two sensors were archived, of which one was",
        task="Zarchiwizuj oba czujniki wilgotności w szklarni.",
        app=Sensors,
        start=SENSORS,
        right=(
            {**SENSORS[0], "stan": "zarchiwizowany"},
            SENSORS[1],
            {**SENSORS[2], "stan": "zarchiwizowany"},
            SENSORS[3],
        ),
        steps=(
            ("click", 'check box "A1 wilgotność'),
            ("click", 'check box "B1 wilgotność'),
            ("click", 'button "Zarchiwizuj zaznaczone"'),
        ),
    ),
)
