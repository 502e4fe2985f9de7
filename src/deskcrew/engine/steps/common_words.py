"""Words that stand for a kind of file or a small number, in four languages: people seldom write its ending, or digits."""

from __future__ import annotations

KINDS = {
    word: tuple(f".{end}" for end in ends.split())
    for words, ends in {
        "word": "docx",
        "excel spreadsheet spreadsheets": "xlsx",
        "photo photos picture pictures pic pics image images foto fotos bild bilder imagen imágenes": (
            "jpg jpeg png webp gif bmp tif tiff"
        ),
    }.items()
    for word in words.split()
}
"""The endings of files that are called so."""
FOLDERS = ("folder", "subfolder", "director", "ordner", "unterordner", "verzeichnis", "carpeta", "dossier", "répertoire")
"""What the words for a folder begin with."""
NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        [
            "two zwei dos deux",
            "three drei tres trois",
            "four vier cuatro quatre",
            "five fünf cinco cinq",
            "six sechs seis",
            "seven sieben siete sept",
            "eight acht ocho huit",
            "nine neun nueve neuf",
            "ten zehn diez dix",
            "eleven elf once onze",
            "twelve zwölf doce douze",
        ],
        2,
    )
    for word in words.split()
}
