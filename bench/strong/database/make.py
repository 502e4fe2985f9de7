"""A database of orders in which leaving out any one condition gives another answer. `make.py SEED DIR`"""

import datetime
import json
import random
import sqlite3
import sys
from pathlib import Path

TOWNS = ("Bath", "Derby", "Exeter", "Leeds", "York")
CLIENTS = ("Alder & Sons", "Blue Door Cafe", "Corner Bakery", "Dover Stores", "Elm Tree Inn", "Fisher Foods", "Green Basket",
           "Hill Top Hotel", "Ivy Kitchen", "Jolly Baker", "Kingsway Deli", "Lantern Bistro")  # fmt: skip
ARTICLES = ("Flour 25 kg", "Sugar 10 kg", "Olive oil 5 l", "Rice 20 kg", "Coffee 3 kg", "Tea 1 kg", "Honey 6 kg", "Salt 12 kg")
REPS = ("Ida Lund", "Marc Petit", "Ravi Nair", "Sara Conti")
SCHEMA = """
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, town INTEGER REFERENCES town(id), since TEXT);
CREATE TABLE rep (id INTEGER PRIMARY KEY, name TEXT, town INTEGER REFERENCES town(id));
CREATE TABLE article (id INTEGER PRIMARY KEY, title TEXT, list_price REAL);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, client INTEGER REFERENCES client(id), rep INTEGER REFERENCES rep(id),
  placed TEXT, shipped TEXT, state TEXT);
CREATE TABLE item (purchase INTEGER REFERENCES purchase(id), article INTEGER REFERENCES article(id), quantity INTEGER, charged REAL);
"""


def draw(chance, year):
    towns = [(place + 1, town) for place, town in enumerate(TOWNS)]
    clients, seen = [], set()
    while len(clients) < 24:
        name, town = chance.choice(CLIENTS), chance.randint(1, 5)
        if (name, town) not in seen:
            seen.add((name, town))
            clients.append((len(clients) + 1, name, town, f"{chance.randint(2009, 2022)}-0{chance.randint(1, 9)}-11"))
    reps = [(place + 1, rep, chance.randint(1, 5)) for place, rep in enumerate(REPS)]
    articles = [(place + 1, title, chance.randint(24, 180) / 2) for place, title in enumerate(ARTICLES)]
    orders, items = [], []
    for number in range(1, 181):
        placed = datetime.date(year - 1, 7, 1) + datetime.timedelta(days=chance.randint(0, 729))
        shipped = placed + datetime.timedelta(days=chance.randint(2, 25))
        state = chance.choice(("delivered", "delivered", "paid", "paid", "cancelled"))
        orders.append((number, chance.randint(1, 24), chance.randint(1, 4), placed.isoformat(), shipped.isoformat(), state))
        for article in chance.sample(articles, chance.randint(1, 4)):
            charged = round(article[2] * chance.choice((0.6, 0.8, 0.9, 1, 1)) * 2) / 2
            items.append((number, article[0], chance.randint(1, 12), charged))
    return {"town": towns, "client": clients, "rep": reps, "article": articles, "purchase": orders, "item": items}


def best(tables, town, year, towns="client", states=True, day=3, price="charged", counted=True, key="id"):
    """The name and amount of the first, with what a wrong question would ask instead."""
    clients, orders = {row[0]: row for row in tables["client"]}, {row[0]: row for row in tables["purchase"]}
    reps, list_price = {row[0]: row[2] for row in tables["rep"]}, {row[0]: row[2] for row in tables["article"]}
    place, sums = next(row[0] for row in tables["town"] if row[1] == town), {}
    for number, article, quantity, charged in tables["item"]:
        order = orders[number]
        client = clients[order[1]]
        at = {"client": client[2], "rep": reps[order[2]], None: place}[towns]
        if at != place or (states and order[5] == "cancelled") or (year and not order[day].startswith(str(year))):
            continue
        name = client if key == "id" else (0, client[1])
        value = (charged if price == "charged" else list_price[article]) * (quantity if counted else 1)
        sums[name] = sums.get(name, 0) + value
    if not sums:
        return None, 0
    first = max(sums, key=sums.get)
    return first[1], round(sums[first], 2)


def wrongs(tables, town, year):
    return {"any town": best(tables, town, year, towns=None), "town of the rep": best(tables, town, year, towns="rep"),
            "cancelled too": best(tables, town, year, states=False), "any year": best(tables, town, None),
            "year shipped": best(tables, town, year, day=4), "list price": best(tables, town, year, price="list"),
            "without quantity": best(tables, town, year, counted=False),
            "by name": best(tables, town, year, towns=None, key="name")}  # fmt: skip


def facts(seed):
    chance = random.Random(f"database {seed}")
    year, town = 2025, chance.choice(TOWNS)
    while True:
        tables = draw(chance, year)
        right, others = best(tables, town, year), wrongs(tables, town, year)
        names = {others[key][0] for key in ("cancelled too", "any year", "without quantity", "town of the rep")}
        local = {row[1] for row in tables["client"] if TOWNS[row[2] - 1] == town}
        if right[0] and len(local) >= 4 and right[0] not in names and all(right[1] != other[1] for other in others.values()):
            break
    return {"base": chance.choice(("trade.db", "wholesale.db", "business.sqlite")), "town": town, "year": year, "customer": right[0],
            "amount": right[1], "wrongs": others, "tables": tables}  # fmt: skip


def build(seed, folder):
    made = facts(seed)
    base = sqlite3.connect(Path(folder) / made["base"])
    base.executescript(SCHEMA)
    for name, rows in made["tables"].items():
        base.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    base.commit()
    base.close()
    return made


def main(seed, folder):
    made = build(seed, folder)
    del made["tables"]
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
