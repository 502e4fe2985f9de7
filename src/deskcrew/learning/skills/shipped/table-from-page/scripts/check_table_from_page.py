from html.parser import HTMLParser


class _Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.open, self.inner, self.cell = [], [], [], None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            for each in self.open:
                each["nested"] = True
            self.open.append({"rows": [], "nested": False})
            self.tables.append(self.open[-1])
        elif tag == "tr" and self.open:
            self.open[-1]["rows"].append([])
        elif tag in ("td", "th") and self.open and self.open[-1]["rows"]:
            span = dict(attrs).get("colspan") or "1"
            self.open[-1]["rows"][-1] += [[""]] + [[""] for _ in range(int(span) - 1 if span.isdigit() else 0)]
            self.cell = self.open[-1]["rows"][-1][-(int(span) if span.isdigit() else 1)]

    def handle_endtag(self, tag):
        if tag == "table" and self.open:
            self.open.pop()
        if tag in ("td", "th", "tr", "table"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[0] += data


def check_table_from_page(start, end, source, number, result):
    read = _Tables()
    read.feed(_decoded((start / source).read_bytes()))
    flat = [each for each in read.tables if not each["nested"]]
    rows = [[" ".join(cell[0].split()) for cell in row] for row in flat[(number or 1) - 1]["rows"]]
    rows = [row for row in rows if any(row)]
    last = max(n for row in rows for n, cell in enumerate(row) if cell)
    _same_grid(_grid(end / result), _kept([(row + [""] * (last + 1))[: last + 1] for row in rows], result))
    return True, f"{_counted(len(rows), 'row')} compared"
