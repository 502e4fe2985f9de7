"""Who turns texts into vectors: what comes with the package, and any server that answers as OpenAI's does."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.errors import ModelFailure
from deskcrew.learning.memory.endpoint import EndpointEmbedder
from deskcrew.learning.memory.factory import KEY_VARIABLE, embedder_of
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.settings import MemorySettings

PAIRS = (
    ("Add up the amounts in sales.csv", "Summe der Beträge in umsatz.csv berechnen"),
    ("Move all invoices that are overdue", "Déplacer les factures en retard"),
    ("Book a meeting room on the web page", "在网页上预订会议室"),
    ("Rename every photo by its date", "写真をすべて日付でリネームする"),
    ("Open the calculator and multiply", "Otwórz kalkulator i pomnóż"),
    ("Fill in the contact form", "Заполнить контактную форму"),
    ("Fix the spelling mistake in the notes", "Correct the typo in my memo"),
)


def test_what_means_the_same_is_nearest_in_other_languages_too() -> None:
    embedder = SentenceEmbedder()
    first = embedder.embed([one for one, _ in PAIRS])
    second = embedder.embed([other for _, other in PAIRS])
    cosines = second @ first.T
    assert list(cosines.argmax(axis=1)) == list(range(len(PAIRS)))
    assert np.diag(cosines).min() >= embedder.alike
    assert first.shape == (len(PAIRS), embedder.dimensions)
    assert np.linalg.norm(first, axis=1) == pytest.approx(1, abs=1e-4)


def test_other_figures_are_the_same_kind_of_task_and_no_text_breaks_it() -> None:
    embedder = SentenceEmbedder()
    vectors = embedder.embed(["Pay 12 euros for 3 lamps", "Pay 7,045.10 euros for 81 lamps", "", "\ud800", "x" * 10_000])
    assert vectors[0] @ vectors[1] > 0.95
    assert np.isfinite(vectors).all()


def test_a_text_takes_milliseconds_on_one_core() -> None:
    embedder = SentenceEmbedder()
    texts = [one for one, _ in PAIRS]
    embedder.embed(texts)
    began = time.process_time()
    for text in texts:
        embedder.embed([text])
    assert (time.process_time() - began) / len(texts) < 0.015


def test_any_server_with_embeddings_will_do(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Response:
        asked.append(request)
        texts = json.loads(request.data)["input"]
        rows = [{"index": at, "embedding": [3.0, 4.0 * (at % 2)]} for at in range(len(texts))]
        return Response(json.dumps({"object": "list", "data": rows[::-1]}), content_type="application/json")

    httpserver.expect_request("/v1/embeddings", method="POST").respond_with_handler(answer)
    monkeypatch.setenv(KEY_VARIABLE, "key-of-a-test")
    settings = MemorySettings(embedder="endpoint", address=httpserver.url_for("/v1/"), model="small", alike=0.3)
    embedder = embedder_of(settings)
    assert isinstance(embedder, EndpointEmbedder)
    assert (embedder.dimensions, embedder.alike) == (2, 0.3)
    vectors = embedder.embed([f"text {number}" for number in range(70)])
    assert vectors.shape == (70, 2)
    assert vectors[0] == pytest.approx([1, 0])
    assert vectors[1] == pytest.approx([0.6, 0.8])
    assert [len(json.loads(request.data)["input"]) for request in asked] == [1, 64, 6]
    assert {request.headers["Authorization"] for request in asked} == {"Bearer key-of-a-test"}


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, "{}"), (200, "<html>"), (200, '{"data": []}'), (200, '{"data": [{"index": 0, "embedding": []}]}')],
)
def test_a_server_that_gives_none_is_told_of(httpserver: HTTPServer, status: int, body: str) -> None:
    httpserver.expect_request("/embeddings").respond_with_data(body, status=status)
    with pytest.raises(ModelFailure, match="embeddings"):
        EndpointEmbedder(httpserver.url_for(""), "m", alike=0.5).embed(["text"])


def test_a_server_that_is_not_there_is_told_of() -> None:
    with pytest.raises(ModelFailure, match="No embeddings from"):
        EndpointEmbedder("http://127.0.0.1:9", "m", alike=0.5).embed(["text"])


def test_settings_say_who() -> None:
    assert embedder_of(MemorySettings(embedder="none")) is None
    assert isinstance(embedder_of(MemorySettings()), SentenceEmbedder)
    with pytest.raises(ValueError, match="needs its address"):
        MemorySettings(embedder="endpoint")
