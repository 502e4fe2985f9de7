import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("06-clear-downloads/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    a = r.sample(["ubuntu-24.04.iso", "holiday film.mkv", "setup_3.1.exe", "songs.zip", "Unconfirmed 88121", "map tiles"], 4)
    junk = [f"{a[0]}.part", f"{a[1]}.part", f"{a[2]}.tmp", f"{a[3]}.tmp"]
    keep = ["spare.parts.txt", "template.tmpl", "part 2 of the manual.txt", f"ticket-{r.randrange(1000, 9999)}.txt", "tmp.csv", "letter.part.txt"]
    return {"junk": junk, "keep": keep}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "b")
    for n in p["junk"]:
        put(d, "Downloads/" + n, r.randbytes(300))
    for n in p["keep"]:
        put(d, "Downloads/" + n, f"{n}\n{r.randrange(10 ** 6)}\n")
    put(d, "Work/draft.tmp", "not in Downloads: my own draft\n")
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
