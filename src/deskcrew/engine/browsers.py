"""The browser of a run: started or connected to, with its first page and the session that it keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from deskcrew.engine.request import RunRequest
from deskcrew.environments.environment import Browser, Desktop
from deskcrew.environments.proxy_port import ProxyPort
from deskcrew.errors import ActionError, UsageError, needing
from deskcrew.settings import Settings


def start(
    request: RunRequest,
    settings: Settings,
    workspace: Path,
    proxy: ProxyPort | None,
    opened: Desktop | None = None,
    hidden: Sequence[str] = (),
) -> Browser:
    """The requested browser, with its first page open. ``opened``: a browser that was lent, used instead; ``hidden``:
    workspace paths that a browser started here may not read. Blocking.

    Raises EnvironmentFailure if it cannot be started, UsageError if its page cannot be opened.
    """
    with needing("browser"):
        from deskcrew.environments.browser.browser import connect_browser, start_browser

    if isinstance(opened, Browser):
        browser = opened
    elif request.endpoint:
        browser = connect_browser(request.endpoint, workspace)
    else:
        kept = settings.data / "sessions" / f"{request.session}.json" if request.session else None
        browser = start_browser(
            workspace,
            size=request.screen,
            scale=request.scale,
            network=request.network,
            proxy=proxy,
            session=kept,
            hidden=hidden,
        )
    if request.url:
        try:
            browser.open_url(request.url)
        except ActionError as error:
            browser.close()
            raise UsageError(f"The page cannot be opened: {error}", hint=_mended(request.url)) from error
    return browser


def _mended(url: str) -> str:
    """A hint for a page that could not be opened: a file is opened from the run's own folder only."""
    file = Path(url).expanduser()
    if "://" not in url and len(url) < 1000 and file.is_file():
        return f"{url} is a file here, but the browser sees only the run's folder: --attach={url} --url={file.name}"
    return "Check --url: it is an address, or the name of a file given with --attach."


def hosts_of(url: str) -> tuple[str, ...]:
    """The host of the page that the user named, which the run may therefore reach; () for a file."""
    if url.startswith(("./", "../", "/", "~")):
        return ()
    parts = urlsplit(url if "://" in url else f"//{url}")
    if parts.scheme not in ("", "http", "https") or not parts.hostname or (not parts.scheme and "." not in parts.netloc):
        return ()
    return (parts.netloc.rpartition("@")[2],)
