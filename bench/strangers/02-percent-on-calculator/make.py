import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("02-percent-on-calculator/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


from decimal import Decimal, ROUND_HALF_UP


def plan(seed):
    r = rng(seed)
    while True:
        pc = Decimal(r.choice(["17.5", "12.5", "19", "7.25", "22.5", "8.75"]))
        am = Decimal(r.randrange(20000, 390000)) / 100
        exact = pc * am / 100
        q = exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
        if exact != q and abs(abs(exact - q) - Decimal("0.005")) > Decimal("0.0004") and 20 < q < 999 and am % 1 and q % Decimal("0.1"):
            return {"percent": str(pc), "amount": f"{am:.2f}", "result": str(q)}


def build(seed, d):
    put(d, "readme.txt", "Nothing to see here, just my scratch folder.\n")
    return plan(seed)


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
