"""Settings of a game, and the name of one to start. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from shared import GAME


def facts(seed):
    chance = random.Random(f"ttd-climate {seed}")
    climates = [("the sub-arctic landscape", 1, 459), ("the sub-tropical landscape", 2, 565), ("toyland", 3, 671)]
    words, climate, left = chance.choice(climates)
    name = f"{chance.choice(['spring', 'harbour', 'valley', 'junction', 'ridge'])}-{chance.randint(12, 98)}"
    return {"words": words, "climate": climate, "left": left, "name": name}


def main(seed, folder):
    made = facts(seed)
    (Path(folder) / "openttd.cfg").write_text(GAME, encoding="utf-8")
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
