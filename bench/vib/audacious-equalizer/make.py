"""A band of an equalizer, and no files. `make.py SEED DIR`"""

import json
import random
import sys


def facts(seed):
    chance = random.Random(f"audacious-equalizer {seed}")
    at, value = chance.randrange(10), chance.choice([3, 4, 5, 6, 7, 8])
    band = ("31 Hz", "63 Hz", "125 Hz", "250 Hz", "500 Hz", "1 kHz", "2 kHz", "4 kHz", "8 kHz", "16 kHz")[at]
    return {"band": band, "at": at, "value": value, "slider": at + 2}


if __name__ == "__main__":
    print(json.dumps(facts(sys.argv[1])))
