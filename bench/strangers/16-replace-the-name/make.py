import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("16-replace-the-name/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    a, b = r.choice([("Hobsen", "Hobson"), ("Meyer", "Maier"), ("Steven", "Stephen"), ("Andersson", "Anderson")])
    t = f"""Dear Mr {a},

thank you for seeing me on Tuesday. As {a} & Sons have known the house
for forty years, I was glad of your advice, Mr {a}.

I have spoken to my sister ({a.upper()[0]}. is what she calls you!) and we would
like to go ahead with the roof. Could Mr {a}'s foreman ring me about the
scaffolding? My number is 0{r.randrange(1000, 9999)} {r.randrange(100000, 999999)}.

Kind regards, also to Mrs {a},
Edith Ballard

P.S. The invoice should go to {a}/Ballard, 3 Orchard Row.
"""
    return {"a": a, "b": b, "t": t}


def build(seed, d):
    p = plan(seed)
    put(d, "letter.txt", p["t"])
    put(d, "addresses.txt", f"{p['a']} & Sons, Mill Street 4\nBallard, 3 Orchard Row\n")
    return {"a": p["a"], "b": p["b"]}


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
