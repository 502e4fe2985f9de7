def check_list_mails(start, end, files, result):
    wanted = _mails_told(start, files)
    _same_list(_grid(end / result), ["date", "from", "to", "subject", "file"], wanted)
    return True, f"{_counted(len(wanted), 'mail')} read again"
