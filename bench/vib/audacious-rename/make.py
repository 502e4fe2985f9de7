"""Songs for a playlist. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from shared import SONGS, write_songs


def facts(seed):
    chance = random.Random(f"audacious-rename {seed}")
    names = [f"{name}.wav" for name in chance.sample(SONGS, 3)]
    title = f"{chance.choice(['Garden', 'Train', 'Kitchen', 'Winter'])} {chance.randint(3, 30)}"
    return {"songs": names, "song": chance.choice(names), "title": title}


def main(seed, folder):
    made = facts(seed)
    write_songs(made["songs"], folder)
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
