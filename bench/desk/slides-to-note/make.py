"""A presentation with titles and points below them. `make.py SEED DIR`"""

import json
import random
import sys
from pathlib import Path

from pptx import Presentation

FILES = ("kickoff.pptx", "quarterly.pptx", "pitch.pptx", "training-day.pptx")
NOTES = ("outline.txt", "titles.txt", "agenda.txt", "contents.txt")
TITLES = ("Where we stand", "Our customers", "Costs and savings", "What went wrong", "Plan until June", "New offices",
          "Staffing", "Risks", "Next steps", "Questions?")  # fmt: skip
POINTS = ("Two contracts were signed", "Travel is down by a third", "Hiring starts in May", "More in the appendix",
          "Numbers are provisional", "Lunch is at noon")  # fmt: skip


def facts(seed):
    chance = random.Random(f"slides-to-note {seed}")
    return {
        "file": chance.choice(FILES),
        "note": chance.choice(NOTES),
        "titles": chance.sample(TITLES, chance.randint(4, 6)),
    }


def main(seed, folder):
    made, chance = facts(seed), random.Random(seed)
    deck = Presentation()
    for title in made["titles"]:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(chance.sample(POINTS, 2))
    deck.save(Path(folder) / made["file"])
    print(json.dumps(made))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
