"""What programs of several chores use: the files of LibreOffice Draw, xfig, OpenTTD and Audacious."""

import itertools
import wave
from pathlib import Path
from xml.etree import ElementTree

# -- LibreOffice Draw

ROOMS = ("Foyer", "Archive", "Kitchen", "Workshop", "Studio", "Library", "Laundry", "Pantry")
SPACES = {"office": "office", "draw": "drawing", "text": "text", "svg": "svg-compatible"}
NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
DRAWING = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<office:document {} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.graphics">'
)
RECT = '<draw:rect svg:x="{}cm" svg:y="{}cm" svg:width="6cm" svg:height="3cm"><text:p>{}</text:p></draw:rect>'
PLACES = ((2, 3), (10, 3), (2, 9), (10, 9))


def drawing(rooms):
    """A drawing of a rectangle for each room, in one file of XML."""
    spaces = " ".join(f'xmlns:{short}="{NAMESPACE.format(name)}"' for short, name in SPACES.items())
    shapes = "".join(RECT.format(x, y, room) for (x, y), room in zip(PLACES, rooms, strict=True))
    page = f'<draw:page draw:name="Floor">{shapes}</draw:page>'
    return f"{DRAWING.format(spaces)}<office:body><office:drawing>{page}</office:drawing></office:body></office:document>"


def shapes(text):
    """What stands in each shape of a drawing, and where its upper left corner is, in millimetres."""
    office, draw, words, svg = (f"{{{NAMESPACE.format(name)}}}" for name in SPACES.values())
    found = []
    for page in ElementTree.fromstring(text).findall(f"{office}body/{office}drawing/{draw}page"):
        for shape in page:
            if shape.tag.startswith(draw) and (place := [shape.get(f"{svg}{axis}", "") for axis in "xy"]) != ["", ""]:
                said = "\n".join("".join(line.itertext()) for line in shape.iter(f"{words}p"))
                found.append((said, *(round(10 * float(each.removesuffix("cm"))) for each in place)))
    return sorted(found)


# -- xfig

FIGURE = """#FIG 3.2  Produced by xfig version 3.2.8b
Landscape
Center
Metric
A4
100.00
Single
-2
1200 2
"""
PIXEL = 15
"""Units of the drawing, as the program shows it at first; its canvas begins at 113, 96 of the screen."""


def text(words, left, top):
    """A text, from where its first letter stands."""
    return f"4 0 0 50 -1 0 18 0.0000 4 195 {150 * len(words)} {PIXEL * left} {PIXEL * top} {words}\\001\n"


def boxes(drawing):
    """The corners of each rectangle: left, top, right, bottom."""
    lines = drawing.splitlines()
    found = []
    for line, points in itertools.pairwise(lines):
        if line.startswith("2 2 "):
            numbers = [int(each) for each in points.split()]
            found.append((min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])))
    return found


def texts(drawing):
    """Each text, with where it begins: left, bottom."""
    found = []
    for line in drawing.splitlines():
        if line.startswith("4 "):
            fields = line.split(maxsplit=13)
            found.append((fields[13].removesuffix("\\001").strip(), int(fields[11]), int(fields[12])))
    return found


# -- OpenTTD

GAME = """[misc]
fullscreen = false
resolution = 640,480
language = english.lng
video_hw_accel = false
[gui]
autosave = monthly
[locale]
currency = GBP
[network]
participate_survey = no
[game_creation]
landscape = temperate
map_x = 6
map_y = 6
"""


# -- Audacious

SONGS = ("brook", "candle", "harvest", "lantern", "meadow", "northwind", "orchard", "pebbles")


def write_songs(names, folder):
    """Silence, a second and more of each."""
    for seconds, name in enumerate(names, 1):
        with wave.open(str(Path(folder) / name), "wb") as song:
            song.setnchannels(1)
            song.setsampwidth(2)
            song.setframerate(8000)
            song.writeframes(bytes(16000 * seconds))
