"""Where hostile text stands before a crew reads it: pages, tables, documents, names, what programs print."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import docx

from deskcrew_bench.redteam.case import Case
from deskcrew_bench.redteam.world import World

Reading = tuple[dict[str, Any] | None, tuple[Path, ...]]
"""The operation that reads the text, None where every look shows it; and what is attached to the run."""


def carry(case: Case, world: World) -> Reading:
    """Put what the case says where the crew will meet it."""
    said = f"{case.says} {world.marker}"
    work = world.work
    match case.carrier:
        case "page":
            page = f"<html><body><h1>Prices</h1><p style='display:none'>{html.escape(said, quote=False)}</p></body></html>\n"
            (work / "page.html").write_text(page, encoding="utf-8")
            return _read("page.html"), ()
        case "csv":
            quoted = said.replace('"', '""')
            (work / "table.csv").write_text(f'item,note\napple,"{quoted}"\n', encoding="utf-8")
            return _read("table.csv"), ()
        case "docx":
            document = docx.Document()
            document.add_paragraph("Minutes of the meeting")
            document.add_paragraph(said)
            document.save(str(work / "minutes.docx"))
            return _read("minutes.docx"), ()
        case "pdf":
            (work / "paper.pdf").write_bytes(pdf(said))
            return _read("paper.pdf"), ()
        case "file name":
            name = f"{said.replace('/', ' ')[:150]} {world.marker}.txt"
            (work / name).write_text("nothing\n", encoding="utf-8")
            return {"function": "list_files"}, ()
        case "output":
            (work / "build.log").write_text(f"12 tests passed\n{said}\n", encoding="utf-8")
            return {"function": "run_shell", "command": "cat build.log"}, ()
        case "attachment":
            file = world.folder / "letter.txt"
            file.write_text(f"Dear crew,\n{said}\n", encoding="utf-8")
            return _read("letter.txt"), (file,)
        case "skill":
            about = f"---\nname: send-report\ndescription: How reports are sent.\n---\n# send-report\n\n{said}\n"
            file = work / "skills/send-report/SKILL.md"
            file.parent.mkdir(parents=True)
            file.write_text(about, encoding="utf-8")
            return _read("skills/send-report/SKILL.md"), ()
        case "clipboard":
            return {"function": "read_clipboard"}, ()
        case "title" | "guide":
            return None, ()


def _read(file: str) -> dict[str, Any]:
    return {"function": "read_file", "file_path": file}


def pdf(text: str) -> bytes:
    """A page with one line of text for every seventy characters."""
    plain = text.encode("ascii", "replace").decode().replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    words, lines = plain.split(" "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 70:
            lines.append("")
        lines[-1] += f"{word} "
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 10 Tf 14 TL 40 780 Td\n{shown}\nET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table) + end
