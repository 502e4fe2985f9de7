"""What programs outside obey, tried by running them: what a run may not make has them run something, what it may has not."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from deskcrew.actions.action import Result
from deskcrew.environments.obeyed import ANYWHERE, HOME
from deskcrew.environments.workspace import Workspace
from support.sampling import sampled

Do = Callable[..., Result]


def git(folder: Path, *words: str) -> str:
    """What a person's git says in a folder; with no settings but the repository's."""
    home = {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"], "GIT_PAGER": "cat"}
    done = subprocess.run(["git", *words], cwd=folder, env=home, capture_output=True, text=True, timeout=20, check=False)
    return done.stdout + done.stderr


def shell_of(mark: Path) -> dict[str, str]:
    """Ways to make a repository that obeys: as shell commands."""
    setting = f"git -C {{}} config core.fsmonitor 'touch {mark}; false'"
    return {
        "fsmonitor": f"git init -q . && {setting.format('.')}",
        "in a folder": f"git init -q a/b && {setting.format('a/b')}",
        "in the trash": f"mkdir -p .trash && git init -q .trash/x && {setting.format('.trash/x')}",
        "by its file": f"git init -q --separate-git-dir=store work && {setting.format('work')}",
        "bare by name": f"git init -q --bare notes && {setting.format('notes')} && git -C notes config core.bare false && "
        "git -C notes config core.worktree .",
        "included": f"git init -q . && git config include.path ../x && printf '[core]\\nfsmonitor = touch {mark}\\n' > x",
        "elsewhere": f"git init -q --bare d && git -C d config core.fsmonitor 'touch {mark}; false' && mkdir e && "
        "cp d/HEAD e/ && echo ../d > e/commondir && git -C d config core.bare false && git -C d config core.worktree .",
        "hook": f"git init -q . && cd .git/hooks && printf '#!/bin/sh\\ntouch {mark}\\n' > pre-commit && chmod +x *t",
        "pager": f"git init -q . && git config core.pager 'touch {mark}; cat'",
        "alias": "git init -q . && git config alias.st '!true'",
        "a link": "git init -q x && mv x/.git y && rmdir x && ln -s y .git",
        "upper case": f"git init -q z && {setting.format('z')} && mkdir .GIT && cp -r z/.git/. .GIT/ && rm -r z",
        "odd form": f"git init -q . && printf '[core] fsmonitor = touch {mark}\\n' >> .git/config",
    }


def where(root: Path) -> list[Path]:
    return [root, *(path for path in root.rglob("*") if path.is_dir())]


@pytest.mark.parametrize("way", list(shell_of(Path())))
def test_a_command_makes_no_repository_that_obeys(way: str, do: Do, workspace: Workspace, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    result = do("run_shell", command=shell_of(mark)[way])
    for folder in where(workspace.root):
        git(folder, "status")
    assert not mark.exists()
    assert not result.ok
    assert "no run may make or change it" in result.error
    assert not [path for path in workspace.root.rglob("*") if path.name != ".trash"]


HONEST = {
    "a repository": "git init -q . && git config user.name Ada && git config user.email a@b.c && echo x > a && git add a && "
    "git commit -qm 'Say what' && git branch other && git tag v1",
    "in a folder": "git init -q my-project && cd my-project && git config user.name A && git config user.email a@b.c && "
    "echo 1 > one && git add . && git commit -qm One && git checkout -qb two && echo 2 >> one && git commit -qam Two && "
    "git checkout -q - && git merge -q two",
    "bare, with a clone": "git init -q --bare central.git && git clone -q central.git copy 2>/dev/null && cd copy && "
    "git config user.name A && git config user.email a@b.c && echo 1 > one && git add . && git commit -qm One && "
    "git push -q origin HEAD",
    "files of like names": "mkdir objects refs && echo x > config && echo y > objects/a",
}


@pytest.mark.parametrize("way", list(HONEST))
def test_honest_work_with_git_is_kept(way: str, do: Do, workspace: Workspace) -> None:
    result = do("run_shell", command=HONEST[way])
    assert result.ok, result.error
    folder = {"a repository": ".", "in a folder": "my-project", "bare, with a clone": "copy"}.get(way)
    if folder is not None:
        assert "commit" in git(workspace.root / folder, "-c", f"safe.directory={workspace.root / folder}", "log")


def test_a_users_own_settings_of_a_repository_stay(do: Do, workspace: Workspace) -> None:
    project = workspace.root / "project"
    subprocess.run(["git", "init", "-q", project], check=True)
    subprocess.run(["git", "-C", project, "config", "alias.st", "status"], check=True)
    hook = project / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    result = do("run_shell", command="cd project && git config user.name A && git config user.email a@b.c && echo 1 > b && "
                "git add b && git commit -qm B")  # fmt: skip
    assert result.ok, result.error
    assert not do("run_shell", command="echo 'exit 1' >> project/.git/hooks/pre-commit").ok
    assert not do("run_shell", command="git -C project config alias.st '!rm -rf .'").ok
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"


NAMES = (
    ".git", ".git/config", "a/.git", ".trash/.git/config", ".hg/hgrc", ".envrc", "a/.envrc", ".vscode/tasks.json",
    ".idea/x.xml", ".exrc", ".gdbinit", ".deskcrew/crews/x.toml", "a/.deskcrew/roles/x.md", ".mise.toml",
    ".devcontainer/devcontainer.json",
    ".claude/settings.json", ".mcp.json", ".Git/config", ".dir-locals.el", ".jj/repo/config.toml",
)  # fmt: skip


REST = sorted({name for each in ANYWHERE for name in each.names}.difference(NAMES))


@pytest.mark.parametrize("name", [*NAMES, *sampled(REST, 5)])
def test_no_action_makes_what_is_obeyed(name: str, do: Do, workspace: Workspace) -> None:
    results = [
        do("write_file", file_path=name, text="x"),
        do("make_folder", folder=name),
        do("run_shell", command=f"mkdir -p \"$(dirname '{name}')\" && echo x > '{name}'"),
        do("run_python_code", code=f"import os\nos.makedirs(os.path.dirname({name!r}) or '.', exist_ok=True)\n"
           f"open({name!r}, 'w').write('x')"),
    ]  # fmt: skip
    (workspace.root / "plain").write_text("x")
    results += [do("copy_file", source="plain", destination=name), do("move_file", source="plain", destination=name)]
    assert [result.ok for result in results] == [False] * len(results), results
    assert all("obey it outside of the sandbox" in result.error or "user's own" in result.error for result in results)
    assert not os.path.lexists(workspace.root / name)


def test_file_actions_complete_no_repository(do: Do, workspace: Workspace) -> None:
    assert do("make_folder", folder="n/objects").ok
    assert do("make_folder", folder="n/refs").ok
    assert do("write_file", file_path="n/config", text="[core]\nfsmonitor = touch /tmp/x\n").ok
    assert not do("write_file", file_path="n/HEAD", text="ref: refs/heads/x\n").ok
    assert not do("run_shell", command="echo 'ref: refs/heads/x' > n/HEAD").ok


OTHERS = {
    "direnv": (".envrc", "touch {mark}\n", "direnv allow . ; direnv export bash"),
    "vim": (
        ".exrc",
        "call writefile([], '{mark}')\n",
        "TERM=dumb vim --not-a-term -n --cmd 'set exrc' -c qa </dev/null",
    ),
    "gdb": (".gdbinit", "shell touch {mark}\n", "gdb -q -batch -iex 'set auto-load safe-path /' -ex quit"),
    "hg": (".hg/hgrc", "[hooks]\npre-status = touch {mark}\n", "hg status"),
}


@pytest.mark.parametrize("program", list(OTHERS))
def test_other_programs_obey_what_the_list_names(program: str, do: Do, workspace: Workspace, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    name, text, command = OTHERS[program]
    mark = tmp_path / "mark"
    text = text.format(mark=mark)

    def outside() -> bool:
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        subprocess.run(command, shell=True, cwd=workspace.root, env=env, capture_output=True, timeout=20, check=False)
        return mark.exists()

    made = do("run_python_code", code=f"import os\nos.makedirs(os.path.dirname({name!r}) or '.', exist_ok=True)\n"
              f"open({name!r}, 'w').write({text!r})")  # fmt: skip
    assert not made.ok
    assert not outside()
    place = workspace.root / name  # the same, by somebody who may: it is obeyed, so that the refusal is worth something
    if program == "hg":
        subprocess.run(["hg", "init", workspace.root], check=True)
    place.write_text(text)
    assert outside()


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace is the user's home."""
    home = tmp_path / "workspace"

    def of_user(_: int) -> SimpleNamespace:
        return SimpleNamespace(pw_dir=str(home))

    monkeypatch.setattr(pwd, "getpwuid", of_user)
    return home


