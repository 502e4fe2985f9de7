import html
import re


def replace_text_in_document(source: str, find: str, replacement: str, result: str) -> str:
    """Replace a text everywhere in a document.

    source: the document: docx, odt, md, txt or another text
    find: the text to replace, upper and lower case as written
    replacement: what stands there instead; nothing if left out
    result: the new document, of the same kind
    """
    kind, replacement = Path(source).suffix.lower(), replacement or ""
    if Path(result).suffix.lower() != kind:
        raise ValueError(f"{result} must end in {kind} like {source}")
    if kind == ".docx":
        import docx

        document = docx.Document(source)
        count = sum(_replaced(each, {find: replacement}) for each in _paragraphs(document))
    elif kind == ".odt":
        with zipfile.ZipFile(source) as opened:
            members = [(info, opened.read(info)) for info in opened.infolist()]
        old, new = (html.escape(each, quote=False) for each in (find, replacement))
        parts = {
            info.filename: re.split("(<[^>]+>)", data.decode()) for info, data in members if info.filename == "content.xml"
        }
        count = sum(part.count(old) for some in parts.values() for part in some[::2])
        made = {
            name: "".join(p.replace(old, new) if n % 2 == 0 else p for n, p in enumerate(some))
            for name, some in parts.items()
        }
    else:
        text = _text_of(source)
        count = text.count(find)
    if not count:
        raise ValueError(f"{find!r} does not occur in {source}")
    place = _free(result)
    if kind == ".docx":
        document.save(place)
    elif kind == ".odt":
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
            for info, data in members:
                archive.writestr(info, made.get(info.filename, data))
    else:
        place.write_text(text.replace(find, replacement), encoding="utf-8", newline="")
    return f"Replaced in {_counted(count, 'place')}"
