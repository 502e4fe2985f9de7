import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("13-members-to-excel/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


HEAD = ["Member no", "Name", "Town", "Phone"]
NAMES = ["Åsa Lind", "Tom O'Dowd", "Pia Lang, MBE", "Rui Sá", "Ines Wolf", "Karl Ode", "Mary-Ann Poe", "Zoe Kral", "Ben Achebe", "Lea Novák", "Sam Hurst", "Dora Quinn"]


def plan(seed):
    r = rng(seed)
    ns = r.sample(NAMES, 9)
    if "Pia Lang, MBE" not in ns:
        ns[4] = "Pia Lang, MBE"
    return [[str(r.randrange(100, 999)), n, r.choice(["Hexham", "Alnwick", "Corbridge", "Morpeth"]), "0" + str(r.randrange(10 ** 9, 10 ** 10 - 1))] for n in ns]


def build(seed, d):
    import csv, io
    b = io.StringIO()
    csv.writer(b, lineterminator="\n").writerows([HEAD] + plan(seed))
    put(d, "members.csv", b.getvalue())
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
