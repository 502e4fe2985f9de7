import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("23-hours-of-three-months/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


MON = ["jan", "feb", "mar"]


def plan(seed):
    r = rng(seed)
    people = sorted(r.sample(["Anke", "Bilal", "Chiara", "Derek", "Emre", "Freya", "Gil"], 5))
    miss = (r.choice(people), r.randrange(3))
    rows = {}
    for m in range(3):
        ent = []
        for who in people:
            if (who, m) == miss:
                continue
            for _ in range(r.randrange(3, 6)):
                ent.append((f"2024-{m + 1:02d}-{r.randrange(1, 29):02d}", who, r.choice(["Bridge", "School", "Depot"]), r.randrange(4, 36) / 4))
        ent.sort()
        rows[MON[m]] = ent
    sums = {w: [sum(e[3] for e in rows[m] if e[1] == w) for m in MON] for w in people}
    return {"people": people, "rows": rows, "sums": sums, "grand": sum(map(sum, sums.values()))}


def build(seed, d):
    p = plan(seed)
    for m, ent in p["rows"].items():
        s = ";" if m == "feb" else ","
        head = "Datum;Person;Projekt;Stunden" if m == "feb" else "date,person,project,hours"
        put(d, m + ".csv", head + "\n" + "".join(s.join([e[0], e[1], e[2], f"{e[3]:g}".replace(".", "," if m == "feb" else ".")]) + "\n" for e in ent))
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
