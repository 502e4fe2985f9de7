import re


def check_sort_files_into_folders(start, end, folder, by):
    before, now = _in(start, folder), _in(end, folder)
    kinds = dict(
        **dict.fromkeys(("jpg", "jpeg", "png", "gif", "webp", "heic", "bmp", "tif", "tiff", "svg"), "Pictures"),
        **dict.fromkeys(("doc", "docx", "odt", "rtf", "txt", "md", "pdf"), "Documents"),
        **dict.fromkeys(("xls", "xlsx", "xlsm", "ods", "csv", "tsv"), "Tables"),
        **dict.fromkeys(("ppt", "pptx", "odp"), "Presentations"),
        **dict.fromkeys(("zip", "tar", "gz", "7z", "rar"), "Archives"),
        **dict.fromkeys(("mp3", "wav", "flac", "ogg", "m4a"), "Music"),
        **dict.fromkeys(("mp4", "mov", "avi", "mkv", "webm"), "Videos"),
    )
    wanted = {path: data for path, data in before.items() if "/" in path}
    for name, data in before.items():
        if "/" in name:
            continue
        ending = name.lower().rpartition(".")[2] if "." in name[1:] else ""
        month = re.search(r"(?:^|\D)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])(\d{0,2})(?!\d)", name)
        into = {
            "kind": kinds.get(ending, "Others"),
            "ending": ending or "none",
            "first letter": name[:1].upper(),
            "month": "-".join(month.groups()[:2]) if month else "",
        }[by]
        wanted[f"{into}/{name}" if into else name] = data
    assert now == wanted, f"{sorted(now.keys() ^ wanted.keys())[:1]} is in the wrong place, or a file changed"
    return True, f"{_counted(len(now), 'file')}, each where it belongs"
