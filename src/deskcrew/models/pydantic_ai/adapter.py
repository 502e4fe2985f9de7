"""Turns a call's prompt into a provider's messages, and the reply into an Answer: one request per call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import anyio
import httpx2
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UserError
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential_jitter

from deskcrew.errors import ModelFailure
from deskcrew.models.client import Answer, Call, Part, Profile, T, Text, Usage
from deskcrew.models.prices import cost
from deskcrew.models.profiles import Facts
from deskcrew.models.pydantic_ai import failures
from deskcrew.models.pydantic_ai.marks import Marks
from deskcrew.models.pydantic_ai.providers import open_client, provider_model
from deskcrew.models.reference import Reference
from deskcrew.models.replies import read_reply
from deskcrew.models.schema import guidance_grammar, wire_schema
from deskcrew.settings import Price

ANSWER_TOOL = "answer"
MAX_BACKOFF = 60.0
UNREACHED, TIMEOUTS = 3, 1
"""How often a request is retried while the server has never answered (the address may be wrong), and after a timeout (the
next reply may take as long)."""


class Repeats(NamedTuple):
    """How a request is retried after a transport failure. ``most``: how often, None for as often as the call's patience
    allows; ``backoff``: seconds before the first retry, doubled for each further one."""

    most: int | None = None
    backoff: float = 0.5


class ApiKey(NamedTuple):
    """A provider's key. ``variable``: its environment variable, which the hint names if the key is refused."""

    value: str | None
    variable: str = ""


@dataclass(frozen=True, slots=True)
class AnsweringServer:
    """Facts about the server that answers. ``name``: the model string; ``price``: the cost of a response in US dollars;
    ``reports_cache``: whether it reliably reports how many prompt tokens came from its cache; ``address``: if it is not the
    provider's own, for errors; ``marks``: for a provider that caches marked blocks."""

    name: str
    key_variable: str = ""
    price: Callable[[ModelResponse], float | None] = lambda _: None
    reports_cache: bool = False
    address: str = ""
    marks: Marks | None = None


