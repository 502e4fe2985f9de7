import collections
import itertools
import re


def check_sort_lines(start, end, source, order, result):
    read = lambda path: [line for line in _decoded(path.read_bytes()).splitlines() if line.strip()]
    before, now = read(start / source), read(end / result)
    assert collections.Counter(before) == collections.Counter(now), "the lines are other ones"
    number = lambda found: found[0].zfill(30)
    folded = [re.sub(r"\d+", number, line.lower()) if order == "natural" else line.casefold() for line in now]
    keys = [*zip(folded, now)]
    pairs = zip(keys[1:], keys) if order == "descending" else itertools.pairwise(keys)
    assert all(one <= other for one, other in pairs), "they are not in order"
    return True, f"{_counted(len(now), 'line')} in order"
