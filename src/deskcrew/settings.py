"""Settings: defaults, then the user's TOML file, then ``DESKCREW_*`` variables, then flags; later ones take precedence.

Nothing is read at import: the code that starts a run creates a :class:`Settings` and passes it on.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from deskcrew.errors import ConfigError
from deskcrew.facts.json_values import is_object
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.quotes import unquoted
from deskcrew.facts.unfit import fault

PEOPLE = "people"
"""A folder in the data folder, with a subfolder for each of several people."""
LONGEST_PERSON = 200
"""The maximum length of a person's name in characters."""
_PLAIN = frozenset(ascii_lowercase + digits)
PREFIX = "DESKCREW_"
NEAR = 0.75
"""The similarity, from 0 to 1, from which a name counts as misspelt rather than as another name."""
_LISTED = "There are: {}."
LARGEST_INTEGER = 2**53 - 1
"""The largest integer that JSON represents exactly everywhere, and so the largest in an event."""

Count = Annotated[int, Field(le=LARGEST_INTEGER)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


def is_person(name: str) -> bool:
    """Whether a text is a valid person's name: printable, without spaces around it, and not too long."""
    return 0 < len(name) <= LONGEST_PERSON and name.isprintable() and name == name.strip()


class _UnknownLimit(ValueError):
    """There is no limit called ``name``."""

    def __init__(self, name: str, there: list[str]) -> None:
        meant = did_you_mean(name, there)
        super().__init__(f"there is no limit {name!r}.{meant} {_LISTED.format(', '.join(there)).removesuffix('.')}")
        self.name = name


class Limits(BaseModel):
    """Limits of a run. Reaching one ends the run as ``failed(bound:NAME)`` (A6, C40)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    replies: Count = Field(
        title="Replies of one role", default=200, ge=1, description="replies per role per run; one more is refused"
    )
    operations: Count | None = Field(
        title="Operations of a run", default=None, ge=1, description="executed operations per run"
    )
    stalls: Count = Field(
        title="Steps without progress before it stops",
        default=12,
        ge=1,
        description="decisions in a row that changed nothing and found out nothing new",
    )
    repairs: Count = Field(title="Repairs of one subtask", default=3, ge=0, description="repairs per subtask")
    reassignments: Count = Field(
        title="Other roles tried for one subtask", default=3, ge=0, description="reassignments per subtask"
    )
    appeals: Count = Field(
        title="Other plans asked for by one subtask", default=3, ge=0, description="requests for another plan per subtask"
    )
    replans: Count = Field(title="New plans in a run", default=3, ge=0, description="replans per run")
    rounds: Count | None = Field(
        title="Rounds of work and judgement",
        default=None,
        ge=1,
        description="rounds per run: a subtask carried out and judged is one",
    )
    format_retries: Count = Field(
        title="Replies in a wrong form before it stops",
        default=3,
        ge=0,
        description="malformed replies in a row that are asked again",
    )
    repeats: Count = Field(
        title="Tries of the same operation",
        default=3,
        ge=1,
        description="times the same operation may be tried on an unchanged screen",
    )
    tokens: Count | None = Field(title="Tokens of a run", default=None, ge=1, description="prompt and reply tokens per run")
    seconds: Finite | None = Field(title="Seconds of a run", default=None, gt=0, description="wall time per run")
    money: Finite | None = Field(
        title="US dollars of a run", default=None, gt=0, description="US dollars per run; needs a model whose price is known"
    )

    @classmethod
    def taken(cls, name: str) -> str:
        """The valid values of a limit other than none, in words."""
        if name in ("seconds", "money"):
            return "a number above 0"
        least = next((bound.ge for bound in cls.model_fields[name].metadata if hasattr(bound, "ge")), 0)
        return f"a whole number from {least} to {LARGEST_INTEGER}"

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: object) -> object:
        """Reject an unknown name with a list of all names, because limits are also created in Python."""
        if not is_object(given):
            return given
        unknown = next((name for name in map(str, given) if name not in cls.model_fields), None)
        if unknown is None:
            return given
        raise _UnknownLimit(unknown, list(cls.model_fields))


class DesktopBounds(BaseModel):
    """Limits for all programs of one virtual desktop together. A Calc, a Writer and a Chromium with a page take 101
    processes and threads, and 0.43 GiB."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    processes: int = Field(default=2000, ge=100, description="processes and threads of one virtual desktop")
    memory: int = Field(default=4 << 30, ge=512 << 20, description="bytes of memory, temporary files among them")
    file: int = Field(default=8 << 30, ge=1 << 20, description="bytes of each file that its programs write")


class DeskCounts(BaseModel):
    """How many browsers or virtual desktops the lanes of one run may have, including the run's own. A browser with a simple
    page takes 0.3 GiB of memory; a virtual desktop takes what its programs need, up to its limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    browsers: int = Field(default=3, ge=1, le=8, description="browsers of one run with lanes; 1: lanes take turns in it")
    virtual: int = Field(default=2, ge=1, le=8, description="virtual desktops of one run with lanes")


class SearchSettings(BaseModel):
    """The web search service. Its key is not a setting: see ``environments/search/factory.py``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Literal["none", "searxng", "brave", "tavily"] = Field(default="none", description="the service to use")
    address: str = Field(
        default="", description="address of your SearXNG; of another service only if it is not the provider's own"
    )

    @field_validator("address")
    @classmethod
    def _of_a_server(cls, value: str) -> str:
        """Reject an address that is malformed or contains credentials, since journals and prompts show it."""
        address = value.strip().rstrip("/")
        if not address:
            return ""
        wrong = "it is not the address of a server; write it as http://127.0.0.1:8888 or https://search.example.org"
        try:
            parts = urlsplit(address)
            whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError as error:
            raise ValueError(wrong) from error
        if parts.username or parts.password:
            raise ValueError("an address must contain no user name and no password")
        if not whole or parts.query or parts.fragment or not address.isprintable() or " " in address:
            raise ValueError(wrong)
        return address

    @model_validator(mode="after")
    def _fits(self) -> SearchSettings:
        if self.provider == "searxng" and not self.address:
            raise ValueError("searxng needs the address of your instance, e.g. http://127.0.0.1:8888")
        return self


Coordinates = Literal["pixels", "thousandths", "fractions"]
"""The units of a grounding model's points: pixels of the picture, or its width and height from 0 to 1000, or from 0 to 1."""


class GroundingSettings(BaseModel):
    """The model that finds what words describe in a picture. Its key is not a setting: see ``models/grounding.py``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(default="", description="an OpenAI-compatible server, http://127.0.0.1:8000/v1#ui-tars; '' is none")
    coordinates: Coordinates = Field(default="pixels", description="the unit of its points")


class TracingSettings(BaseModel):
    """Where OpenTelemetry traces of runs are sent. The key is not a setting: see ``journal/tracing.py``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str = Field(default="", description="an OTLP/HTTP receiver, http://127.0.0.1:4318; '' sends nothing")
    headers: dict[str, str] = Field(
        default_factory=dict[str, str], description="sent with each request, for a receiver that needs a key"
    )


class NotifySettings(BaseModel):
    """How to notify about the end of scheduled runs (``deskcrew every``) and, with ``runs``, about all runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runs: bool = Field(
        title="Notify of every run",
        default=False,
        description="also of any other run, when it asks a person and when it has ended",
    )
    desktop: bool = Field(
        title="Notify on this desktop", default=True, description="a notification of the desktop session, where there is one"
    )
    webhook: str = Field(default="", description="an address to which a small JSON object is sent; '' is none")
    ntfy: str = Field(
        default="", description="a topic of ntfy or a compatible server, https://ntfy.example.org/topic; '' is none"
    )
    secret: str = Field(
        default="", description="name of a secret to send as a bearer token; it must be bound to the server's host"
    )

    @field_validator("webhook", "ntfy")
    @classmethod
    def _of_a_server(cls, value: str) -> str:
        parts = urlsplit(value.strip())
        if value.strip() and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("it is not an address; write it as https://hooks.example.org/deskcrew")
        if parts.username or parts.password:
            raise ValueError("an address must contain no user name and no password; name a secret")
        return value.strip()


class MemorySettings(BaseModel):
    """Long-term memory of runs that the command line or the web app starts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: Literal["on", "read", "off"] = Field(
        default="on", description="read: nothing is kept; off: nothing is recalled either"
    )
    scope: Literal["user", "workspace"] = Field(default="user", description="where the lessons of a run apply")
    embedder: Literal["embedded", "endpoint", "none"] = Field(
        default="embedded", description="what compares meanings; none: only words are compared"
    )
    address: str = Field(
        default="", description="an endpoint's address, without /embeddings, e.g. http://127.0.0.1:11434/v1"
    )
    model: str = Field(default="", description="name of an endpoint's model")
    alike: Finite = Field(
        default=0.5, ge=-1, le=1, description="cosine from which texts count as alike for an endpoint's model"
    )

    @model_validator(mode="after")
    def _fits(self) -> MemorySettings:
        if self.embedder == "endpoint" and not (self.address and self.model):
            raise ValueError("an endpoint needs its address and the name of a model")
        return self


class WebSettings(BaseModel):
    """How ``deskcrew serve`` tells people apart if a reverse proxy signs them in (``ways_in/web/people.py``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    identity_header: str = Field(default="", description="header in which the proxy names the person; '': one person")
    trusted_proxies: tuple[str, ...] = Field(default=(), description="addresses or networks that the proxy connects from")

    @field_validator("identity_header")
    @classmethod
    def _of_a_header(cls, value: str) -> str:
        name = value.strip().lower()
        if not (_PLAIN | {"-"}).issuperset(name):
            raise ValueError("it is not the name of a header; write it as X-Forwarded-User")
        return name

    @field_validator("trusted_proxies")
    @classmethod
    def _of_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            try:
                ip_network(each)
            except ValueError as error:
                raise ValueError(f"{each!r} is not an address or network; write it as 10.0.0.2 or 10.0.0.0/24") from error
        return value

    @model_validator(mode="after")
    def _fits(self) -> WebSettings:
        if self.identity_header and not self.trusted_proxies:
            raise ValueError("identity_header needs trusted_proxies: others could send that header, too")
        return self


class Price(BaseModel):
    """The price of a model, in US dollars per million tokens. ``cached``: for prompt tokens from the provider's cache, None
    for the price of other prompt tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Finite = Field(ge=0, description="per million prompt tokens")
    output: Finite = Field(ge=0, description="per million reply tokens")
    cached: Finite | None = Field(default=None, ge=0, description="per million prompt tokens that came from a cache")


def settings_file() -> Path:
    """The path of the user's settings file, which need not exist: in the folder that ``DESKCREW_CONFIG`` names, if any."""
    named = os.environ.get(f"{PREFIX}CONFIG")
    return (Path(named) if named else platformdirs.user_config_path("deskcrew")) / "settings.toml"


class Settings(BaseSettings):
    """The settings of all runs, unless a flag says otherwise."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True)

    data: Path = Field(default_factory=lambda: platformdirs.user_data_path("deskcrew"), description="journal and runs")
    models: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("deskcrew") / "models", description="downloaded models"
    )
    config: Path = Field(
        default_factory=lambda: platformdirs.user_config_path("deskcrew"), description="roles, crews, settings.toml"
    )
    database: str = Field(default="", description="a PostgreSQL server for journal and memory; '': files of the data folder")
    blobs: str = Field(default="", description="a folder or a store such as s3://; '' is in the journal's database")
    secrets: str = Field(
        default="",
        description="an encrypted file or s3:// address for secrets; '': the keyring, or a file of the data folder",
    )
    model: str = Field(title="Model", default="local", description="model used when a run names none")
    crew: str = Field(title="Crew", default="default", description="crew used when a run names none")
    make_skills: bool = Field(
        default=False, description="make skills of each proven run's Python code, as `deskcrew run --make-skill` does"
    )
    scale: float = Field(default=1.0, ge=1, le=3, description="scale of virtual desktops; 1.5 for 150 %")
    limits: Limits = Field(default_factory=Limits)
    desktop: DesktopBounds = Field(default_factory=DesktopBounds)
    desks: DeskCounts = Field(default_factory=DeskCounts)
    search: SearchSettings = Field(default_factory=SearchSettings)
    grounding: GroundingSettings = Field(default_factory=GroundingSettings)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    tracing: TracingSettings = Field(default_factory=TracingSettings)
    notify: NotifySettings = Field(default_factory=NotifySettings)
    web: WebSettings = Field(default_factory=WebSettings)
    person: str = Field(
        default="",
        max_length=LONGEST_PERSON,
        description="the person whose runs, memory, skills and secrets to use; '': the user of this machine",
    )
    prices: dict[str, Price] = Field(
        default_factory=dict[str, Price], description="prices of models that the table lacks, by the name that --model takes"
    )
    rates: dict[str, Annotated[Finite, Field(gt=0)]] = Field(
        default_factory=dict[str, float], description="requests a minute to a model, over all runs of a fleet"
    )
    workspace_files: int = Field(default=20_000, ge=1, description="files that a workspace may hold when a run begins")
    workspace_bytes: int = Field(default=1 << 30, ge=1, description="their size in bytes; all are kept in the journal")

    @field_validator("database")
    @classmethod
    def _of_a_database(cls, value: str) -> str:
        address = value.strip()
        if address:
            if urlsplit(address).scheme not in ("postgresql", "postgres"):
                raise ValueError("it is not the address of a PostgreSQL server; write it as postgresql://user@host/database")
            _without_password(address)
        return address.replace("postgres://", "postgresql://", 1)

    @field_validator("person")
    @classmethod
    def _of_a_person(cls, value: str) -> str:
        if value and not is_person(value):
            raise ValueError("a name must be printable, without spaces around it")
        return value

    @field_validator("blobs", "secrets")
    @classmethod
    def _of_a_place(cls, value: str) -> str:
        place = value.strip()
        _without_password(place)
        if place and "://" not in place and not Path(place).expanduser().is_absolute():
            raise ValueError("it is neither an absolute path nor an address")
        return place if "://" in place or not place else str(Path(place).expanduser())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = settings_file()
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file)

    @property
    def journal(self) -> Path:
        """The file with the database of all runs, if ``database`` is ''; locks and the like are beside it in any case."""
        return self.data / "journal.db"

    @property
    def own(self) -> Path:
        """The folder of the person's own skills, and of their decisions about skills and notes. All people share the roles,
        crews, actions, policy and models in ``config``."""
        return self.data / "own" if self.person else self.config

    def of(self, person: str) -> Settings:
        """These settings for one of several people, who has a separate data folder: journal, memory, workspaces, sessions,
        secrets, schedules. ``person``: '' for the user of this machine, whose settings these are."""
        if not person:
            return self
        # Two names never make the same folder, even where it is not told apart from the other by case.
        plain = "".join(
            "".join(part) if is_plain else "-" for is_plain, part in groupby(person.lower(), _PLAIN.__contains__)
        )
        name = f"{plain[:24]}-{hashlib.sha256(person.encode()).hexdigest()[:16]}"
        place, slash, file = self.secrets.rpartition("/")
        of_theirs = {"secrets": f"{place}/{PEOPLE}/{name}/{file}"} if slash else {}
        return self.model_copy(update={"person": person, "data": self.data / PEOPLE / name} | of_theirs)

    @property
    def remembered(self) -> Path:
        """The file of long-term memory, if ``database`` names no server."""
        return self.data / "memory.db"

    @classmethod
    def load(cls, **given: Any) -> Settings:
        """The current settings, which those ``given`` override. Raises ConfigError, with the invalid field and its file or
        variable, if a setting is invalid."""
        _no_slips()
        try:
            found = cls(**given)
            return found.of(found.person)
        except tomllib.TOMLDecodeError as error:
            file = settings_file()
            raise ConfigError(
                f"{file}: {error}.", hint=unquoted(file.read_text("utf-8"), error) or "Mend that line."
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            file = settings_file()
            unknown = first.get("ctx", {}).get("error")
            if isinstance(unknown, _UnknownLimit):
                field = f"{field}.{unknown.name}"
            if first["type"] == "extra_forbidden" or isinstance(unknown, _UnknownLimit):
                names, meant = _near(cls, tuple(field.split(".")))
                variable = PREFIX + field.upper().replace(".", "__")
                place = f"The variable {variable}" if variable in map(str.upper, os.environ) else file
                raise ConfigError(
                    f"{place}: there is no setting {field!r}.{meant}", hint=_LISTED.format(", ".join(names))
                ) from error
            meaning = next((each.info.description for each in all_settings(cls) if each.name == field), None)
            told = f"It is: {meaning}. It comes" if meaning else "Settings come"
            hint = f"{told} from a DESKCREW_* variable or {file}."
            if meaning and first["loc"][0] in given:  # whoever gave it knows where it is from
                hint = f"It is: {meaning}."
            raise ConfigError(f"Setting {field!r}: {fault(error, shown=True)}.", hint=hint) from error


class Setting(NamedTuple):
    """One setting. ``name``: as in settings.toml, with dots between tables; ``variable``: its environment variable."""

    name: str
    variable: str
    info: FieldInfo
    value: Any

    @property
    def own(self) -> bool:
        """Whether the value is not the default."""
        return not self.info.is_required() and self.value != self.info.get_default(call_default_factory=True)

    @property
    def title(self) -> str:
        """The setting's title for people."""
        return self.info.title or self.name

    @property
    def words(self) -> str:
        """The value in words for people."""
        return "none" if self.value is None else str(self.value) or "''"

    @property
    def written(self) -> str:
        """The value as a person types it; '' for none."""
        return "" if self.value is None else str(self.value).lower() if isinstance(self.value, bool) else str(self.value)

    @property
    def variables(self) -> list[str]:
        """The names of the environment variables that set it: its own, or that of a table that it is in."""
        return [name for name in os.environ if f"{self.variable}__".startswith(f"{name.upper()}__")]

    def is_in(self, file: Mapping[str, Any]) -> bool:
        """Whether the parsed settings ``file`` sets it."""
        table, _, rest = self.name.partition(".")
        return table in file and (not rest or self._replace(name=rest).is_in(file[table]))


def all_settings(model: type[BaseModel], known: BaseModel | None = None, *above: str) -> Iterator[Setting]:
    """Every setting of a model and of the models in it. ``known``: the values; None leaves all values None."""
    for name, info in model.model_fields.items():
        path, value = (*above, name), getattr(known, name) if known is not None else None
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from all_settings(info.annotation, value, *path)
        else:
            yield Setting(".".join(path), f"{PREFIX}{'__'.join(path).upper()}", info, value)


def _near(model: type[BaseModel], place: tuple[str, ...]) -> tuple[list[str], str]:
    """The names of the settings beside an unknown one, and the question whether one of them was meant, '' if none is
    similar. ``place``: the unknown name, after the names of its tables."""
    *above, name = place
    for each in above:
        kind = model.model_fields[each].annotation if each in model.model_fields else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return [], ""
        model = kind
    return list(model.model_fields), did_you_mean(name, model.model_fields, shown=".".join((*above, "{}")))


def _no_slips() -> None:
    """Raise ConfigError if a variable is almost named like a setting, since it would be ignored. Other variables may belong
    to programs around Deskcrew, or be keys, which are not settings."""
    names = list(Settings.model_fields)
    for variable in sorted(os.environ):
        name = variable.upper().removeprefix(PREFIX).partition("__")[0].lower()
        if not variable.upper().startswith(PREFIX) or name in names:
            continue
        fit = (each.upper() for each in names if not name.startswith(f"{each}_"))
        if meant := did_you_mean(name, fit, cutoff=NEAR, shown=f"{PREFIX}{{}}"):
            raise ConfigError(f"The variable {variable} is not a setting.{meant}", hint=_LISTED.format(", ".join(names)))


def _without_password(address: str) -> None:
    """Raise ValueError if an address contains a password, since settings are shown to people and passed to processes."""
    parts = urlsplit(address)
    if parts.password or "password=" in parts.query:
        raise ValueError("an address must contain no password: for PostgreSQL it belongs in PGPASSWORD or ~/.pgpass")


def read_config(path: Path) -> str:
    """The text of a role's, a crew's or an action's file. Raises ConfigError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}.", hint="Name a file that exists and can be read."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start + 1}).") from error