class PydanticAIModel:
    """A model that is reached over HTTP. An instance belongs to one event loop, as its connections do."""

    def __init__(
        self,
        model: ProviderModel,
        http: httpx2.AsyncClient,
        server: AnsweringServer,
        *,
        facts: Facts,
        repeats: Repeats = Repeats(),  # noqa: B008 - it cannot change
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        """``http``: the client that ``model`` uses, closed by :meth:`close`; ``extra_body``: further fields of the request's
        body."""
        self._model = model
        self._http = http
        self._name = server.name
        self._facts = facts
        self._key_variable = server.key_variable
        self._retries, self._backoff = repeats
        self._extra_body = extra_body or {}
        self._price = server.price
        self._reports_cache = server.reports_cache
        self._address = server.address
        self._marks = server.marks
        self._reached = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> Profile:
        return self._facts.profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Ask once. Raises ModelFailure if the request is refused, or still fails after ``call.patience``."""
        grammar = self._facts.profile.schema_mode == "grammar"
        schema = wire_schema(type, grammar=grammar)
        messages, settings, parameters = self._request(call, schema, type.__name__)
        started = anyio.current_time()
        retrying = self._retrying(call)

        async def send() -> ModelResponse:
            with anyio.fail_after(call.deadline):
                return await model_request(
                    self._model, messages, model_settings=settings, model_request_parameters=parameters
                )

        try:
            response: ModelResponse = await retrying(send)
            raw = _raw(response)
        except TimeoutError as error:
            raise ModelFailure(
                f"{self._name} gave no answer within {call.deadline:.3g} s, its limit for a call.",
                hint="Allow a call more time (`seconds` of the model's profile, in models.toml), or use a faster model.",
            ) from error
        except (AgentRunError, UserError, httpx2.HTTPError, RecursionError) as error:
            raise failures.failure(self._name, error, self._key_variable, self._address) from error
        self._reached = True
        if response.finish_reason == "content_filter":
            raise ModelFailure(f"{self._name} refused to answer (content filter)", hint="Rephrase the task.")
        return Answer(
            read_reply(raw, type, truncated=response.finish_reason == "length", max_tokens=call.max_tokens),
            raw,
            response.model_name or self._name,
            anyio.current_time() - started,
            self._usage(response),
            retrying.statistics.get("attempt_number", 1) - 1,
        )

    async def close(self) -> None:
        await self._http.aclose()

    def _request(
        self, call: Call, schema: dict[str, Any], type_name: str
    ) -> tuple[list[ModelMessage], ModelSettings, ModelRequestParameters]:
        stable = call.text("stable")
        content = _content(call, self._marks)
        if not content:
            # Every provider wants a user message.
            content, stable = [stable], ""
        settings = ModelSettings(
            max_tokens=call.max_tokens,
            # Our retries are counted and know the deadline; the provider libraries' own do neither.
            max_retries=0,
            timeout=call.deadline,
            # What of the user message returns in later calls is marked in it; caching all of it would be paid for and
            # never read, since it ends with what changes.
            cache={"messages": False},
        )
        effort = self._facts.profile.effort
        if failures.takes_temperature(self._model.profile, effort):
            settings["temperature"] = call.temperature
        if effort and self._model.profile.get("supports_thinking"):
            settings["thinking"] = effort
        if call.seed is not None and "seed" not in self._model.unsupported_settings:
            settings["seed"] = call.seed
        body = dict(self._extra_body)
        if effort and not self._model.profile.get("supports_thinking"):
            # Of Ollama's models and those of other servers nobody knows whether they reason: the user says so.
            body["reasoning_effort"] = effort
        if self._facts.output == "guidance":
            body["grammar"] = guidance_grammar(schema)
        if body:
            settings["extra_body"] = body
        # Plain text as plain text: not every compatible server takes a list of parts.
        prompt = content[0] if len(content) == 1 and isinstance(content[0], str) else content
        request = ModelRequest(parts=[UserPromptPart(content=prompt)], instructions=stable or None)
        return [request], settings, self._parameters(schema, type_name)

    def _parameters(self, schema: dict[str, Any], type_name: str) -> ModelRequestParameters:
        if self._facts.output == "guidance":
            # The schema is in the body already; a server refuses to be given it twice.
            return ModelRequestParameters()
        if self._facts.output == "tool":
            tool = ToolDefinition(
                name=ANSWER_TOOL, parameters_json_schema=schema, description="Give the answer.", kind="output"
            )
            return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
        answer = OutputObjectDefinition(json_schema=schema, name=type_name, strict=True)
        return ModelRequestParameters(output_mode=self._facts.output, output_object=answer)

    def _retrying(self, call: Call) -> AsyncRetrying:
        """Retries a request after transient errors, as long as that is within ``call.patience``."""
        backoff = wait_exponential_jitter(initial=self._backoff, max=MAX_BACKOFF, jitter=self._backoff)
        ends = anyio.current_time() + call.patience
        timeouts = 0

        def wait(state: RetryCallState) -> float:
            asked = failures.retry_after(_error(state))
            return backoff(state) if asked is None else asked

        def stop(state: RetryCallState) -> bool:
            nonlocal timeouts
            error = _error(state)
            timeouts += isinstance(error, TimeoutError)
            self._reached = self._reached or isinstance(error, ModelHTTPError)
            most = UNREACHED if self._retries is None and not self._reached else self._retries
            late = anyio.current_time() + state.upcoming_sleep >= ends
            return late or timeouts > TIMEOUTS or (most is not None and state.attempt_number > most)

        def tell(state: RetryCallState) -> None:
            trouble = failures.trouble(_error(state))
            call.told(f"{self._name} {trouble}; trying again in {max(1, round(state.upcoming_sleep))} s.")

        return AsyncRetrying(
            retry=retry_if_exception(failures.may_pass),
            wait=wait,
            stop=stop,
            before_sleep=tell,
            sleep=anyio.sleep,
            reraise=True,
        )

    def _usage(self, response: ModelResponse) -> Usage:
        usage = response.usage
        if usage.unmeasured_requests or not usage.input_tokens:
            return Usage()
        # pydantic-ai has 0 both for no cached tokens and for a server that does not report them; only the large
        # providers and llama.cpp are sure to report, so 0 from any other server means unknown.
        known = self._reports_cache
        return Usage(
            input=usage.input_tokens,
            output=usage.output_tokens,
            cached=usage.cache_read_tokens if known else usage.cache_read_tokens or None,
            cost=self._price(response),
        )


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def connect(
    name: str,
    reference: Reference,
    *,
    facts: Facts,
    key: ApiKey,
    repeats: Repeats = Repeats(),  # noqa: B008 - it cannot change
    extra_body: Mapping[str, Any] | None = None,
    own_price: Price | None = None,
) -> PydanticAIModel:
    """A provider's model. ``own_price``: the user's price, in place of the price table's.

    Raises ImportError if the provider's library is not installed.
    """
    http = open_client()
    provider = provider_model(reference, key.value, http)
    marked = reference.kind == "anthropic" or provider.profile.get("openai_supports_prompt_cache_breakpoints")
    return PydanticAIModel(
        provider,
        http,
        AnsweringServer(
            name,
            key.variable,
            price=lambda response: cost(response.usage, response.model_name or "", reference, own_price),
            reports_cache=facts.output == "guidance" or reference.kind not in ("server", "ollama"),
            address=reference.base_url or "",
            marks=Marks() if marked else None,
        ),
        facts=facts,
        repeats=repeats,
        extra_body=extra_body,
    )


def _content(call: Call, marks: Marks | None) -> list[UserContent]:
    """The user message: everything except stable texts, in zone order, adjacent texts joined. ``marks``: used to put cache
    marks after the parts that will recur; None for no marks."""
    order = ("stable", "task", "memory", "volatile")
    content: list[UserContent] = []
    for part in sorted((part for part in call.parts if not _is_system(part)), key=lambda part: order.index(part.zone)):
        if marks is not None and part.zone == "volatile" and content == [lasting := call.text("task", "memory")]:
            content = _marked(marks.blocks(call.role, lasting))
        if not isinstance(part, Text):
            content.append(BinaryContent(data=part.data, media_type=part.media_type))
        elif content and isinstance(content[-1], str):
            content[-1] += "\n\n" + part.text
        else:
            content.append(f"\n\n{part.text}" if content and isinstance(content[-1], CachePoint) else part.text)
    return content


def _marked(blocks: list[str]) -> list[UserContent]:
    """The blocks with a cache mark where the previous call ended, to read from, and one at the end, for the next call."""
    points: list[UserContent] = [*blocks[:-2]]
    for block in blocks[-2:]:
        points += [block, CachePoint()]
    return points


def _is_system(part: Part) -> bool:
    return isinstance(part, Text) and part.zone == "stable"


def _raw(response: ModelResponse) -> str:
    """The reply as text: the arguments of the answer tool, or the text that came in its place."""
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            return part.args_as_json_str() if not isinstance(part.args, str) else part.args
    return response.text or ""
