import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("04-cabin-wifi/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def pw(r):
    return f"{r.choice(['pine', 'otter', 'brook', 'heron', 'moss'])}-{r.randrange(1000, 9999)}-{r.choice('KXQRW')}{r.choice('abdfhk')}"


def plan(seed):
    r = rng(seed)
    out = []
    while len(out) < 4:
        x = pw(r)
        if x not in out:
            out.append(x)
    return dict(zip(("password", "old", "home", "office"), out))


def build(seed, d):
    p = plan(seed)
    put(d, "notes/home.txt", f"HOME\nboiler service: every October\nwifi: Nettle2G / {p['home']}\nbins: Tuesday\n")
    put(d, "notes/office stuff.txt", f"door code is on the card\nguest wifi password {p['office']} (changes in January)\nprinter is on floor 2\n")
    put(d, "notes/lake trip checklist.txt",
        "for the cabin\n* sleeping bags\n* matches\n* key is with Mrs Dunne at no. 4\n"
        f"* the internet there: network LAKE_HUT, password used to be {p['old']}\n"
        f"  -> new router since May: network LAKE_HUT, password {p['password']}\n* turn the water off when leaving\n")
    put(d, "notes/books.txt", "To read\nThe Cabin at the End of the World\nThe Salt Path\n")
    return {"password": p["password"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
