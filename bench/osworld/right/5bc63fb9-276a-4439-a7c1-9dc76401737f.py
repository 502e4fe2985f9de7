import json
import re

import docx
from docx.enum.text import WD_COLOR_INDEX

document = docx.Document()
with open("Desktop/llm_answers.json") as file:
    answers = json.load(file)["Gemini"]
for answer in answers:
    paragraph = document.add_paragraph()
    for part in filter(None, re.split("(Iliad)", answer)):
        run = paragraph.add_run(part)
        run.font.highlight_color = WD_COLOR_INDEX.YELLOW if part == "Iliad" else None
document.save("Desktop/gemini_results.docx")
