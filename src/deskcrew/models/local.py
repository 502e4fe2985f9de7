"""The embedded model: llama.cpp in a separate process that all runs of one user share.

Requests go through the same adapter as those to any other server; this module only finds or starts the server, holds a
lease on it, and restarts it once if it has died.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib import metadata, util
from pathlib import Path

import anyio
import platformdirs
import psutil
from filelock import FileLock, Timeout

from deskcrew.errors import ModelFailure, extra_installed
from deskcrew.facts.liveness import private
from deskcrew.models.client import Answer, Call, Model, Profile, T
from deskcrew.models.options import ModelOptions
from deskcrew.models.profiles import Facts
from deskcrew.models.reference import Reference
from deskcrew.models.server import ServerConfig, ServerFiles, ServerLease, ServerRecord, read_record
from deskcrew.models.store import WeightStore

CACHE_MIB = 1024
"""Host memory for the prompts of roles that are not being served. Qwen 1.5B needs 28 KiB a token."""

LOADING_TIMEOUT = 300.0
POLL = 0.05


class LocalModel:
    """A model served by llama.cpp on this machine. The server starts, or is found, at the first answer."""

    def __init__(
        self, name: str, config: ServerConfig, facts: Facts, *, on_loading: Callable[[float, int], None] | None = None
    ) -> None:
        """``config``: for starting a server if none is running. ``on_loading``: see ``factory.create``."""
        self._name = name
        self._config = config
        self._facts = facts
        self._on_loading = on_loading
        self._lease: ServerLease | None = None
        self._client: Model | None = None
        self._record: ServerRecord | None = None
        self._starting = anyio.Lock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> Profile:
        return self._facts.profile

    @property
    def record(self) -> ServerRecord | None:
        """The server in use; None before the first answer and after :meth:`close`."""
        return self._record

    @property
    def files(self) -> ServerFiles:
        """The files with the server's record, lease and log."""
        return self._config.files

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask once; if the server has died, restart it once. ``call.deadline`` limits the reply; loading may take as long
        again, because otherwise a slow start would leave too little time for the reply.

        Raises ModelFailure if the server does not start, dies twice, or gives no answer in time.
        """
        started = anyio.current_time()
        await self._load(call.deadline)
        try:
            return await self._ask(call, type, started, 0)
        except ModelFailure:
            if self._alive():
                raise
        await self._disconnect()
        await self._load(call.deadline)
        try:
            return await self._ask(call, type, started, 1)
        except ModelFailure as error:
            if self._alive():
                raise
            raise ModelFailure(
                f"{self._name}: its server died twice ({_tail(self._config.files.log)})",
                hint="Often memory ran out: use a smaller model or less context.",
            ) from error

    async def _load(self, seconds: float) -> None:
        """Like :meth:`start`, but raises ModelFailure if it takes longer than ``seconds``."""
        try:
            with anyio.fail_after(seconds):
                await self.start()
        except TimeoutError as error:
            raise ModelFailure(
                f"{self._name} was not loaded within {seconds:.3g} s, its limit for a call.",
                hint="Allow a call more time: `seconds` of the model's profile, in models.toml.",
            ) from error

    async def start(self) -> None:
        """Find or start the server and hold a lease on it. Does nothing if it is already in use."""
        async with self._starting:
            if self._client is not None:
                return
            record = await self._find_or_start()
            try:
                from deskcrew.models.pydantic_ai import ApiKey, Repeats, connect

                reference = Reference("server", self._config.name, record.url + "/v1")
                self._client = connect(
                    self._name,
                    reference,
                    facts=self._facts,
                    key=ApiKey(record.api_key),
                    repeats=Repeats(0),
                    extra_body={"cache_prompt": True},
                )
            except ImportError as error:
                raise _extra_missing(error.name or str(error)) from error
            self._record = record

    async def close(self) -> None:
        """Release the lease; the server later ends by itself."""
        await self._disconnect()
        if self._lease is not None:
            self._lease.release()
            self._lease = None

    async def _ask(self, call: Call, type: type[T], started: float, retries: int) -> Answer[T]:
        assert self._client is not None
        answer = await self._client.answer(call, type)
        # Computing at home has no price; that is known, so it is 0 and not unknown.
        usage = answer.usage.model_copy(update={"cost": 0.0})
        return replace(answer, usage=usage, retries=retries, model=self._config.name, seconds=anyio.current_time() - started)

    def _alive(self) -> bool:
        return self._record is not None and self._record.process() is not None

    async def _disconnect(self) -> None:
        client, self._client, self._record = self._client, None, None
        if client is not None:
            await client.close()

    async def _find_or_start(self) -> ServerRecord:
        """Find or start the server, under the lock that ending it also takes, so that there is never a second server."""
        files = self._config.files
        lock = FileLock(files.lock, mode=0o600)
        while True:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                # Another process is starting the server; it will be found.
                await anyio.sleep(POLL)
        try:
            if self._lease is None:
                self._lease = ServerLease(files)
            return read_record(files) or await self._spawn()
        finally:
            lock.release()

    async def _spawn(self) -> ServerRecord:
        files = self._config.files
        files.record.unlink(missing_ok=True)
        # -P: no module of the folder a user happens to be in is imported.
        command = [sys.executable, "-P", "-m", "deskcrew.models.server"]
        started = await anyio.run_process(command, input=self._config.model_dump_json().encode(), check=False)
        if started.returncode != 0 or not started.stdout.strip().isdigit():
            raise ModelFailure(f"{self._name}: its server did not start: {started.stderr.decode()[-300:].strip()}")
        pid = int(started.stdout)
        try:
            return await self._loaded(pid)
        except BaseException:
            # Cancelled or failed while loading: nobody knows that process, so it would only hold memory.
            _end(pid)
            raise

    async def _loaded(self, pid: int) -> ServerRecord:
        size, come = self._config.weights.stat().st_size, 0.0
        with anyio.move_on_after(LOADING_TIMEOUT):
            while True:
                if record := read_record(self._config.files):
                    self._tell(1.0, size)
                    return record
                try:
                    process = psutil.Process(pid)
                    if process.status() == psutil.STATUS_ZOMBIE:
                        break
                    # The weights are mapped into memory, so what is resident says how far loading has come, unless the
                    # system takes some of it back.
                    come = max(come, min(0.99, process.memory_info().rss / size))
                    self._tell(come, size)
                except psutil.NoSuchProcess:
                    break
                await anyio.sleep(POLL)
        raise ModelFailure(
            f"{self._name}: its server ended while loading: {_tail(self._config.files.log)}",
            hint="Check free memory, and the weights with `deskcrew models pull`.",
        )

    def _tell(self, fraction: float, size: int) -> None:
        if self._on_loading is not None:
            self._on_loading(fraction, size)


def local_model(
    name: str,
    weights: str,
    *,
    facts: Facts,
    options: ModelOptions,
    on_loading: Callable[[float, int], None] | None = None,
) -> LocalModel:
    """The local model for ``weights``: '' for the default, a name in the catalogue, or the path of a GGUF file.

    Raises ModelFailure if the ``local`` extra or the weights are missing, UsageError if the name is unknown.
    """
    for module in ("xllamacpp", "pydantic_ai"):
        if util.find_spec(module) is None:
            raise _extra_missing(module)
    path, identity = weights_of(weights, WeightStore(options.store_folder))
    profile = facts.profile
    if options.context is not None:
        profile = profile.model_copy(update={"context": options.context})
    settings = {
        "weights": identity,
        "context": profile.context,
        "threads": options.threads,
        "cache_mib": CACHE_MIB,
        "idle_seconds": options.idle_seconds,
        "engine": metadata.version("xllamacpp"),
    }
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    config = ServerConfig(
        weights=path,
        name=path.stem,
        api_key=secrets.token_urlsafe(32),
        context=profile.context,
        threads=options.threads,
        cache_mib=CACHE_MIB,
        idle_seconds=options.idle_seconds,
        files=ServerFiles(folder=runtime_folder(options.runtime_folder), key=digest[:16]),
    )
    return LocalModel(name, config, facts.model_copy(update={"profile": profile}), on_loading=on_loading)


def runtime_folder(folder: Path | None) -> Path:
    """The folder for records, locks and leases, created if missing. Raises ModelFailure if somebody else can enter it."""
    if folder is None:
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR it is in the temporary folder, which is checked below.
            warnings.simplefilter("ignore")
            folder = Path(platformdirs.user_runtime_dir("deskcrew")) / "models"
    if not private(folder):
        raise ModelFailure(f"{folder} is not a folder of yours", hint="Remove it, or set another runtime folder.")
    return folder


def weights_of(name: str, store: WeightStore) -> tuple[Path, str]:
    """The file of the weights, and a key for its content: the verified hash, or for a user's own file its path, size and
    modification time."""
    if name.endswith(".gguf"):
        path = Path(name).expanduser().absolute()
        if not path.is_file():
            raise ModelFailure(f"There is no file {path}", hint="Give the path of a GGUF file.")
        facts = path.stat()
        return path, f"{path} {facts.st_size} {facts.st_mtime_ns}"
    entry = store.entry(name)
    path = store.path(entry.name)
    if path is None and (here := store.arriving(entry.name)) is not None:
        told = f"The local model is still being fetched: {here // 10**6:,} of {entry.size // 10**6:,} MB are here"
        raise ModelFailure(told, hint="Try again once it is here; `deskcrew models pull` shows when.")
    if path is None:
        raise ModelFailure(
            f"The weights of {entry.name} have not been downloaded ({entry.size / 1e9:.1f} GB)",
            hint=f"Download them: deskcrew models pull {entry.name}",
        )
    return path, entry.sha256


def _extra_missing(module: str) -> ModelFailure:
    return ModelFailure(
        f"The local model needs a library that is not installed ({module})",
        hint=extra_installed("local"),
    )


def _end(pid: int) -> None:
    try:
        psutil.Process(pid).kill()
    except psutil.NoSuchProcess:
        return


def _tail(log: Path) -> str:
    """The last meaningful line of the server's log."""
    try:
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        lines = []
    return lines[-1][-200:] if lines else "it left no message"
