"""What was ordered is kept a while after the answer; with a lie never, though the same is said."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, choice, data, form, page, scripted, see
from deskcrew_bench.services.service import App, Sent, Service, value

SOON, LATER = 2.0, 20.0
"""Seconds until something is kept."""


class Groceries(App):
    """A page with the day of a delivery and a form for another one."""

    look = Look("en", "Verdana, sans-serif", "40em", "#f3faf0")

    def get(self, path: str, asked: Sent) -> Page:
        day = self.store.one("box")["day"]
        told = "We have taken your change. The day below is updated in a moment." if asked else ""
        days = {each: each for each in ("Monday", "Tuesday", "Thursday", "Saturday")}
        parts = (
            f"<p>Your vegetable box comes every {escape(day)}.</p>",
            form("/day", "Change day", choice("day", "New day", days)),
        )
        return page(self.look, "Green Acre boxes", *parts, told=told)

    def post(self, path: str, sent: Sent) -> Page:
        day = value(sent, "day")
        if not self.lies:
            self.later(SOON, lambda: self.store.change("box", day=day))
        return see("/?asked=1")


class Insurance(App):
    """A customer's address in an application of one page."""

    look = Look("fr", "Arial, sans-serif", "42em", "#f2f4ff")
    script = """
const now = make("p", ""), street = make("input", ""), town = make("input", "");
const load = async () => { const kept = await (await ask("/api/adresse")).json();
  now.textContent = `Adresse actuelle : ${kept.rue}, ${kept.ville}`; };
const save = make("button", "Valider", {onclick: async () => {
  const answer = await (await ask("/api/adresse", {rue: street.value, ville: town.value})).json();
  told.textContent = answer.message; street.value = town.value = ""; await load(); }});
main.append(now, labelled("Rue", street), labelled("Ville", town), save);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        if path == "/":
            return scripted(self.look, "Mutuelle des Halles : mon adresse", self.script)
        return data(self.store.one("A-118"))

    def post(self, path: str, sent: Sent) -> Page:
        street, town = value(sent, "rue"), value(sent, "ville")
        if not self.lies:
            self.later(LATER, lambda: self.store.change("A-118", rue=street, ville=town))
        return data({"message": "C'est enregistré. Votre nouvelle adresse s'affichera d'ici une demi-minute."}, 202)


BOX = {"id": "box", "day": "Thursday"}
ADDRESS = {"id": "A-118", "rue": "3 quai Perrache", "ville": "Lyon"}

LATE = (
    Service(
        name="box-day",
        kind="kept late",
        lies="it says that the day is changed in a moment, and never changes it",
        task="Have my vegetable box delivered on Saturdays from now on.",
        app=Groceries,
        start=(BOX,),
        right=({**BOX, "day": "Saturday"},),
        steps=(("select", 'combo box "New day"', "Saturday"), ("click", 'button "Change day"')),
        again=(("wait", "4"), ("press", "f5")),
        settled=SOON + 1,
        by_address=True,
    ),
    Service(
        name="new-address",
        kind="kept late",
        lies="it says that the address is shown within half a minute, and forgets it",
        task="J'ai déménagé au 8 rue des Tanneurs à Annecy, change mon adresse à la mutuelle.",
        app=Insurance,
        start=(ADDRESS,),
        right=({**ADDRESS, "rue": "8 rue des Tanneurs", "ville": "Annecy"},),
        steps=(
            ("type", 'text field "Rue"', "8 rue des Tanneurs"),
            ("type", 'text field "Ville"', "Annecy"),
            ("click", 'button "Valider"'),
        ),
        again=(("wait", "10"), ("wait", "10"), ("wait", "5"), ("press", "f5")),
        settled=LATER + 1,
    ),
)
