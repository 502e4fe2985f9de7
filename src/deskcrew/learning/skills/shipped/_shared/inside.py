"""The files in one folder."""


def _files_in(folder, files):
    """The files of a folder that names and patterns stand for; all of it if there are none."""
    top = f"{folder}/" if folder else ""
    return _files(", ".join(top + part.strip().removeprefix(top) for part in _apart(files or "*")))
