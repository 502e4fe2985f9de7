"""Numbers for the calculator, and no files. `make.py SEED DIR`"""

import json
import random
import sys


def facts(seed):
    chance = random.Random(f"calculator {seed}")
    first, second, third = chance.randint(123, 987), chance.randint(13, 97), chance.randint(101, 999)
    sign = chance.choice(("plus", "minus"))
    result = first * second + (third if sign == "plus" else -third)
    return {"first": first, "second": second, "third": third, "sign": sign, "result": result}


if __name__ == "__main__":
    made = facts(sys.argv[1])
    digits = f"{made['first']}{made['second']}{made['third']}"
    print(json.dumps(made | {"keys": digits, "key": "+" if made["sign"] == "plus" else "-"}))
