"""Orders as XML, with states and totals. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path
from xml.etree import ElementTree

FILES = ("orders.xml", "shop-export.xml", "orders-march.xml", "webshop.xml")
STATES = ("shipped", "open", "cancelled", "returned")
CUSTOMERS = ("Almeida", "Becker", "Cho", "Dumont", "Eriksen", "Fischer")
WARES = ("lamp", "desk", "chair", "shelf", "rug")


def facts(seed):
    chance = random.Random(f"xml-count {seed}")
    status, limit = chance.choice(STATES), chance.choice((75, 100, 150, 200))
    orders = [(chance.choice(STATES), chance.randint(limit - 70, limit + 90)) for _ in range(chance.randint(60, 90))]
    orders += [(status, limit), (status, limit + 1)]
    chance.shuffle(orders)
    count = sum(state == status and total > limit for state, total in orders)
    return {"file": chance.choice(FILES), "status": status, "limit": limit, "orders": orders, "count": count}


def main(seed, folder):
    made, chance = facts(seed), random.Random(seed)
    root = ElementTree.Element("shop", name="Hartmann & Daughters")
    for number, (state, total) in enumerate(made.pop("orders"), start=5001):
        order = ElementTree.SubElement(root, "order", id=str(number))
        ElementTree.SubElement(order, "customer").text = chance.choice(CUSTOMERS)
        ElementTree.SubElement(order, "item", price=str(chance.randint(5, 400))).text = chance.choice(WARES)
        ElementTree.SubElement(order, "state").text = state
        ElementTree.SubElement(order, "total", currency="EUR").text = f"{total}.00"
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(Path(folder) / made["file"], encoding="utf-8", xml_declaration=True)
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
