import json


def convert_table(source: str, result: str) -> str:
    """Save a table in another format: csv, tsv, xlsx or json, as the new file's name says.

    source: the table, csv, tsv or xlsx
    result: the new file, such as sales.xlsx
    """
    rows, kind, left = _read(source), Path(result).suffix.lower(), ""
    if kind not in (".csv", ".tsv", ".json", *BOOKS):
        raise ValueError(f"{result} must end in .csv, .tsv, .xlsx or .json")
    if kind == ".json":
        head = [_said(value) for value in rows[0]]
        columns = [_of_one_kind(Column(rows[1:], at)) for at in range(len(head))]
        entries = [dict(zip(head, (_json(value) for value in values))) for values in zip(*columns)]
        _new(result).write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    else:
        left = _write(result, rows, source)
    return f"{_counted(len(rows) - 1, 'row')} in {result}{left}"


def _of_one_kind(column):
    """A column as a workbook holds it, or as texts if not all of it would be of one kind there."""
    cells = [_cell(value) for value in column]
    return column if any(isinstance(cell, str) for cell in cells) else cells


def _json(value):
    return value if value is None or isinstance(value, (bool, int, float)) else _said(value)
