def check_calendar_to_table(start, end, source, result):
    wanted = _events_told((start / source).read_bytes())
    _same_list(_grid(end / result), ["start", "end", "title", "place", "notes"], wanted)
    return True, f"{_counted(len(wanted), 'event')} compared"
