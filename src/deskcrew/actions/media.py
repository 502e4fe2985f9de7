"""Video and sound files: their frames, and the speech in them. Reads only.

Files may come from anywhere: ffmpeg reads them in the sandbox, without network and without following references, and its
result comes back through its output. Frames are shown to vision models as one picture; text in them is recognized as well.
"""

from __future__ import annotations

import base64
import binascii
import importlib.util
import io
import math
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from PIL import Image, ImageDraw
from pydantic import Field

from deskcrew.actions.action import Action, Params, Result, Scene
from deskcrew.actions.asked import Asked
from deskcrew.actions.params import Brief, OneOf
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments import ocr
from deskcrew.environments.pictures import LONGEST_SIDE
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, extra_installed
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Control
from deskcrew.facts.system_packages import install

FFMPEG = "ffmpeg"
WITHOUT = "Video and sound cannot be read: ffmpeg is not installed. The user can:"
SPEECHLESS = f"Recognising speech is not installed here. The user can install it. {extra_installed('speech')}"
FORMATS = "aac,aiff,asf,avi,flac,flv,gif,matroska,mov,mp3,mpeg,mpegts,ogg,wav,webm_dash_manifest"
"""Demuxers that may read a file: none of them follows references to other files, as playlists do."""
MOST_FRAMES = 12
WIDTH = 960
"""The width in pixels to which wider frames are scaled down before they are read."""
STRIP = 16
"""The height in pixels of the strip above a frame, in which its time is written."""
WRITTEN = 300
"""Maximum number of characters reported of one frame's text."""
READING = 20.0
"""Total seconds after which no further frame is searched for text."""
LONGEST_SPEECH = 120
OUTPUT = 48 << 20
"""The maximum size of ffmpeg's output as base64: a dozen frames, or two minutes of sound."""
LONGEST_STREAM = 200
"""Maximum characters of a stream's description."""
RATE = 16_000
"""Samples a second for speech recognition."""
_ADDRESS = re.compile(r"(?P<path>.+)#frames=(?P<count>[0-9]+)&t=(?P<start>[0-9.]+),(?P<end>[0-9.]+)", re.DOTALL)
_INPUT = ("-hide_banner", "-nostdin", "-protocol_whitelist", "file,pipe", "-format_whitelist", FORMATS)


class FramesParams(Params):
    file_path: Annotated[str, OneOf("files"), Brief(200)] = Field(min_length=1, description="A video file of the workspace.")
    start: float = Field(0, ge=0, allow_inf_nan=False, description="Second of the first frame.")
    end: float = Field(0, ge=0, allow_inf_nan=False, description="Second before which the last one lies; 0 is its end.")
    count: int = Field(6, ge=1, le=MOST_FRAMES, description="How many frames, evenly spaced.")


class SpeechParams(Params):
    file_path: Annotated[str, OneOf("files"), Brief(200)] = Field(min_length=1, description="A video or sound file.")
    start: float = Field(0, ge=0, allow_inf_nan=False, description="Second at which to begin.")
    seconds: int = Field(60, ge=1, le=LONGEST_SPEECH, description="How many seconds to listen to.")


class FrameRequest(NamedTuple):
    """A request for frames of a file. ``end``: in seconds, 0 for the file's end."""

    path: str
    number: int
    start: float
    end: float

    @property
    def words(self) -> str:
        """The caption above the frames' picture in a prompt."""
        until = f" to {_time(self.end)}" if self.end else " on"
        return f"{self.number} frames of {self.path}, from {_time(self.start)}{until}:"


class VideoFrame(NamedTuple):
    """A frame of a video. ``at``: its second in the file."""

    at: float
    image: Image.Image


class Shape(NamedTuple):
    """The form of a video or sound. ``seconds``: its length; ``told``: ffmpeg's description of its streams, one per line."""

    seconds: float
    told: tuple[str, ...]


def video_frames(scene: Scene, params: FramesParams, control: Control | None) -> Result:
    """Look at frames of a video file: they are shown as one picture, and the text in them is read."""
    wanted = FrameRequest(params.file_path, params.count, params.start, params.end)
    shape = _shape(scene.workspace, scene.sandbox, params.file_path)
    frames = frames_of(scene.workspace, scene.sandbox, wanted, shape)
    name = scene.workspace.relative(scene.workspace.resolve(params.file_path))
    lines = [
        f"{name}: {shape.seconds:g} s",
        *shape.told,
        f"Frames, row by row: {', '.join(_time(each.at) for each in frames)}",
    ]
    until = time.monotonic() + READING
    for frame in frames if ocr.available() else ():
        if (left := until - time.monotonic()) <= 0:
            lines.append("There was no time to read the text of more frames.")
            break
        text = " / ".join(ocr.in_rows(ocr.read_text(frame.image, seconds=left)))
        lines += [f"Written at {_time(frame.at)}: {shorten(text, WRITTEN)}"] if text else []
    return Result(ok=True, text="\n".join(lines), reads=(name,))


