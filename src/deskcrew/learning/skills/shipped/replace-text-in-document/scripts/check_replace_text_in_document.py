import zipfile
from xml.etree import ElementTree


def check_replace_text_in_document(start, end, source, find, replacement, result):
    kind = source.lower().rpartition(".")[2]

    def texts(path):
        """The text of each paragraph, by the part that it is in."""
        if kind not in ("docx", "odt"):
            return {"": [_decoded(path.read_bytes())]}
        with zipfile.ZipFile(path) as opened:
            names = [
                n
                for n in opened.namelist()
                if n == "content.xml"
                or (n.startswith(("word/document", "word/header", "word/footer")) and n.endswith(".xml"))
            ]
            trees = {name: ElementTree.fromstring(opened.read(name)) for name in names}
        found = {}
        for name, tree in trees.items():
            blocks = [
                each for each in tree.iter() if each.tag.rpartition("}")[2] in ("p", "h") and "drawingml" not in each.tag
            ]
            mark = {"tab": "\t", "br": "\n"}
            found[name] = [
                "".join(
                    (each.text or "") if each.tag.endswith("}t") else mark.get(each.tag.rpartition("}")[2], "")
                    for each in block.iter()
                )
                if kind == "docx"
                else "".join(block.itertext())
                for block in blocks
            ]
        return found

    before, now = texts(start / source), texts(end / result)
    wanted = {name: [(replacement or "").join(text.split(find)) for text in some] for name, some in before.items()}
    assert wanted != before, f"there is no {find}"
    assert now == wanted, "a paragraph says something else"
    return True, f"{_counted(sum(text.count(find) for some in before.values() for text in some), 'place')} compared"
