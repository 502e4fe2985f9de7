"""The addresses that a contract's writer is told about: those for the file types in the task (docs/reference/checks.md)."""

from __future__ import annotations

from collections.abc import Iterable

from deskcrew.facts.texts import stands_alone

ADDRESSES: dict[str, str] = {
    ".docx .odt": "parts by number from 1 or by name: `headings` (`1 Title`), `heading[Title].level`, "
    "`paragraph[3]` or `paragraph[how it begins]`, "
    "`text[some words]` with `.bold .italic .underline .font .size .colour` (#FF0000), of paragraphs `.align .style`, "
    "`table[1].B2`, `.rows`, `.columns`",
    ".xlsx .xlsm .ods": "`sheets`, `Sheet1!B2` (as calculated), `B2.formula`, `.bold`, `.format`, `.fill`, `.align`, "
    "`Sheet1!charts` (`bar Title`), `!merged`, `!frozen`, `!filter`, `!header`, `!row[2]`, `!column[Price]`",
    ".csv .tsv": "`B2`, `rows` (with the header), `columns`, `column[Price]`",
    ".pptx": "`slides`, `titles`, `slide[2].title` or `slide[Plan].title`, `.text`, `.notes`",
    ".pdf": "`pages`, `text`, `page[1].text`",
    ".png .jpg .jpeg .gif .bmp .webp .tif .tiff": "`width`, `height`, `format` (PNG), `mode`",
    ".zip .tar .tgz .gz .bz2 .xz": "`names`, `entry[a/b.txt].text`",
    ".eml .mbox": "`subject`, `from`, `to`, `date`, `body`, `attachments`; of a mailbox `count`, `letter[1].subject`",
    ".ics": "`events`, `event[1].summary`, `.start`, `.end`, `.location`",
    ".vcf": "`card[1].name`, `.email`, `.phone`",
    ".json .yaml .yml .toml": "lists from 0: `items[0].price`, `items.length`",
    ".xml .svg .html .htm": "an XPath, `//item[1]/@id`",
    ".git": "of the FOLDER that is the repository: `git.branch`, `git.commits` (how many), `git.message`, `git.clean`, "
    "`git.tracked` (names)",
}
"""Addresses by file suffixes; ``.git`` stands for a repository's folder."""


def told(task: str, paths: Iterable[str]) -> str:
    """The addresses, one line for each file type that ``task`` names or ``paths`` contain; '' if there is none."""
    held = {f".{part.rpartition('.')[2].lower()}" for path in paths for part in path.split("/") if "." in part}
    lines: list[str] = []
    for suffixes, what in ADDRESSES.items():
        kinds = suffixes.split()
        if held.intersection(kinds) or _names(task, kinds):
            lines.append(f"- {suffixes}: {what}")
    return "\n".join(lines)


def _names(task: str, kinds: Iterable[str]) -> bool:
    """Whether a file type is named in the task, as a word or a suffix; these are the same in any language."""
    return any(stands_alone(kind.removeprefix("."), task.casefold()) for kind in kinds)
