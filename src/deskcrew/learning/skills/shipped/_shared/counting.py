"""Counts and amounts in words, for what is said of a result."""


def _counted(count, thing, things=""):
    """``1 row``, ``2 rows``. ``things``: a plural that takes more than an s."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"


def _amount_said(number, comma=False):
    """A number as people write it: 1,234.50, or 1.234,50 with ``comma``."""
    whole, _, decimals = (f"{number:,.4f}" if abs(number) >= 1 else f"{number:,.12f}").partition(".")
    decimals = decimals.rstrip("0")
    text = f"{whole}.{decimals:0<2}" if decimals else whole
    return text.translate({44: ".", 46: ","}) if comma else text


def _without(count, kind, head):
    """What is said of rows in which a column holds nothing to reckon with; '' if there are none."""
    has = "has" if count == 1 else "have"
    return f"; {_counted(count, 'row')} {has} no {kind} in {head}: left out" if count else ""


def _amounts_said(what, pairs, comma=False):
    """Amounts by name, as a sentence; of very many the first."""
    told = [
        f"{name or 'without name'} {'none' if number is None else _amount_said(number, comma)}" for name, number in pairs
    ]
    return f"{what}: {'; '.join(told[:12])}" + (f" and {_counted(len(told) - 12, 'other')}" if len(told) > 12 else "")


def _several_said(told):
    """Several things as a sentence; of many the first."""
    return "; ".join(told[:5]) + (f" and {_counted(len(told) - 5, 'other')}" if len(told) > 5 else "")


def _rows_said(rows):
    return _several_said([", ".join(cell for cell in row if cell) for row in rows])