def transcribe_speech(scene: Scene, params: SpeechParams, control: Control | None) -> Result:
    """Recognise English speech in a video or sound file, roughly: gives what is said, with its times."""
    if not recognises_speech():
        raise ActionError(SPEECHLESS)
    name, path = _inside(scene.workspace, params.file_path)
    cut = ("-ss", f"{params.start:g}", "-t", str(params.seconds), *_input(path))
    (sound,) = _made(scene.sandbox, [(*cut, "-vn", "-ac", "1", "-ar", str(RATE), "-f", "s16le")], path)
    if not sound:
        raise ActionError(f"{name} has no sound from second {params.start:g} on.")
    lines = [f"{_time(params.start + begins)}: {words}" for begins, words in _spoken(sound) if words]
    heard = min(params.seconds, len(sound) / 2 / RATE)
    note = f"{name}, {heard:.1f} s from second {params.start:g} on, as far as it was recognised:"
    return Result(ok=True, text="\n".join((note, *(lines or ("(no words)",)))), reads=(name,))


def recognises_speech() -> bool:
    """Whether the library of the extra ``speech`` is installed."""
    return importlib.util.find_spec("pocketsphinx") is not None


def _spoken(sound: bytes) -> list[tuple[float, str]]:
    """The speech in 16-bit samples: the second at which each piece begins, and its words."""
    sphinx: Any = importlib.import_module("pocketsphinx")
    decoder = sphinx.Decoder(samprate=RATE, loglevel="FATAL")
    found: list[tuple[float, str]] = []
    for piece in sphinx.Segmenter(sample_rate=RATE).segment(io.BytesIO(sound)):
        decoder.start_utt()
        decoder.process_raw(piece.pcm, full_utt=True)
        decoder.end_utt()
        words = decoder.hyp()
        found.append((float(piece.start_time), words.hypstr if words is not None else ""))
    return found


def address(params: Mapping[str, Any]) -> str:
    """The address of the picture with the frames that these parameters request."""
    wanted = FramesParams.model_validate(params)
    return f"{wanted.file_path}#frames={wanted.count}&t={wanted.start:g},{wanted.end:g}"


def asked(address: str) -> FrameRequest | None:
    """The frames that a picture's address stands for; None if it is the address of a file."""
    match = _ADDRESS.fullmatch(address)
    return FrameRequest(match["path"], int(match["count"]), float(match["start"]), float(match["end"])) if match else None


def frames_of(workspace: Workspace, sandbox: Sandbox, wanted: FrameRequest, shape: Shape | None = None) -> list[VideoFrame]:
    """Frames of a video, evenly spaced from ``start`` on. Raises ActionError, worded for the model."""
    name, path = _inside(workspace, wanted.path)
    shape = shape or _shape(workspace, sandbox, wanted.path)
    end = min(wanted.end or shape.seconds, shape.seconds)
    if wanted.start >= end and shape.seconds:
        raise ActionError(f"{name} has {shape.seconds:g} s; there is nothing between {wanted.start:g} and {end:g}.")
    times = [round(wanted.start + at * (end - wanted.start) / wanted.number, 2) for at in range(wanted.number)]
    one = ("-frames:v", "1", "-vf", f"scale='min({WIDTH},iw)':-2", "-f", "image2pipe", "-c:v", "png")
    jobs = [("-ss", f"{at:g}", *_input(path), *one) for at in times]
    made = zip(times, _made(sandbox, jobs, path), strict=True)
    frames = [VideoFrame(at, Image.open(io.BytesIO(data)).convert("RGB")) for at, data in made if data]
    if not frames:
        raise ActionError(f"{name} has no frames there.")
    return frames


def picture(workspace: Workspace, sandbox: Sandbox, address: str) -> bytes:
    """The frames that a picture's address stands for, as one PNG; b'' if it is the address of a file. Raises ActionError."""
    wanted = asked(address)
    return sheet(frames_of(workspace, sandbox, wanted)) if wanted is not None else b""


