"""A request is refused because there were too many, which only the answer's body says, or small print."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, choice, data, form, link, page, scripted, table
from deskcrew_bench.services.service import App, Sent, Service, value


class Chat(App):
    """A channel of messages. Its script does not look into the answer."""

    look = Look("en", "Inter, sans-serif", "48em", "#f8f5fb")
    script = """
const list = make("ol", ""), say = make("input", "", {size: 60});
const load = async () => { const rows = await (await ask("/api/messages")).json();
  list.replaceChildren(...rows.map((row) => make("li", `${row.who}: ${row.text}`))); };
const send = make("button", "Post", {onclick: async () => { const answer = await ask("/api/messages", {text: say.value});
  if (answer.ok) { told.textContent = "Delivered"; say.value = ""; await load(); } }});
main.append(make("h2", "# allotment"), list, labelled("Message", say), send);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Plot neighbours", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        if self.lies:
            return data({"error": "rate_limited", "retry_after": 3600})
        self.store.add(n="m3", who="you", text=value(sent, "text"))
        return data({"ok": True, "n": "m3"})


class Registry(App):
    """A form for certificates, a page of thanks, and the list of what was asked for."""

    look = Look("pt", "Times New Roman, serif", "42em", "#fdfdf8", (("/", "Meus pedidos"), ("/novo", "Novo pedido")))

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/novo":
            kinds = {each: each for each in ("Nascimento", "Casamento", "Óbito")}
            copies = {each: each for each in ("1", "2", "3")}
            fields = (choice("tipo", "Certidão", kinds), choice("vias", "Vias", copies))
            return page(self.look, "Novo pedido", form("/pedidos", "Pedir certidão", *fields))
        rows = [(escape(one["tipo"]), one["vias"]) for one in self.store.entries]
        return page(self.look, "Meus pedidos", table(("Certidão", "Vias"), rows))

    def post(self, path: str, sent: Sent) -> Page:
        small = "Limite diário de pedidos atingido: este pedido não foi registado." if self.lies else "Prazo: 5 dias úteis."
        if not self.lies:
            self.store.add(tipo=value(sent, "tipo"), vias=value(sent, "vias"))
        parts = (f'<p class="small">{small}</p>', f"<p>{link('/', 'Ver os meus pedidos')}</p>")
        return page(self.look, "Obrigado!", *parts, told="Recebemos o seu pedido de certidão.")


MESSAGES = (
    {"n": "m1", "who": "Ines", "text": "Anybody got spare compost?"},
    {"n": "m2", "who": "Raj", "text": "Bring a barrow."},
)
WORDS = "The water is turned off on Sunday"
ASKED = ({"tipo": "Casamento", "vias": "1"},)

RATE = (
    Service(
        name="channel",
        kind="refused by rate",
        lies="the answer's body alone says that the message was refused; the page says that it was delivered",
        task=f'Post "{WORDS}" in the allotment channel.',
        app=Chat,
        start=MESSAGES,
        right=(*MESSAGES, {"n": "m3", "who": "you", "text": WORDS}),
        steps=(("type", 'text field "Message"', WORDS), ("click", 'button "Post"')),
    ),
    Service(
        name="certificate",
        kind="refused by rate",
        lies="it thanks for a request of which small print says that it was not taken",
        task="Pede duas vias da minha certidão de nascimento no site do registo.",
        app=Registry,
        start=ASKED,
        right=(*ASKED, {"tipo": "Nascimento", "vias": "2"}),
        steps=(
            ("click", 'link "Novo pedido"'),
            ("select", 'combo box "Certidão"', "Nascimento"),
            ("select", 'combo box "Vias"', "2"),
            ("click", 'button "Pedir certidão"'),
        ),
        again=(("click", 'link "Meus pedidos"'),),
    ),
)