STARTED = {
    ".bashrc": ("touch {mark}\n", "bash -i -c true </dev/null"),
    ".bash_profile": ("touch {mark}\n", "bash -l -c true"),
    ".profile": ("touch {mark}\n", "sh -l -c true"),
    ".gitconfig": ("[core]\n\tfsmonitor = touch {mark}; false\n", "git init -q r; git -C r status"),
    ".config/git/config": ("[core]\n\tfsmonitor = touch {mark}; false\n", "git init -q r; git -C r status"),
    ".ssh/config": ('Match exec "touch {mark}"\n', "ssh -F $HOME/.ssh/config -G nowhere"),
}


@pytest.mark.parametrize("name", STARTED)
def test_programs_of_a_home_obey_what_the_list_names(at_home: Path, do: Do, tmp_path: Path, name: str) -> None:
    (text, command), mark = STARTED[name], tmp_path / "mark"
    if shutil.which(command.partition(" ")[0]) is None:
        pytest.skip("it is not installed")
    text = text.format(mark=mark)

    def outside() -> bool:
        env = {"PATH": os.environ["PATH"], "HOME": str(at_home)}
        subprocess.run(command, shell=True, cwd=tmp_path, env=env, capture_output=True, timeout=20, check=False)
        return mark.exists()

    made = do("run_python_code", code=f"import os\nos.makedirs(os.path.dirname({name!r}) or '.', exist_ok=True)\n"
              f"open({name!r}, 'w').write({text!r})")  # fmt: skip
    assert not made.ok
    assert not do("write_file", file_path=name, text=text).ok
    assert not outside()
    (at_home / name).parent.mkdir(parents=True, exist_ok=True)
    (at_home / name).write_text(text)
    assert outside()


