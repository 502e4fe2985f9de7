"""Video and sound of files, with a real ffmpeg and a real recogniser where they are installed."""

from __future__ import annotations

import importlib.util
import io
import shutil
import subprocess
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from deskcrew.actions import media
from deskcrew.actions.action import Scene
from deskcrew.actions.media import FramesParams, SpeechParams
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments import ocr
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation

COLOURS = {"red": (254, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 254), "white": (255, 255, 255)}
ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")
sphinx = pytest.mark.skipif(importlib.util.find_spec("pocketsphinx") is None, reason="pocketsphinx is not installed")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    sandbox = Sandbox(tmp_path)
    yield Scene(Workspace(tmp_path), sandbox, None, Observation())
    sandbox.close()


def film(folder: Path) -> None:
    """A video of four seconds, each of one colour, with the colour's name in it."""
    pictures = folder / "pictures"
    pictures.mkdir()
    for number, (name, colour) in enumerate(COLOURS.items()):
        picture = Image.new("RGB", (320, 240), colour)
        ImageDraw.Draw(picture).text((40, 90), name.upper(), fill="black", font=ImageFont.load_default(50))
        picture.save(pictures / f"{number}.png")
    made = ["-framerate", "1", "-i", str(pictures / "%d.png"), "-c:v", "mjpeg", "-q:v", "2", str(folder / "a film.avi")]
    subprocess.run(["ffmpeg", "-loglevel", "error", *made], check=True)
    shutil.rmtree(pictures)


def colours(frames: list[media.VideoFrame]) -> list[str]:
    found: list[str] = []
    for frame in frames:
        pixel = frame.image.getpixel((5, 5))
        assert isinstance(pixel, tuple)
        found.append(min(COLOURS, key=lambda name: sum(abs(a - b) for a, b in zip(pixel, COLOURS[name], strict=True))))
    return found


@ffmpeg
def test_frames_are_told_and_shown_as_one_picture(tmp_path: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "available", lambda: False)  # which takes long to load
    film(tmp_path)
    params = FramesParams(file_path="a film.avi", count=4)
    told = media.video_frames(scene, params, None)
    assert told.ok
    assert told.reads == ("a film.avi",)
    assert "a film.avi: 4 s\nVideo: mjpeg" in told.text
    assert "Frames, row by row: 0 s, 1 s, 2 s, 3 s" in told.text
    wanted = media.asked(media.address(params.model_dump()))
    assert wanted == media.FrameRequest("a film.avi", 4, 0, 0)
    frames = media.frames_of(scene.workspace, scene.sandbox, wanted)
    assert colours(frames) == list(COLOURS)
    with Image.open(io.BytesIO(media.sheet(frames))) as sheet:
        assert sheet.size == (640, 2 * (240 + media.STRIP))
        assert sheet.getpixel((300, media.STRIP + 240 + 5)) == (255, 255, 255), "above the third frame its time stands"
    assert [path.name for path in tmp_path.iterdir()] == ["a film.avi"], "it reads only"


@ffmpeg
@pytest.mark.deep
@pytest.mark.skipif(not ocr.available(), reason="the extra ocr is not installed")
def test_what_is_written_in_frames_is_read(tmp_path: Path, scene: Scene) -> None:
    film(tmp_path)
    told = media.video_frames(scene, FramesParams(file_path="a film.avi", start=2, count=1), None)
    assert "Written at 2 s: BLUE" in told.text


@ffmpeg
def test_a_part_of_a_video_can_be_looked_at(tmp_path: Path, scene: Scene) -> None:
    film(tmp_path)
    frames = media.frames_of(scene.workspace, scene.sandbox, media.FrameRequest("a film.avi", 2, 1, 3))
    assert [(frame.at, colour) for frame, colour in zip(frames, colours(frames), strict=True)] == [(1, "green"), (2, "blue")]
    with pytest.raises(ActionError, match="has 4 s; there is nothing between 9 and 4"):
        media.frames_of(scene.workspace, scene.sandbox, media.FrameRequest("a film.avi", 2, 9, 0))


@ffmpeg
def test_what_is_no_video_and_what_leads_elsewhere_is_refused(tmp_path: Path, scene: Scene) -> None:
    film(tmp_path)
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    (tmp_path / "list.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na film.avi\n#EXT-X-ENDLIST\n")
    for name in ("notes.txt", "list.m3u8"):
        with pytest.raises(ActionError, match="neither video nor sound"):
            media.video_frames(scene, FramesParams(file_path=name), None)
    with pytest.raises(ActionError):
        media.video_frames(scene, FramesParams(file_path="../film.avi"), None)


def test_without_ffmpeg_it_is_said_what_to_install(tmp_path: Path, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "FFMPEG", "no-such-program")
    (tmp_path / "film.avi").write_bytes(b"RIFF")
    with pytest.raises(ActionError, match="apt install ffmpeg"):
        media.video_frames(scene, FramesParams(file_path="film.avi"), None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(ActionError, match="apt install ffmpeg"):
        media.transcribe_speech(scene, SpeechParams(file_path="film.avi"), None)


def test_without_a_recogniser_it_is_said_what_to_install(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ActionError, match=r'pip install "\.\[speech\]"'):
        media.transcribe_speech(scene, SpeechParams(file_path="talk.wav"), None)


@ffmpeg
@sphinx
def test_where_nobody_speaks_no_words_are_made_up(tmp_path: Path, scene: Scene) -> None:
    with wave.open(str(tmp_path / "quiet.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44_100)
        file.writeframes(bytes(4 * 44_100))
    told = media.transcribe_speech(scene, SpeechParams(file_path="quiet.wav"), None)
    assert told.text == "quiet.wav, 1.0 s from second 0 on, as far as it was recognised:\n(no words)"
    with pytest.raises(ActionError, match="no sound from second 5 on"):
        media.transcribe_speech(scene, SpeechParams(file_path="quiet.wav", start=5), None)


def test_an_ordinary_path_is_no_address_of_frames() -> None:
    assert media.asked("films/a #frames of it.png") is None
