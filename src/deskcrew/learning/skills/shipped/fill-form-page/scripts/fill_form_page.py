import html
from html.parser import HTMLParser
from itertools import accumulate


def fill_form_page(source: str, values: str, result: str) -> str:
    """Fill in the form of a web page that was saved as a file, and save the filled-in page; nothing is sent.

    source: the page, html
    values: what to fill in, by the names of the fields, such as name=Eva Ruiz; news=yes
    result: the new page, html
    """
    text = _text(source)
    given = _given(values)
    if not given:
        raise ValueError("Say what to fill in, such as name=Eva; town=Rome")
    controls = _Controls(text).found
    names = {each.name for each in controls} - {None}
    if strange := next((name for name in given if name not in names), None):
        raise ValueError(f"{source} has no field {strange!r}. It has: {', '.join(sorted(names))}")
    for name, value in given.items():
        known = [told for each in controls if each.name == name for told in each.choices()]
        if known and value not in known:
            raise ValueError(f"{name} can be {', '.join(dict.fromkeys(known))}, and not {value!r}")
    for each in reversed(controls):
        if each.name in given:
            text = text[: each.start] + each.filled(given[each.name]) + text[each.end :]
    _free(result).write_text(text, encoding="utf-8", newline="")
    return f"{_counted(len(given), 'field')} filled in"


class _Control:
    """A tag, or what stands in a text area: the part of the page that holds a value. Everything else stays as it is."""

    def __init__(self, name, tag, own, start, written):
        self.name, self.tag, self.own, self.start, self.end = name, tag, own, start, start + len(written)
        self.kind = (own.get("type") or "text").lower()
        self.closes, self.says = " /" if written.endswith("/>") else "", ""

    def choices(self):
        if self.tag != "option" and self.kind != "radio":
            return []
        return [each for each in (self.own.get("value"), self.says.strip() if self.tag == "option" else "") if each]

    def filled(self, value):
        if self.tag == "textarea":
            return html.escape(value, quote=False)
        if self.tag == "option":
            self.set("selected", "" if value in self.choices() else None)
        elif self.kind in ("checkbox", "radio"):
            told = self.own.get("value") or "on"
            on = value.lower() == "yes" if self.kind == "checkbox" and value.lower() in ("yes", "no") else value == told
            self.set("checked", "" if on else None)
        else:
            self.set("value", value)
        own = (f' {name}="{html.escape(held)}"' if held else f" {name}" for name, held in self.own.items())
        return f"<{self.tag}{''.join(own)}{self.closes}>"

    def set(self, name, held):
        self.own.pop(name, None)
        if held is not None:
            self.own[name] = held


class _Controls(HTMLParser):
    """The controls of a page in their order."""

    def __init__(self, text):
        super().__init__()
        self.found, self.select, self.open = [], None, None
        self.lines = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.feed(text)
        self.close()

    def at(self):
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def handle_starttag(self, tag, attrs):
        own, self.open = {}, None
        for name, held in attrs:
            own.setdefault(name, held)  # of one that is there twice the first counts
        self.select = own.get("name") if tag == "select" else self.select
        if tag in ("input", "textarea", "option"):
            name = self.select if tag == "option" else own.get("name")
            self.open = _Control(name, tag, own, self.at(), self.get_starttag_text())
            self.found.append(self.open)

    def handle_data(self, data):
        if self.open is not None:
            self.open.says += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self.found and self.found[-1].tag == tag:
            self.found[-1].start, self.found[-1].end = self.found[-1].end, self.at()
        self.open = None
