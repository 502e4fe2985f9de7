import html
import re


def check_document_to_text(start, end, source, result):
    parts = raw_parts(start / source)
    if source.lower().endswith(".pdf"):
        import pypdf

        text = " ".join(page.extract_text() for page in pypdf.PdfReader(start / source).pages)
    else:
        raw = parts.get("word/document.xml") or parts["content.xml"]
        raw = raw[raw.find("body>") + 5 :] if "body>" in raw else raw
        raw = re.sub(r">\s*\n\s*<", "><", raw)
        text = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(?:w:p|text:p|text:h)>|<w:tab/>|<w:br/>", " ", raw)))
    now = (end / result).read_text(encoding="utf-8")
    assert now.split() == text.split(), "a word is another one, or in another place"
    return True, f"{len(now.split())} words in the same order"
