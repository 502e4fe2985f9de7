"""A picture of a device's label. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

DEVICES = ("router", "printer", "projector", "monitor", "scanner")
MAKERS = ("Norvik", "Halden", "Tessera", "Lumeo")
LETTERS, DIGITS = "ACEFHKLMNPRTX", "234579"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans{}.ttf"


def facts(seed):
    chance = random.Random(f"label-in-image {seed}")
    device = DEVICES[int(seed) % len(DEVICES)]
    code = ["".join(chance.choices(kind, k=count)) for kind, count in ((LETTERS, 3), (DIGITS, 4), (LETTERS, 2))]
    return {"device": device, "file": f"{chance.choice(('label', 'IMG', 'photo'))}-{device}.png",
            "maker": chance.choice(MAKERS), "model": f"{chance.choice(LETTERS)}{chance.randint(22, 99)}",
            "part": "".join(chance.choices(DIGITS, k=7)), "serial": "-".join(code)}  # fmt: skip


def main(seed, folder):
    made = facts(seed)
    picture = Image.new("RGB", (900, 560), "#b9bec4")
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle((60, 60, 840, 500), radius=18, fill="white", outline="#333333", width=4)
    bold, plain = (ImageFont.truetype(FONT.format(style), size) for style, size in (("-Bold", 44), ("", 34)))
    draw.text((100, 95), f"{made['maker']} {made['device']}", font=bold, fill="black")
    lines = (f"Model: {made['model']}", f"Part No: {made['part']}", f"Serial No: {made['serial']}", "100-240 V, 50/60 Hz")
    for row, line in enumerate(lines):
        draw.text((100, 190 + 70 * row), line, font=plain, fill="#111111")
    picture.save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
