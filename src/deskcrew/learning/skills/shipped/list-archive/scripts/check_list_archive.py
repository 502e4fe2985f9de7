import tarfile
import zipfile


def check_list_archive(start, end, source, result):
    place, now = start / source, _grid(end / result)
    if zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as opened:
            sizes = {name: len(opened.read(name)) for name in opened.namelist() if not name.endswith("/")}
    else:
        with tarfile.open(place) as opened:
            sizes = {each.name: len(opened.extractfile(each).read()) for each in opened if each.isreg()}
    wanted = [[name, _Counted(sizes[name])] for name in sorted(sizes, key=_padded)]
    _same_grid(now, [["file", "bytes"], *wanted])
    return True, f"{_counted(len(sizes), 'file')} compared"
