import json


def convert_table(source: str, result: str) -> str:
    """Save a table in another format: csv, tsv, xlsx or json, as the new file's name says.

    source: the table, csv, tsv or xlsx
    result: the new file, such as sales.xlsx
    """
    rows, kind = _read(source), Path(result).suffix.lower()
    if kind not in (".csv", ".tsv", ".json", *BOOKS):
        raise ValueError(f"{result} must end in .csv, .tsv, .xlsx or .json")
    if kind == ".json":
        head = [_said(value) for value in rows[0]]
        typed = [_typed(Column(rows[1:], at)) for at in range(len(head))]
        entries = [dict(zip(head, (_json(value) for value in values))) for values in zip(*typed)]
        _new(result).write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    elif kind in BOOKS and Path(source).suffix.lower() not in BOOKS:
        typed = [_typed(Column(rows[1:], at)) for at in range(len(rows[0]))]
        _write(result, [rows[0], *(_row(values) for values in zip(*typed))], source)
    else:
        _write(result, rows, source)
    return f"{len(rows) - 1} rows"


def _typed(values):
    """A column as numbers or dates where all of it is, without a unit; what begins with 0 is no number but a code."""
    texts = [_said(value).strip() for value in values]
    if any(map(_is_code, texts)):
        return values
    try:
        numbers = [_told(number, False, "a.xlsx") for number in _numbers(values)]
        return values if _figures(values)[1] else numbers
    except ValueError:
        pass
    try:
        return _dates(values) if any(re.search(r"\d{4}|\d[./-]\d", text) for text in texts) else values
    except ValueError:
        return values


def _json(value):
    return value if value is None or isinstance(value, (bool, int, float)) else _said(value)
