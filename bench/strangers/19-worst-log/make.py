import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("19-worst-log/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    names = [f"{n}{i}.log" for n in ("web", "db", "mail") for i in (1, 2)]
    counts = r.sample(range(4, 19), 6)
    return {"count": dict(zip(names, counts)), "best": names[counts.index(max(counts))]}


def build(seed, d):
    p, r = plan(seed), rng(str(seed) + "log")
    most = max(p["count"].values())
    for n, c in p["count"].items():
        body = [f"ERROR {r.choice(['timeout', 'disk', 'auth', 'refused'])} id={r.randrange(999)}" for _ in range(c)]
        if n != p["best"]:          # fewer lines, though more words
            for i in range(0, c, 2):
                body[i] += " (after ERROR, ERROR)"
            body += [f"INFO no error found, run {r.randrange(99)}" for _ in range(most)]
        body += [f"INFO ok {r.randrange(999)}" for _ in range(r.randrange(30, 60))] + [f"WARN slow {r.randrange(999)}" for _ in range(9)]
        r.shuffle(body)
        put(d, "logs/" + n, "".join(f"2024-05-{1 + i // 20:02d} 0{i % 10}:{i % 60:02d} {b}\n" for i, b in enumerate(body)))
    return {}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
