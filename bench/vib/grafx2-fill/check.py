"""The picture is the one that was there, with the inside of that frame filled."""

import os
import sys

from make import COLOURS, facts, picture
from PIL import Image, ImageChops, ImageDraw

made = facts(os.environ["DESKCREW_SEED"])
wanted = picture(made).convert("RGB")
left, top, right, bottom = made["box"]
ImageDraw.Draw(wanted).rectangle((left + 1, top + 1, right - 1, bottom - 1), fill=COLOURS[made["colour"]])
found = Image.open(made["file"]).convert("RGB")
if found.size != wanted.size or (differs := ImageChops.difference(found, wanted).getbbox()):
    sys.exit(f"the picture has {found.size} pixels, and is another one in {differs if found.size == wanted.size else 'all'}")
