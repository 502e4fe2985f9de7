def combine_text_files(files: str, headings: bool, result: str) -> str:
    """Put several texts together into one file, one after the other.

    files: the texts in their order: names or patterns, separated by commas, such as *.txt
    headings: true to write the name of each file above its text; false if left out
    result: the new file
    """
    some = _files(files)
    parts = [f"{'## ' + each.name + chr(10) * 2 if headings else ''}{_text_of(each).strip(chr(10))}\n" for each in some]
    _free(result).write_text("\n".join(parts), encoding="utf-8")
    return f"{_counted(len(some), 'file')} put together in {result}"