def sheet(frames: Sequence[VideoFrame]) -> bytes:
    """Frames as one PNG: row by row, each below its time."""
    columns = math.ceil(math.sqrt(len(frames)))
    width = min(LONGEST_SIDE // columns, max(frame.image.width for frame in frames))
    height = max(1, max(round(frame.image.height * width / frame.image.width) for frame in frames))
    picture = Image.new("RGB", (columns * width, math.ceil(len(frames) / columns) * (height + STRIP)), "white")
    draw = ImageDraw.Draw(picture)
    for number, frame in enumerate(frames):
        left, top = number % columns * width, number // columns * (height + STRIP)
        draw.text((left + 2, top + 2), _time(frame.at), fill="black")
        image = frame.image.resize((width, max(1, round(frame.image.height * width / frame.image.width))))
        picture.paste(image, (left, top + STRIP))
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()


def _time(seconds: float) -> str:
    return f"{seconds:g} s"


def _inside(workspace: Workspace, path: str) -> tuple[str, str]:
    """A file's name, and its path for a program in the workspace. Raises ActionError if it is missing or a folder."""
    real = workspace.resolve(path, must_exist=True)
    name = workspace.relative(real)
    if real.is_dir():
        raise ActionError(f"{name} is a folder; name a file.")
    return name, f"file:./{name}"


def _input(path: str) -> tuple[str, ...]:
    return (*_INPUT, "-i", path)


def _shape(workspace: Workspace, sandbox: Sandbox, file: str) -> Shape:
    """The length and streams of a file. Raises ActionError if it is neither video nor sound."""
    name, path = _inside(workspace, file)
    # Without an output it says what there is, and fails.
    with sandbox.layer() as layer:
        told = sandbox.run(["/bin/sh", "-c", 'exec "$@"', "sh", FFMPEG, *_input(path)], network=False, layer=layer)
    if told.exit_code == 127:
        raise ActionError(f"{WITHOUT} {install('ffmpeg')}")
    lines = [line.strip() for line in told.stderr.splitlines()]
    parts = [line.partition(": ")[2][:LONGEST_STREAM] for line in lines if line.startswith("Stream #")]
    streams = [part for part in parts if part.startswith(("Video: ", "Audio: "))]
    duration = next(
        (line.removeprefix("Duration: ").partition(",")[0] for line in lines if line.startswith("Duration: ")), ""
    )
    if not streams:
        raise ActionError(f"{name} is neither video nor sound that can be read.")
    times = duration.split(":") if duration[:1].isdecimal() else ["0", "0", "0"]  # of a stream it is N/A
    hours, minutes, seconds = map(float, times)
    return Shape(round(hours * 3600 + minutes * 60 + seconds, 2), tuple(streams))


def _made(sandbox: Sandbox, jobs: Sequence[Sequence[str]], path: str) -> list[bytes]:
    """The output of ffmpeg for each of these argument lists; b'' if there is none. Raises ActionError."""
    script = "\n".join(f"{shlex.join((FFMPEG, '-loglevel', 'error', *words, '-'))} | base64 -w0; echo" for words in jobs)
    limits = replace(sandbox.limits, output=OUTPUT)
    # What it might write anywhere is dropped with the layer.
    with sandbox.layer() as layer:
        done = sandbox.run(["/bin/sh", "-c", script], network=False, limits=limits, layer=layer)
    if done.killed_by or done.truncated:
        raise ActionError(f"{path.rpartition('/')[2]} takes too long, or too much room; ask for less of it at once.")
    if not done.stdout.strip() and f"{FFMPEG}: " in done.stderr and "not found" in done.stderr:
        raise ActionError(f"{WITHOUT} {install('ffmpeg')}")
    try:
        return [base64.b64decode(line, validate=True) for line in done.stdout.splitlines()]
    except binascii.Error as error:
        raise ActionError("ffmpeg was interrupted.") from error


def _stretch(asked: Asked, until: str) -> str:
    """The part of a video or sound file, in words: from which second, and up to which one or for how many."""
    start, last = asked.raw("start"), asked.raw(until)
    begins = f" from second {start}" if start not in ("", "0", "0.0") else ""
    if last in ("", "0", "0.0"):
        return begins
    return f"{begins} to second {last}" if until == "end" else f"{begins}, {last} seconds"


VIDEO_FRAMES = Action(
    "video_frames", FramesParams, video_frames, "read", "none", "workspace", group="",
    gives="content", worded=lambda asked: f"Look at frames of {asked.line('file_path')}{_stretch(asked, 'end')}",
)  # fmt: skip
TRANSCRIBE_SPEECH = Action(
    "transcribe_speech", SpeechParams, transcribe_speech, "read", "none", "workspace", group="",
    gives="content", worded=lambda asked: f"Listen to {asked.line('file_path')}{_stretch(asked, 'seconds')}",
)  # fmt: skip
ACTIONS = (VIDEO_FRAMES, TRANSCRIBE_SPEECH)
WATCHING = frozenset(action.name for action in ACTIONS)
"""Actions that find out what a video or a recording shows and says."""
