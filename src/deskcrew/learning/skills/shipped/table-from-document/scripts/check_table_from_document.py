def check_table_from_document(start, end, source, number, result):
    tree = ElementTree.fromstring(raw_parts(start / source)["word/document.xml"])
    within = lambda element, tag: [each for each in element.iter() if each.tag.endswith(f"main}}{tag}")]
    rows = []
    for row in within(within(tree, "tbl")[(number or 1) - 1], "tr"):
        cells = [
            [each.text or " " for each in cell.iter() if each.tag.endswith(("main}t", "main}p", "main}br"))]
            for cell in within(row, "tc")
        ]
        rows.append([" ".join("".join(cell).split()) for cell in cells])
    _same_grid(_grid(end / result), _kept([row for row in rows if any(row)], result))
    return True, f"{_counted(len(rows), 'row')} compared"
