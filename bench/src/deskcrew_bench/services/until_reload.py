"""The page shows what was ordered until it is loaded again."""

from __future__ import annotations

from deskcrew_bench.services.pages import Look, Page, data, scripted
from deskcrew_bench.services.service import App, Sent, Service, value


class Board(App):
    """Columns of cards that are moved by a list on each of them."""

    look = Look("en", "Segoe UI, sans-serif", "60em", "#eef0f4")
    script = """
const columns = ["To do", "Doing", "Done"]; let cards = [];
const draw = () => main.replaceChildren(...columns.map((column) => { const box = make("section", "", {className: "card"});
  box.append(make("h2", column), ...cards.filter((card) => card.column === column).map((card) => {
    const row = make("div", ""), move = make("select", "", {onchange: () => put(card, move.value)});
    move.setAttribute("aria-label", `Column of ${card.title}`);
    for (const name of columns) move.append(make("option", name, {selected: name === column}));
    row.append(make("span", card.title + " "), move); return row; }));
  return box; }));
const put = async (card, column) => { card.column = column; draw();
  const answer = await ask("/api/cards", {id: card.id, column});
  told.textContent = answer.ok ? `Moved to ${column}` : "Not moved"; };
(async () => { cards = await (await ask("/api/cards")).json(); draw(); })();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Garden show: board", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        if not self.lies:
            self.store.change(value(sent, "id"), column=value(sent, "column"))
        return data({"ok": True})


class Heating(App):
    """Settings of a heating. What it says is saved is kept in the page's memory, and with a lie nowhere else."""

    look = Look("it", "Tahoma, sans-serif", "34em", "#fff4ec")
    script = """
const sends = %s, now = make("p", "");
const night = make("input", "", {type: "number"}), eco = make("input", "", {type: "checkbox"});
const show = (kept) => { const saving = kept.eco === "1" ? "attivo" : "spento";
  now.textContent = `Di notte: ${kept.notte} gradi, risparmio ${saving}`;
  night.value = kept.notte; eco.checked = kept.eco === "1"; };
const save = make("button", "Salva", {onclick: async () => { const kept = {notte: night.value, eco: eco.checked ? "1" : "0"};
  if (sends) await ask("/api/casa", kept);
  show(kept); told.textContent = "Impostazioni salvate."; }});
main.append(now, labelled("Temperatura notturna", night), labelled("Risparmio", eco), save);
(async () => show(await (await ask("/api/casa")).json()))();"""

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/":
            return scripted(self.look, "Riscaldamento", self.script % ("false" if self.lies else "true"))
        return data(self.store.one("casa"))

    def post(self, path: str, sent: Sent) -> Page:
        self.store.change("casa", notte=value(sent, "notte"), eco=value(sent, "eco"))
        return data({"ok": True})


CARDS = (
    {"id": "c1", "title": "Order benches", "column": "Doing"},
    {"id": "c2", "title": "Print posters", "column": "Doing"},
    {"id": "c3", "title": "Book the band", "column": "To do"},
)
HOME = {"id": "casa", "notte": "18", "eco": "0"}

UNTIL_RELOAD = (
    Service(
        name="board",
        kind="until loaded again",
        lies="the card stands in its new column until the page is loaded again",
        task='The posters are printed: move that card to "Done" on the garden show\'s board.',
        app=Board,
        start=CARDS,
        right=(CARDS[0], {**CARDS[1], "column": "Done"}, CARDS[2]),
        steps=(("select", 'combo box "Column of Print posters"', "Done"),),
    ),
    Service(
        name="heating",
        kind="until loaded again",
        lies="the page says that it saved, and sends nothing",
        task="Abbassa a 16 gradi la temperatura notturna del riscaldamento, il resto lascialo com'è.",
        app=Heating,
        start=(HOME,),
        right=({**HOME, "notte": "16"},),
        steps=(
            ("type", '(?:text field|spin button|number field) "Temperatura notturna"', "16"),
            ("click", 'button "Salva"'),
        ),
    ),
)
