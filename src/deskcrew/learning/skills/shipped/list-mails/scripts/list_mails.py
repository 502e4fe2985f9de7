def list_mails(files: str, result: str) -> str:
    """List mails in a table, with date, sender, recipients and subject, the oldest first.

    files: the mails: names or patterns, separated by commas; eml or mbox
    result: the new table, csv or xlsx
    """
    rows = _mails(_files(files))
    _write(result, [_row(each) for each in (["date", "from", "to", "subject", "file"], *rows)], "")
    return f"{_counted(len(rows), 'mail')} listed in {result}"
