def split_text_file(source: str, lines: int, folder: str) -> str:
    """Split a text into files of so many lines.

    source: the text file
    lines: the number of lines of each file
    folder: the folder for the parts, which are numbered
    """
    if lines < 1:
        raise ValueError("Each part needs at least one line")
    there = _text_of(source).splitlines(keepends=True)
    parts = [there[at : at + lines] for at in range(0, len(there), lines)]
    width, name = len(str(len(parts))), Path(source)
    places = [_free(Path(folder) / f"{name.stem} {n:0{width}}{name.suffix}") for n in range(1, len(parts) + 1)]
    for place, part in zip(places, parts):
        place.write_text("".join(part), encoding="utf-8", newline="")
    return f"{_counted(len(parts), 'file')} in {folder}"
