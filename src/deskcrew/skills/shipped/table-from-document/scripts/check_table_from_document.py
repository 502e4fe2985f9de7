import html


def check_table_from_document(start, end, source, number, result):
    raw = raw_parts(start / source)["word/document.xml"]
    table = re.findall(r"<w:tbl>.*?</w:tbl>", raw, re.S)[(number or 1) - 1]
    rows = []
    for row in re.findall(r"<w:tr[ >].*?</w:tr>", table, re.S):
        cells = re.findall(r"<w:tc>.*?</w:tc>", row, re.S)
        texts = (
            html.unescape(re.sub(r"<[^>]+>", "", cell.replace("</w:p>", " ").replace("<w:br/>", " "))) for cell in cells
        )
        rows.append([" ".join(text.split()) for text in texts])
    _same_grid(_grid(end / result), [row for row in rows if any(row)])
    return True, f"{len(rows)} rows"
