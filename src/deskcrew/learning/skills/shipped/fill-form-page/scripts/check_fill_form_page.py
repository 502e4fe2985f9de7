from html.parser import HTMLParser


class _Form(HTMLParser):
    """What the controls of a page hold, and everything else that is on it."""

    def __init__(self, text):
        super().__init__()
        self.held, self.rest, self.area, self.chosen, self.option = [], [], None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        if tag == "input":
            kind = (own.get("type") or "text").lower()
            if kind in ("checkbox", "radio"):
                self.held.append((own.get("name"), kind, own.get("value") or "on", "checked" in own))
            else:
                self.held.append((own.get("name"), "text", "", own.get("value") or ""))
            own = {name: value for name, value in own.items() if name not in ("value", "checked")}
        elif tag == "textarea":
            self.area = [own.get("name"), ""]
        elif tag == "select":
            self.chosen = own.get("name")
        elif tag == "option":
            self.option = [own.get("value"), "", "selected" in own]
            own.pop("selected", None)
        self.rest.append((tag, sorted(own.items(), key=str)))

    def handle_endtag(self, tag):
        if tag == "textarea" and self.area:
            self.held.append((self.area[0], "text", "", self.area[1]))
            self.area = None
        if tag in ("option", "select") and self.option:
            text = self.option[1].strip()
            self.held.append((self.chosen, "option", {self.option[0], text}, self.option[2]))
            self.option = None
        self.rest.append(tag)

    def handle_data(self, data):
        if self.area is not None:
            self.area[1] += data
        else:
            if self.option is not None:
                self.option[1] += data
            self.rest.append(data)


def check_fill_form_page(start, end, source, values, result):
    before = _Form(_decoded((start / source).read_bytes()))
    now = _Form((end / result).read_bytes().decode("utf-8-sig"))
    given = {}
    for part in values.replace("\n", ";").split(";"):
        if "=" in part:
            name, value = part.split("=", 1)
            given[name.strip()] = value.strip()
    assert now.rest == before.rest, "something else of the page changed"
    assert len(now.held) == len(before.held), "it has other fields"
    for (name, kind, of, was), (_, _, _, is_) in zip(before.held, now.held):
        value = given.get(name)
        if value is None:
            assert is_ == was, f"{name} changed"
        elif kind == "text":
            assert is_ == value, f"{name} holds {is_!r}"
        elif kind == "option":
            assert is_ == (value in of), f"{name} is {'' if is_ else 'not '}{value}"
        else:
            wanted = value.lower() == "yes" if kind == "checkbox" and value.lower() in ("yes", "no") else value == of
            assert is_ == wanted, f"{name} is {'' if is_ else 'not '}on"
    missing = [name for name in given if name not in [each[0] for each in now.held]]
    assert given and not missing, f"there is no field {missing}"
    return True, f"{len(given)} of {_counted(len(now.held), 'field')} filled in, all else as it was"
