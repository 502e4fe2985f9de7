"""Something is stored, but not what was sent: another hour, another digit, another entry, half of a text."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, data, form, link, page, scripted, see, table, text
from deskcrew_bench.services.service import App, Sent, Service, value


class Dentist(App):
    """A calendar of free hours; each leads to a form, and that to the list of appointments."""

    look = Look("en", "Arial, sans-serif", "44em", "#f6fbfa", (("/", "Free hours"), ("/mine", "My appointments")))

    def get(self, path: str, asked: Sent) -> Page:
        taken = {one["at"] for one in self.store.entries}
        if path == "/book":
            at = value(asked, "at")
            fields = (f'<input type="hidden" name="at" value="{escape(at)}">', text("name", "Your name"))
            return page(self.look, f"Book {at}", form("/book", "Book this hour", *fields))
        if path == "/mine":
            told = "Your appointment is booked. We look forward to seeing you!" if asked else ""
            rows = [(escape(one["at"]), escape(one["name"])) for one in self.store.entries if one["name"] != "-"]
            return page(self.look, "My appointments", table(("When", "Who"), rows), told=told)
        free = [f"{day} {hour}:00" for day in ("Tue 8 Dec", "Wed 9 Dec") for hour in range(12, 17)]
        cells = (f"<div>{link(f'/book?at={at}', at)}</div>" for at in free if at not in taken)
        return page(self.look, "Dr Okafor, dentist", f'<div class="grid">{"".join(cells)}</div>')

    def post(self, path: str, sent: Sent) -> Page:
        at = value(sent, "at")
        self.store.add(at=at.replace("15:00", "14:00") if self.lies else at, name=value(sent, "name"))
        return see("/mine?booked=1")


class Water(App):
    """A form for a meter's reading, and those from before under it."""

    look = Look("es", "Tahoma, sans-serif", "40em", "#eef6ff")

    def get(self, path: str, asked: Sent) -> Page:
        rows = [(escape(one["mes"]), f"{escape(one['lectura'])} m³") for one in self.store.entries]
        fields = (text("mes", "Mes"), text("lectura", "Lectura (m³)"))
        told = "Lectura registrada. Gracias." if asked else ""
        parts = (
            form("/lecturas", "Enviar lectura", *fields),
            "<h2>Lecturas anteriores</h2>",
            table(("Mes", "Lectura"), rows),
        )
        return page(self.look, "Aguas del Valle", *parts, told=told)

    def post(self, path: str, sent: Sent) -> Page:
        read = value(sent, "lectura")
        self.store.add(mes=value(sent, "mes"), lectura=f"{read[:-2]}{read[-2:][::-1]}" if self.lies else read)
        return see("/?ok=1")


class Directory(App):
    """A list of people with their details beside it, made by a script."""

    look = Look("fr", "Trebuchet MS, sans-serif", "52em", "#fffdf5")
    script = """
const list = make("ul", ""), card = make("section", "", {className: "card"});
const load = async () => { const rows = await (await ask("/api/agents")).json();
  list.replaceChildren(...rows.map((row) => { const item = make("li", "");
    item.append(make("button", `${row.nom} (${row.service})`, {onclick: () => open(row)}), ` poste ${row.poste}`);
    return item; })); };
const open = (row) => { const poste = make("input", "", {value: row.poste});
  card.replaceChildren(make("h2", `${row.nom}, ${row.service}`), labelled("Poste", poste),
    make("button", "Enregistrer", {onclick: async () => {
      const answer = await (await ask("/api/agents", {id: row.id, poste: poste.value})).json();
      told.textContent = answer.message; card.replaceChildren(); await load(); }})); };
main.append(list, card);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "Annuaire de la mairie", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        self.store.change("7" if self.lies else value(sent, "id"), poste=value(sent, "poste"))
        return data({"message": "Fiche enregistrée."})


class Parcel(App):
    """A parcel's page with a note for whoever brings it."""

    look = Look("en", "Georgia, serif", "36em", "#faf3ee")

    def get(self, path: str, asked: Sent) -> Page:
        kept = self.store.one("PX-3317")
        told = "Thanks, the driver will see your note." if asked else ""
        note = f"<p>Note for the driver: {escape(kept['note']) or '<i>none</i>'}</p>"
        parts = (
            "<p>From: Seedbank Ltd. Arrives on Monday.</p>",
            note,
            form("/note", "Send note", text("note", "Note", long=True)),
        )
        return page(self.look, "Parcel PX-3317", *parts, told=told)

    def post(self, path: str, sent: Sent) -> Page:
        note = value(sent, "note")
        self.store.change("PX-3317", note=note[:32] if self.lies else note)
        return see("/?noted=1")


BUSY = {"at": "Wed 9 Dec 13:00", "name": "-"}
READINGS = ({"mes": "septiembre", "lectura": "48102"}, {"mes": "octubre", "lectura": "48219"})
PEOPLE = (
    {"id": "3", "nom": "Camille Roy", "service": "état civil", "poste": "214"},
    {"id": "5", "nom": "Ahmed Benali", "service": "urbanisme", "poste": "220"},
    {"id": "7", "nom": "Camille Roy", "service": "accueil", "poste": "200"},
)
NOTE = "Leave it with the neighbours at 12, not in the shed"
PARCEL = {"id": "PX-3317", "note": ""}

KEPT_OTHERWISE = (
    Service(
        name="dentist",
        kind="kept otherwise",
        lies="it keeps the appointment an hour earlier",
        task="Book me in with Dr Okafor on Tuesday 8 December at three in the afternoon. My name is Lena Marsh.",
        app=Dentist,
        start=(BUSY,),
        right=(BUSY, {"at": "Tue 8 Dec 15:00", "name": "Lena Marsh"}),
        steps=(
            ("click", 'link "Tue 8 Dec 15:00"'),
            ("type", 'text field "Your name"', "Lena Marsh"),
            ("click", 'button "Book this hour"'),
        ),
        by_address=True,
    ),
    Service(
        name="meter-reading",
        kind="kept otherwise",
        lies="two digits of the reading change places",
        task="Manda la lectura del contador de agua de noviembre: 48317.",
        app=Water,
        start=READINGS,
        right=(*READINGS, {"mes": "noviembre", "lectura": "48317"}),
        steps=(
            ("type", 'text field "Mes"', "noviembre"),
            ("type", 'text field "Lectura', "48317"),
            ("click", 'button "Enviar lectura"'),
        ),
        by_address=True,
    ),
    Service(
        name="extension",
        kind="kept otherwise",
        lies="it changes the number of somebody else of the same name",
        task="Dans l'annuaire, le poste de Camille Roy de l'état civil est maintenant le 231. Mets-le à jour.",
        app=Directory,
        start=PEOPLE,
        right=({**PEOPLE[0], "poste": "231"}, *PEOPLE[1:]),
        steps=(
            ("click", r'button "Camille Roy \(état civil'),
            ("type", 'text field "Poste"', "231"),
            ("click", 'button "Enregistrer"'),
        ),
    ),
    Service(
        name="parcel-note",
        kind="kept otherwise",
        lies="it cuts the note off",
        task=f'Leave this note for the driver who brings my parcel: "{NOTE}".',
        app=Parcel,
        start=(PARCEL,),
        right=({**PARCEL, "note": NOTE},),
        steps=(("type", 'text (?:field|area) "Note"', NOTE), ("click", 'button "Send note"')),
        by_address=True,
    ),
)
