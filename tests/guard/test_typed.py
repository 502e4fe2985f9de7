"""Commands that are typed into a terminal of the desktop: what loses files there, or may, is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.environments.workspace import MAX_ENTRIES
from deskcrew.facts.observation import FileEntry
from deskcrew.guard.policy import Policy
from support.guarding import decide, look, terminal

FOLDERS = ("notes", "old", "new")
FILES = tuple(
    FileEntry(path=path, kind="folder" if path in FOLDERS else "file")
    for path in ("a.txt", "tidy.sh", *FOLDERS, "notes/plan.txt", "old/a.txt")
)


def _decided(folder: Path, keys: str, *, files: tuple[FileEntry, ...] = FILES, standing: str = "") -> str:
    seen = look("xterm", terminal(standing)).model_copy(update={"files": files})
    return decide(Policy.default(), folder, "keyboard_input", seen, aimed="1", keys=keys, click_enter=True).effect


@pytest.mark.parametrize(
    "command",
    [
        ": > a.txt",
        ">a.txt",
        "echo x >| 'a.txt'",
        "echo x &> a.txt",
        "ls >& a.txt",
        "ls 2>a.txt",
        "cd notes; date > plan.txt",
        "date > ./plan.txt",
        "date > /workspace/notes/plan.txt",
        "date > $f",
        "for f in *; do : > $f; done",
        "cp /dev/null a.txt",
        "cp b.txt a.t?t",
        "cp a.txt old",
        "cp *.txt old/",
        "cp -t old a.txt",
        "cp old/a.txt .",
        "mv b.txt a.txt",
        "mv a.txt /tmp/",
        "mv a.txt ~/x",
        "install -m 644 /dev/null a.txt",
        "ln -sf /dev/null a.txt",
        "tee a.txt < /dev/null",
        "truncate -s0 a.txt",
        "dd if=/dev/zero of=a.txt",
        "sort -o a.txt /dev/null",
        "sort -ro a.txt /dev/null",
        "sed -i d a.txt",
        "sed -ni.bak p a.txt",
        "perl -i -ne '' a.txt",
        "awk 'BEGIN { system(\"x\") }'",
        "python3 -c \"open('a.txt','w')\"",
        "python3 tidy.py",
        "sh tidy.sh",
        "./tidy.sh",
        "/workspace/tidy.sh",
        ". tidy.sh",
        "env X=1 sh tidy.sh",
        "echo cm0gYS50eHQ= | base64 -d | sh",
        "a=r; b=m; $a$b a.txt",
        "$(printf '\\162\\155') a.txt",
        "`echo r`m a.txt",
        "echo a.txt | xargs unlink",
        "find . -name a.txt -exec truncate -s 0 {} +",
        "find . -fprint a.txt",
        "git clean -fdxq",
        "git -c alias.x='!r''m a.txt' x",
        "tar --remove-files -cf /tmp/x.tar a.txt",
        "zip -qm x.zip a.txt",
        "make",
        "alias x=rm",
    ],
)
def test_what_may_lose_files_is_asked_about(tmp_path: Path, command: str) -> None:
    assert _decided(tmp_path, command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la notes",
        "cat a.txt",
        "wc -l a.txt > count.txt",
        "grep -c x a.txt 2>/dev/null",
        "echo x >> a.txt",
        "echo x > b.txt",
        "echo 1 >&2",
        "cp a.txt b.txt",
        "cp a.txt new",
        "cp a.txt new/",
        "mv a.txt notes/",
        "mkdir more",
        "sort a.txt | uniq -c",
        "sed s/x/y/ a.txt",
        "tar -cf x.tar notes",
        "find . -name '*.txt'",
        "git status",
        "git log --oneline",
        "python3 --version",
        "mousepad a.txt",
        "/usr/bin/mousepad a.txt",
        "LANG=C ls",
        "echo $HOME",
    ],
)
def test_and_what_does_not_is_not(tmp_path: Path, command: str) -> None:
    assert _decided(tmp_path, command) == "allow"


def test_a_command_in_pieces_is_judged_as_a_whole(tmp_path: Path) -> None:
    assert _decided(tmp_path, ".txt", standing="echo x > a") == "ask"
    assert _decided(tmp_path, ".txt", standing="echo x > b") == "allow"


def test_where_not_all_files_are_known_any_may_be_there(tmp_path: Path) -> None:
    many = tuple(FileEntry(path=f"f{n}", kind="file") for n in range(MAX_ENTRIES))
    assert _decided(tmp_path, "echo x > b.txt", files=many) == "ask"


def test_in_the_sandbox_what_happens_is_seen_and_words_do_not_decide(tmp_path: Path) -> None:
    seen = look("xterm").model_copy(update={"files": FILES})
    assert decide(Policy.default(), tmp_path, "run_shell", seen, command="sh tidy.sh > a.txt").effect == "allow"
