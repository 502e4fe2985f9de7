import html


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
    controls = list(re.finditer(r"(?is)<input\b[^>]*>|<textarea\b[^>]*>.*?</textarea>|<select\b[^>]*>.*?</select>", text))
    names = {_attribute(each[0], "name") for each in controls} - {None}
    if strange := next((name for name in given if name not in names), None):
        raise ValueError(f"{source} has no field {strange!r}. It has: {', '.join(sorted(names))}")
    for each in reversed(controls):
        name = _attribute(each[0], "name")
        if name in given:
            text = text[: each.start()] + _filled(each[0], given[name], name) + text[each.end() :]
    _free(result).write_text(text, encoding="utf-8", newline="")
    return f"{len(given)} fields filled in"


def _attribute(tag, name):
    found = re.match(rf"(?is)<\w+[^>]*?\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", tag)
    return html.unescape(next(each for each in found.groups() if each is not None)) if found else None


def _without(tag, name):
    return re.sub(rf"(?is)\s{name}(\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+))?(?=[\s/>])", "", tag, count=1)


def _with(tag, attribute):
    return re.sub(r"\s*/?>$", lambda end: f" {attribute}{' /' if '/' in end[0] else ''}>", tag)


def _filled(control, value, name):
    kind = (_attribute(control, "type") or "text").lower()
    if control.lower().startswith("<textarea"):
        return control[: control.index(">") + 1] + html.escape(value, quote=False) + control[control.rindex("<") :]
    if control.lower().startswith("<select"):
        known = []

        def choose(found):
            told = _attribute(found[1], "value")
            known.extend({told, found[2].strip()} - {None})
            tag = _without(found[1], "selected")
            return (_with(tag, "selected") if value in (told, html.unescape(found[2]).strip()) else tag) + found[2]

        made = re.sub(r"(?is)(<option\b[^>]*>)([^<]*)", choose, control)
        if value not in map(html.unescape, known):
            raise ValueError(f"{name} can be {', '.join(known)}, and not {value!r}")
        return made
    if kind in ("checkbox", "radio"):
        told = _attribute(control, "value") or "on"
        on = value == told if kind == "radio" or value.lower() not in ("yes", "no") else value.lower() == "yes"
        return _with(_without(control, "checked"), "checked") if on else _without(control, "checked")
    return _with(_without(control, "value"), f'value="{html.escape(value)}"')
