"""A picture of two squares, and one of another colour. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from PIL import Image, ImageDraw

COLOURS = {"black": (0, 0, 0), "white": (255, 255, 255), "red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
SIZE = (320, 200)


def picture(made):
    """The picture as it is before anything is drawn."""
    image = Image.new("P", SIZE, 0)
    image.putpalette([part for colour in COLOURS.values() for part in colour])
    draw = ImageDraw.Draw(image)
    for box, colour in made["shapes"]:
        draw.rectangle(box, fill=list(COLOURS).index(colour))
    return image


def facts(seed):
    chance = random.Random(f"grafx2-line {seed}")
    colour, other = chance.sample(["red", "green", "blue"], 2)
    ends = [(chance.randint(20, 60), chance.randint(20, 160)), (chance.randint(250, 290), chance.randint(20, 160))]
    spots = [*((end, colour) for end in ends), ((160, 185), other)]
    shapes = [[[x - 4, y - 4, x + 4, y + 4], name] for (x, y), name in spots]
    return {"file": chance.choice(["route.png", "plan.png", "wire.png"]), "shapes": shapes, "colour": colour, "ends": ends,
            "screen": [[193 + x, 166 + y] for x, y in ends]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    picture(made).save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
