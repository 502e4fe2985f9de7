"""A picture of two frames. `make.py SEED DIR`"""

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
        draw.rectangle(box, outline=list(COLOURS).index(colour))
    return image


def facts(seed):
    chance = random.Random(f"grafx2-fill {seed}")
    top, height = chance.randint(20, 60), chance.randint(50, 90)
    boxes = {"left": [chance.randint(20, 50), top, chance.randint(100, 130), top + height],
             "right": [chance.randint(180, 200), top, chance.randint(250, 290), top + height]}  # fmt: skip
    which, colour = chance.choice(["left", "right"]), chance.choice(["red", "green", "blue"])
    left, top, right, bottom = boxes[which]
    return {"file": chance.choice(["card.png", "sign.png", "badge.png"]), "which": which,
            "shapes": [[box, "white"] for box in boxes.values()], "box": boxes[which], "colour": colour,
            "swatch": 707 + 8 * list(COLOURS).index(colour),
            "at": [193 + (left + right) // 2, 166 + (top + bottom) // 2]}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    picture(made).save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
