import tarfile
import zipfile


def list_archive(source: str, result: str) -> str:
    """List what is in an archive in a table, with the sizes.

    source: the archive: zip, tar, tar.gz or tgz
    result: the new table, csv or xlsx
    """
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as opened:
            rows = [[info.filename, info.file_size] for info in opened.infolist() if not info.is_dir()]
    elif tarfile.is_tarfile(source):
        with tarfile.open(source) as opened:
            rows = [[info.name, info.size] for info in opened.getmembers() if info.isfile()]
    else:
        raise ValueError(f"{source} is no zip or tar archive")
    rows.sort(key=lambda row: _natural(row[0]))
    _write(result, [_row(each) for each in (["file", "bytes"], *rows)], "")
    return f"{_counted(len(rows), 'file')} listed in {result}"
