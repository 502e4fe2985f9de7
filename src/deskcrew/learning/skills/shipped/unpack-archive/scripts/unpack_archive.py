import tarfile
import zipfile


def unpack_archive(source: str, folder: str) -> str:
    """Unpack an archive into a folder.

    source: the archive: zip, tar, tar.gz or tgz
    folder: the folder for what is in it
    """
    found = {}
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as opened:
            if any(info.flag_bits & 1 for info in opened.infolist()):
                raise ValueError(f"{source} is protected by a password")
            found = {info.filename: opened.read(info) for info in opened.infolist() if not info.is_dir()}
    elif tarfile.is_tarfile(source):
        with tarfile.open(source) as opened:
            found = {info.name: opened.extractfile(info).read() for info in opened.getmembers() if info.isfile()}
    else:
        raise ValueError(f"{source} is no zip or tar archive")
    for name in found:
        if name.startswith(("/", "\\")) or ".." in Path(name).parts or ":" in name:
            raise ValueError(f"{source} holds {name}, which leads out of the folder")
        _free(Path(folder) / name)
    for name, data in found.items():
        (Path(folder) / name).write_bytes(data)
    return f"{_counted(len(found), 'file')} unpacked"
