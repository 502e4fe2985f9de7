"""Songs for a playlist. `make.py SEED DIR`"""

import json
import random
import sys
import wave
from pathlib import Path

SONGS = ("brook", "candle", "harvest", "lantern", "meadow", "northwind", "orchard", "pebbles")


def write_songs(names, folder):
    """Silence, a second and more of each."""
    for seconds, name in enumerate(names, 1):
        with wave.open(str(Path(folder) / name), "wb") as song:
            song.setnchannels(1)
            song.setsampwidth(2)
            song.setframerate(8000)
            song.writeframes(bytes(16000 * seconds))


def facts(seed):
    chance = random.Random(f"audacious-playlist {seed}")
    names = [f"{name}.wav" for name in chance.sample(SONGS, 4)]
    first, second = chance.sample(names, 2)
    return {
        "songs": names,
        "first": first,
        "second": second,
        "list": f"{chance.choice(['evening', 'party', 'quiet', 'walk'])}.m3u",
    }


def main(seed, folder):
    made = facts(seed)
    write_songs(made["songs"], folder)
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
