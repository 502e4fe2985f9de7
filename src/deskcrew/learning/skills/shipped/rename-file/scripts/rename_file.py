def rename_file(source: str, name: str) -> str:
    """Give one file another name.

    source: the file
    name: its new name; it keeps its ending if the name has none
    """
    old, new = Path(source), Path(name)
    goal = (new if "/" in name else old.with_name(name)).with_suffix(new.suffix or old.suffix)
    _moved([(old, goal)])
    return f"{source} is now {goal}"
