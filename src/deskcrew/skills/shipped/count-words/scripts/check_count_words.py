import html
import zipfile


def check_count_words(start, end, files, result):
    wanted = []
    for path in _meant(start, files):
        kind, place = path.lower().rpartition(".")[2], start / path
        if kind in ("docx", "odt"):
            raw = zipfile.ZipFile(place).read("word/document.xml" if kind == "docx" else "content.xml").decode()
            raw = re.sub(r">\s*\n\s*<", "><", raw)[raw.find("body") :] if kind == "odt" else raw
            text = html.unescape(
                re.sub(
                    r"<[^>]*>",
                    "",
                    re.sub(r"<(/w:p|w:tab/|w:br/|/text:p|/text:h|text:s/|text:tab/|text:line-break/)>", " ", raw),
                )
            )
            text = text[text.find(">") + 1 :] if kind == "odt" else text
        elif kind == "pdf":
            import pypdf

            text = " ".join(page.extract_text() for page in pypdf.PdfReader(place).pages)
        else:
            text = _decoded(place.read_bytes())
        words = re.findall(r"\S+", text)
        wanted.append([path, str(len(words)), str(len("".join(words)))])
    total = ["Total", *(str(sum(int(row[n]) for row in wanted)) for n in (1, 2))]
    _same_grid(_grid(end / result), [["file", "words", "characters"], *wanted, total])
    return True, f"{total[1]} words counted again"
