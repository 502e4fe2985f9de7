import tarfile
import zipfile


def check_unpack_archive(start, end, source, folder):
    found = {}
    if zipfile.is_zipfile(start / source):
        with zipfile.ZipFile(start / source) as opened:
            for name in opened.namelist():
                if not name.endswith("/"):
                    found[os.path.normpath(name)] = opened.open(name).read()
    else:
        with tarfile.open(start / source) as opened:
            for member in opened:
                if member.isreg():
                    found[os.path.normpath(member.name)] = opened.extractfile(member).read()
    before, now = _in(start, folder), _in(end, folder)
    new = {path: data for path, data in now.items() if path not in before}
    hidden = {path for path in found if any(part.startswith(".") for part in path.split("/"))}
    assert all((end / folder / path).read_bytes() == found[path] for path in hidden), "a hidden file is missing"
    assert new == {path: data for path, data in found.items() if path not in hidden}, f"it made {sorted(new)}"
    return True, f"{_counted(len(found), 'file')} compared"
