"""Rooms, their devices, and the settings of each. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

FILES = ("devices.json", "inventory.json", "office-network.json", "equipment.json")
ROOMS = ("Atrium", "Basel", "Cedar", "Dublin", "Elbe", "Foyer")
KINDS = ("printer", "projector", "phone", "scanner", "camera", "display")
LABELS = {"gateway": "gateway", "address": "IP address", "hostname": "host name"}
ORDINALS = ("first", "second", "third", "fourth")


def facts(seed):
    chance = random.Random(f"nested-json {seed}")
    numbers = chance.sample(range(2, 250), 80)
    rooms = []
    for room in chance.sample(ROOMS, 4):
        devices = []
        for kind in chance.choices(KINDS, k=4):
            net = {"hostname": f"{kind}-{numbers.pop()}", "address": f"10.20.{numbers.pop()}.{numbers.pop()}",
                   "gateway": f"10.30.{numbers.pop()}.1"}  # fmt: skip
            devices.append({"type": kind, "settings": {"volume": chance.randint(0, 9), "network": net}})
        rooms.append({"name": room, "floor": chance.randint(0, 4), "devices": devices})
    room, place, key = chance.choice(rooms), chance.choice((1, 2, 3)), chance.choice(list(LABELS))
    return {"file": chance.choice(FILES), "rooms": rooms, "room": room["name"], "ordinal": ORDINALS[place],
            "place": place, "key": key, "label": LABELS[key],
            "value": room["devices"][place]["settings"]["network"][key]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    document = {"building": "North", "rooms": made.pop("rooms")}
    (Path(folder) / made["file"]).write_text(json.dumps(document, indent=2), encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
