import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("22-notes-to-minutes/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


POINTS = {"Water tank": ["The old tank leaks at the tap end", "A new one would cost about 400"], "Open day": ["Last year sixty people came", "Rain plan: the church hall"],
          "Plot 12": ["Nobody has dug there since autumn", "Three families are on the waiting list"], "Bonfires": ["The neighbours complained twice", "Agreed: only after six, never on Sundays"],
          "Seed order": ["Potatoes were too late last time"], "Shed key": ["Two keys are missing", "A number lock was suggested"]}
WHAT = ["get two quotes", "write to the council", "ring the waiting list", "put up a notice", "ask the church about the hall", "buy a lock"]
WHO = ["Priya", "Old Tom", "Marguerite", "Sunil", "Bea"]


def plan(seed):
    r = rng(seed)
    pts = r.sample(sorted(POINTS), 4)
    what = r.sample(WHAT, 5)
    who = [r.choice(WHO) for _ in what]
    when = [f"{r.randrange(2, 29)} {r.choice(['April', 'May'])}" for _ in what]
    acts = list(zip(who, what, when))
    where = sorted([0, r.randrange(4), r.randrange(4), 2, 3])
    return {"title": f"Allotment committee, {r.randrange(3, 28)} March 2024", "pts": pts, "acts": acts, "where": where}


def build(seed, d):
    p = plan(seed)
    out = [p["title"], ""]
    for i, t in enumerate(p["pts"]):
        out.append(f"{i + 1}. {t}")
        mine = [a for a, w in zip(p["acts"], p["where"]) if w == i]
        said = list(POINTS[t])
        out.append("  " + said[0])
        out += [f"  ACTION {a[0]}: {a[1]}, by {a[2]}" for a in mine]
        out += ["  " + s for s in said[1:]]
    put(d, "notes.txt", "\n".join(out) + "\n")
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
