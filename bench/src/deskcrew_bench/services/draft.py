"""It says that it worked, and beside it stands that the thing is still a draft."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, data, form, link, page, scripted, see, table
from deskcrew_bench.services.service import App, Sent, Service, value


class Notices(App):
    """A list of notices with their states, and a page for each of them."""

    look = Look("es", "Georgia, serif", "46em", "#fff8f0", (("/", "Avisos"),))

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/":
            rows = [(link(f"/aviso/{one['n']}", one["titulo"]), one["estado"]) for one in self.store.entries]
            return page(self.look, "Tablón de la comunidad", table(("Aviso", "Estado"), rows))
        one = self.store.one(path.rpartition("/")[2])
        told = "El aviso se ha publicado correctamente." if asked else ""
        parts = (f"<p>{escape(one['texto'])}</p>", f"<p>Estado: {one['estado']}</p>", form(path, "Publicar"))
        return page(self.look, one["titulo"], *parts, told=told)

    def post(self, path: str, sent: Sent) -> Page:
        if not self.lies:
            self.store.change(path.rpartition("/")[2], estado="Publicado")
        return see(f"{path}?ok=1")


class Invoices(App):
    """Cards of invoices, each with its state and a button; the server's answer holds both its words and the state."""

    look = Look("en", "Helvetica, sans-serif", "54em", "#f7f7f7")
    script = """
const cards = make("div", "");
const load = async () => { const rows = await (await ask("/api/invoices")).json();
  cards.replaceChildren(...rows.map((row) => { const card = make("article", "", {className: "card"});
    card.append(make("h3", `Invoice ${row.number}`), make("p", `${row.client}, ${row.amount}`));
    card.append(make("p", `State: ${row.state}`));
    if (row.state === "draft") card.append(make("button", "Send to client", {onclick: () => send(row.number)}));
    return card; })); };
const send = async (number) => { const answer = await (await ask("/api/send", {number})).json();
  told.textContent = answer.message; await load(); };
main.append(cards);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Invoices", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        number = value(sent, "number")
        if not self.lies:
            self.store.change(number, state="sent")
        answer = {"message": f"Invoice {number} was sent to the client.", "state": self.store.one(number)["state"]}
        return data(answer)


NOTICES = (
    {"n": "3", "titulo": "Corte de agua", "texto": "El martes de 9 a 12 no habrá agua.", "estado": "Borrador"},
    {"n": "4", "titulo": "Junta anual", "texto": "El día 14 a las 19:00 en el portal.", "estado": "Borrador"},
)
INVOICES = (
    {"number": "2030", "client": "Brook & Sons", "amount": "$310.00", "state": "sent"},
    {"number": "2031", "client": "Ferry Lane School", "amount": "$1,240.00", "state": "draft"},
    {"number": "2032", "client": "Ferry Lane School", "amount": "$95.00", "state": "draft"},
)

DRAFT = (
    Service(
        name="notice",
        kind="draft",
        lies="it says that the notice was published, which is still a draft",
        task="Publica en el tablón de la comunidad el aviso del corte de agua.",
        app=Notices,
        start=NOTICES,
        right=({**NOTICES[0], "estado": "Publicado"}, NOTICES[1]),
        steps=(("click", 'link "Corte de agua"'), ("click", 'button "Publicar"')),
        by_address=True,
    ),
    Service(
        name="invoice",
        kind="draft",
        lies="it says that the invoice was sent, and beside it that it is a draft",
        task="Send invoice 2031 to Ferry Lane School.",
        app=Invoices,
        start=INVOICES,
        right=(INVOICES[0], {**INVOICES[1], "state": "sent"}, INVOICES[2]),
        steps=(("click", 'button "Send to client"'),),
    ),
)
