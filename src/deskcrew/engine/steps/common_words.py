"""Words for kinds of files and small numbers, and words that negate or invert a request, in four languages: people seldom
write a file's suffix, or digits."""

from __future__ import annotations

KINDS = {
    word: tuple(f".{end}" for end in ends.split())
    for words, ends in {
        "word": "docx",
        "text textdatei textdateien": "txt",
        "excel spreadsheet spreadsheets": "xlsx",
        "photo photos picture pictures pic pics image images foto fotos bild bilder imagen imágenes": (
            "jpg jpeg png webp gif bmp tif tiff"
        ),
        "video videos film films vídeo vídeos vidéo vidéos": "mp4 mov avi mkv webm",
        "song songs music musik lied lieder canción canciones chanson chansons": "mp3 wav flac ogg m4a",
    }.items()
    for word in words.split()
}
"""The suffixes of files, by the word for them."""
FOLDERS = ("folder", "subfolder", "director", "ordner", "unterordner", "verzeichnis", "carpeta", "dossier", "répertoire")
"""Beginnings of the words for a folder."""
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
ONE = frozenset(("one", "ein", "eine", "einen", "uno", "una", "une"))
MONTHS, SINCE = (
    frozenset(words.split())
    for words in (
        "january february march april may june july august september october november december jan feb mar apr jun jul aug "
        "sep sept oct nov dec januar februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio "
        "agosto septiembre octubre noviembre diciembre janvier février mars avril juin juillet août septembre octobre "
        "novembre décembre",
        "in of for during since after before until till from im seit vor nach bis en de du desde hasta antes después depuis "
        "avant après",
    )
)
"""Months, and words before a month or a year."""
FROM = frozenset(("from", "within", "inside", "aus", "von", "de", "desde", "des", "du"))
"""Words before that from which something is taken."""
ARTICLES = frozenset(("the", "my", "new", "der", "den", "dem", "neuen", "la", "el", "le", "mi", "mon", "nueva", "nouveau"))
BEFORE_COLUMNS, COLUMNS, FIRST = (
    frozenset(words.split())
    for words in (
        "by per where whose nach pro je wo deren por donde par où dont",
        "column columns heading headings field spalte spalten feld columna columnas campo colonne colonnes champ",
        "first last top erste ersten letzte letzten primero primera primeros primeras último última últimos últimas premier "
        "première premiers premières dernier dernière derniers dernières",
    )
)
"""Words before the name of a column, words for one, and words for those at one end, beside which a number is a count."""
OLD, YOUNG, AGE, AGES, JOINED = (
    tuple(words.split())
    for words in (
        "oldest ältest jüngst antiguo ancien viejo vieux",
        "youngest joven jeune",
        "age ages alter edad edades âge",
        "age birth born dob alter geburt geboren edad nacimiento nacido nacida âge naissance né née year jahr año année",
        "hire hiring join start since member last entry enter eintritt eingestellt seit ingreso alta desde entrée embauche "
        "depuis",
    )
)
"""Beginnings of words that measure the age of people or things, or of people alone, words for an age, those in headings of
columns that tell one, and beginnings of those in headings of columns that tell since when somebody has been there."""
AGAIN, ALSO, THEN, AND, OR, CLAUSES, YES, NO = (
    frozenset(words.split())
    for words in (
        "same again likewise instead rather repeat once gleiche gleichen dasselbe nochmal stattdessen lieber mismo misma "
        "otra mejor même encore plutôt",
        "also too auch también aussi",
        "then afterwards dann danach luego después puis ensuite",
        "and und y et",
        "or oder o ou",
        "where with whose and that which who for in from of wo mit deren und für aus donde con y que para de où avec dont "
        "et qui pour",
        "yes ja sí si oui true",
        "no nope wrong nein falsch non false",
    )
)
"""Words that refer to what was done before, add to it, join two chores or values, begin a condition, affirm, and reject
what was done."""
INTO, FILE, IN, SAVING, NAMELESS = (
    frozenset(words.split())
    for words in (
        "into onto to as called named new nach als namens genannt neue neuen neues nuevo nueva llamado llamada como "
        "nouveau nouvelle nommé appelé vers comme",
        "a an the file table workbook document list archive eine einen der die datei tabelle liste un una el la archivo "
        "tabla lista une le fichier tableau liste",
        "in en dans",
        "save write put store speichere speichern schreibe guarda guárdalo escribe enregistre écris mets",
        "workbook workbooks spreadsheet worksheet sheet file files table data please those arbeitsmappe datei tabelle blatt "
        "bitte libro hoja archivo tabla fichier classeur feuille tableau",
    )
)
"""Words before the name of a file that is to be made, those that may stand between, those before one into which something
is saved, with the words for saving, and words for the file or table that is meant anyway."""
TOWARDS = INTO.union(("ins", "a", "à", "hacia"))
"""Words before the folder to which something goes."""
NEGATING, REMOVING, CONTRASTING = (
    frozenset(words.split())
    for words in (
        "without except excluding exclude excluded ignoring ignore ignored not no never nor omit "
        "omitting skip skipping ohne außer nicht kein keine keinen keiner nie sin excepto salvo nunca sans sauf pas jamais",
        "drop dropping remove removing delete deleting strip rid entferne entfernen lösche löschen quita quitar elimina "
        "eliminar borra borrar enlève enlever supprime supprimer retire retirer",
        "but aber pero mais",
    )
)
"""Words that negate a request or what they stand before, ask for something to be taken away, and contrast."""
MOST = frozenset(("most", "fewest", "meisten", "wenigsten", "más", "menos"))
MANY = frozenset(("many", "viele", "cuántos", "cuántas", "combien"))
"""Words for the largest and smallest number of what is said behind them, and those that ask for its number."""
NOUNS = frozenset(("list", "make", "save", "table", "add", "contacts", "calendar", "document", "pictures"))
"""Verbs of skills that are nouns, or may be said of any result: and save it as sorted.csv."""
