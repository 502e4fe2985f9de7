"""The distributions as they are installed: what each wheel holds, and that the product works without the benchmarks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILT = {"deskcrew/commit.txt"}
"""Made by the build, where it has a repository."""
BUILD = [sys.executable, "-m", "hatchling", "build", "-d"]
FOLDERS = {"deskcrew": ROOT, "deskcrew_bench": ROOT / "bench", "deskcrew_windows_agent": ROOT / "windows-agent"}


def sources(package: str) -> set[str]:
    """The files of a package that are in the repository or would be, as a wheel names them."""
    source = FOLDERS[package] / "src"
    return {
        path.relative_to(source).as_posix()
        for path in (source / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All wheels, by package: what pip has built, without pip."""
    out = tmp_path_factory.mktemp("wheels")
    for folder in FOLDERS.values():
        subprocess.run([*BUILD, out, "-t", "wheel"], check=True, capture_output=True, cwd=folder)
    return {package: next(out.glob(f"{package}-[0-9]*.whl")) for package in FOLDERS}


@pytest.mark.parametrize("package", FOLDERS)
def test_a_wheel_holds_its_package_with_all_its_data_and_nothing_else(wheels: dict[str, Path], package: str) -> None:
    with zipfile.ZipFile(wheels[package]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    pages = (
        {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")} | {"docs/security.md"}
        if package == "deskcrew"
        else set[str]()
    )
    assert {name.removeprefix("deskcrew/") for name in held if name.startswith("deskcrew/docs/")} == pages
    assert {name for name in held - BUILT if not name.startswith("deskcrew/docs/")} == sources(package)


@pytest.mark.deep
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no repository")
def test_the_product_says_the_commit_that_was_built(wheels: dict[str, Path], tmp_path: Path) -> None:
    """Also where it was built from an sdist, beside which there is no repository."""
    head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    subprocess.run([*BUILD, tmp_path, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir())
    subprocess.run([*BUILD, tmp_path, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    for wheel in (wheels["deskcrew"], next(tmp_path.glob("*.whl"))):
        with zipfile.ZipFile(wheel) as built:
            assert built.read("deskcrew/commit.txt").decode() == head


def test_an_sdist_holds_nothing_of_the_windows_rig_that_is_under_another_licence(tmp_path: Path) -> None:
    assert (ROOT / "tools/windows-rig").is_dir()
    subprocess.run([*BUILD, tmp_path, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        names = sdist.getnames()
    assert any(name.endswith("/tools/lock.sh") for name in names)
    assert not any("/windows-rig" in name for name in names)


def test_the_benchmarks_want_the_product_of_the_same_version(wheels: dict[str, Path]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    with zipfile.ZipFile(wheels["deskcrew_bench"]) as wheel:
        about = message_from_bytes(wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))))
    assert about["Version"] == version
    assert f"deskcrew=={version}" in about.get_all("Requires-Dist", [])


PLAN = {"subtasks": [{"goal": "Write a", "role": "FileManager"}], "question": ""}
WRITES = {"function": "write_file", "file_path": "a.txt", "text": "a"}
DONE = {"operations": [WRITES], "branch": "RoleTaskFinish"}
START = "from deskcrew.ways_in.cli import main; main()"


def unpacked(wheel: Path, folder: Path, without: tuple[str, ...] = ()) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program with the product as a wheel has it, and the development environment's packages but ``without``."""
    site = folder / "site"
    with zipfile.ZipFile(wheel) as built:
        built.extractall(site)
    left_out = ("deskcrew", "_deskcrew", *without)  # its own two are brought in by .pth files and their metadata
    for entry in Path(next(path for path in sys.path if path.endswith("site-packages"))).iterdir():
        if not entry.name.startswith(left_out) and not entry.name.endswith(".pth"):
            (site / entry.name).symlink_to(entry)

    def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-S", "-P", "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {program}", *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=folder,
            env={**os.environ, "COLUMNS": "300", "DESKCREW_DATA": str(folder / "data")},
        )

    return python


OF_EXTRAS = (
    *("jeepney", "xcffib", "playwright"),
    *("dulwich", "docx", "httpx", "lxml", "openpyxl", "pptx", "pypdf", "tenacity"),
)


def test_without_extras_a_run_on_files_works_and_others_say_what_to_install(wheels: dict[str, Path], tmp_path: Path) -> None:
    python = unpacked(wheels["deskcrew"], tmp_path, OF_EXTRAS)
    (tmp_path / "replies.json").write_text(json.dumps([PLAN, DONE]))

    def run(desktop: str) -> subprocess.CompletedProcess[str]:
        of = ("run", "Nothing", "--model", "scripted:replies.json", "--crew", "planned", "--desktop", desktop)
        return python(START, *of)

    ended = run("none")
    assert "unverified" in ended.stdout, ended.stderr
    for desktop, extra in {"virtual": "desktop", "browser": "browser", "real": "desktop"}.items():
        refused = run(desktop)
        assert refused.returncode == 2, refused.stderr
        assert f'pip install ".[{extra}]"' in refused.stderr
    reads = "from pathlib import Path; from deskcrew.actions.readers import read; read(Path(sys.argv[1]))"
    for name, library in {"a.xlsx": "openpyxl", "a.docx": "docx", "a.pdf": "pypdf"}.items():
        (tmp_path / name).write_bytes(b"anything")
        refused = python(reads, name)
        assert f"{name} cannot be read here: {library} is not installed." in refused.stderr
        assert 'pip install ".[files]"' in refused.stderr
    demo = python(START, "demo")
    assert (demo.returncode, 'pip install ".[files]"' in demo.stderr) == (2, True), demo.stderr
    examined = python(START, "doctor").stdout
    assert "not installed: jeepney, playwright, xcffib" in examined


def test_the_product_alone_has_the_demo_and_says_where_the_benchmarks_are(wheels: dict[str, Path], tmp_path: Path) -> None:
    """Unpacked beside this environment's other packages, without what is installed for development."""
    python = unpacked(wheels["deskcrew"], tmp_path)
    demo = python(START, "demo", "--help")
    assert demo.returncode == 0, demo.stderr
    bench = python(START, "bench", "redteam")
    assert bench.returncode == 2, bench.stderr
    assert "deskcrew-bench, which is not installed" in bench.stderr
    made = python(
        "from pathlib import Path; from deskcrew.ways_in.demo import chore; from deskcrew.models.recorded import replies_in;"
        "chore.RECORDED.put(Path(sys.argv[1])); print(len(replies_in(chore.REPLIES)))",
        str(tmp_path),
    )
    assert made.stdout == "6\n", made.stderr
    assert (tmp_path / "mileage.html").is_file()