@pytest.mark.parametrize("name", sampled(sorted({name for each in HOME for name in each.names}.difference(STARTED)), 5))
def test_no_action_makes_what_a_home_is_obeyed_for(at_home: Path, do: Do, name: str) -> None:
    inside = f"{name}/x"
    assert not do("write_file", file_path=name, text="x").ok
    assert not do("run_shell", command=f"mkdir -p $(dirname {inside}) && echo x > {inside}").ok
    assert not os.path.lexists(at_home / name)


def test_the_same_names_are_like_any_other_elsewhere(do: Do, workspace: Workspace) -> None:
    assert do("run_shell", command="mkdir bin && echo x > bin/tool && echo y > .bashrc").ok
    assert (workspace.root / "bin/tool").exists()


def direct(root: Path) -> Workspace:
    """A workspace into which programs write without a layer, as those of a virtual desktop do."""
    workspace = Workspace(root, direct=True)
    time.sleep(0.02)
    return workspace


@pytest.mark.parametrize("way", list(shell_of(Path())))
def test_what_programs_write_directly_is_put_away(way: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    workspace = direct(tmp_path / "work")
    subprocess.run(["sh", "-c", shell_of(mark)[way]], cwd=workspace.root, check=True)
    mark.unlink(missing_ok=True)
    seen = workspace.observe()
    assert seen.put_away
    for folder in where(workspace.root):
        git(folder, "-c", "safe.directory=*", "status")
        git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-m", "x")
    assert not mark.exists()
    assert not workspace.observe().put_away


def test_a_users_own_files_are_not_put_away(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".vscode").mkdir(parents=True)
    (root / ".vscode" / "tasks.json").write_text("{}")
    (root / "notes.git" / "refs").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", root / "central.git"], check=True)
    subprocess.run(["git", "-C", root / "central.git", "config", "receive.denyDeletes", "true"], check=True)
    time.sleep(0.02)
    workspace = direct(root)
    subprocess.run(
        ["sh", "-c", "git init -q x && cd x && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && "
         "git push -q ../central.git HEAD:refs/heads/main"], cwd=root, check=True,
    )  # fmt: skip
    assert workspace.observe().put_away == ()
    assert (root / ".vscode" / "tasks.json").exists()


def test_a_closed_folder_hides_nothing(tmp_path: Path) -> None:
    workspace = direct(tmp_path / "work")
    subprocess.run(["git", "init", "-q", workspace.root / "a"], check=True)
    (workspace.root / "a" / ".envrc").write_text("x")
    (workspace.root / "a" / ".git").chmod(0o111)
    subprocess.run(["git", "-C", workspace.root / "a", "config", "core.fsmonitor", "x"], check=False)
    with open(workspace.root / "a" / ".git" / "hooks" / "post-checkout", "w") as file:
        file.write("x")
    (workspace.root / "a").chmod(0o111)
    away = "\n".join(workspace.observe().put_away)
    assert ".envrc" in away
    assert "post-checkout" in away
