"""Recognises which shipped skill a request asks for. It is learnt from examples: some fifty ways in which people ask for
each skill, and requests that no skill does, which are one more class.

The model is in the package (made by ``tools/learn_skills.py``): a softmax regression over the vectors of one embedder.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from random import Random
from typing import TYPE_CHECKING, Any, cast

from deskcrew.facts.texts import FILE_NAME
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.lexicon import shipped

if TYPE_CHECKING:
    from numpy import float32, int64
    from numpy.typing import NDArray

LEARNT = Path(__file__).with_name("learnt.npz")
NONE = ""
"""The class of requests that no skill does."""
NAMES = ("first", "second", "third", "fourth")
"""The names that replace file names in requests, because people's file names say nothing about what is to be done."""
UNFULFILLED = "none.json"
"""The file with examples of the class NONE, in the folder of the shipped skills."""
SCALE, SHRINK, ROUNDS = 8.0, 1e-3, 120
"""The factor for vectors, the weight of regularization, and the number of rounds of learning: the best of a few in
cross-validation."""


@lru_cache(maxsize=1)
def examples() -> tuple[tuple[str, str], ...]:
    """The example requests, each with the name of the skill that does it, or NONE."""
    asked = ((text, skill.name) for skill in shipped() for text in (skill.description, *skill.method.asked))
    others: list[str] = json.loads((folders.SHIPPED / UNFULFILLED).read_text(encoding="utf-8"))
    return (*asked, *((text, NONE) for text in others))


def unnamed(text: str) -> str:
    """The text with :data:`NAMES` in place of file names, whose suffixes stay."""
    stems: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        file = PurePosixPath(found[0])
        return stems.setdefault(str(file.with_suffix("")), NAMES[len(stems) % len(NAMES)]) + file.suffix

    return FILE_NAME.sub(renamed, text)


def lessons() -> tuple[tuple[str, str], ...]:
    """The training examples: all examples, and each once more with a file of a kind that its skill knows and some skill
    reads."""
    of = {skill.name: skill.method.parameters for skill in shipped()}
    read = (each for parameters in of.values() for each in parameters if each.given or each.kind == "files")
    kinds = sorted({end for each in read for end in each.endings})
    ends = {name: [end for each in parameters for end in each.endings if end in kinds] for name, parameters in of.items()}

    def with_file(text: str, name: str) -> str:
        chance = Random(text)  # of each its own, so that another example changes nothing of these
        file = f"{NAMES[0]}{chance.choice(ends.get(name) or kinds)}"
        return chance.choice((f"{file}: {text}", f"{text} ({file})", f"{text}, {file}", f"In {file}, {text}"))

    texts = (*examples(), *((with_file(text, name), name) for text, name in examples()))
    return tuple((unnamed(text), name) for text, name in texts)


def digest() -> str:
    """A hash of the training examples, to detect a model that was trained on others."""
    return hashlib.sha256(json.dumps(lessons(), ensure_ascii=False).encode()).hexdigest()


def learn(vectors: NDArray[float32], labels: NDArray[int64], classes: int) -> NDArray[float32]:
    """The weights of each class, learnt from unit vectors and their labels by gradient descent with Nesterov's momentum."""
    import numpy

    told = _with_one(vectors)
    right = numpy.eye(classes, dtype=numpy.float32)[labels]
    step = numpy.float32(1 / (0.5 * numpy.linalg.norm(told.T @ told / len(told), 2) + SHRINK))
    weights = ahead = numpy.zeros((told.shape[1], classes), dtype=numpy.float32)
    pace = 1.0
    for _ in range(ROUNDS):
        chances = numpy.exp((scores := told @ ahead) - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        after = ahead - step * (told.T @ (chances - right) / len(told) + numpy.float32(SHRINK) * ahead)
        next_pace = (1 + (1 + 4 * pace**2) ** 0.5) / 2
        ahead = after + numpy.float32((pace - 1) / next_pace) * (after - weights)
        weights, pace = after, next_pace
    return weights


def score(vectors: NDArray[float32], weights: NDArray[float32]) -> NDArray[float32]:
    """For each vector, the logarithm of the odds of each class against the last class."""
    scores = _with_one(vectors) @ weights
    return cast("NDArray[float32]", scores - scores[:, -1:])


def recognised(vector: NDArray[float32], space: str) -> Mapping[str, float]:
    """For each shipped skill, the logarithm of its odds against NONE. Empty if the model was trained in another ``space``
    than the vector's."""
    learnt = _learnt()
    if learnt["space"] != space:
        return {}
    found = score(vector[None, :], learnt["weights"])[0]
    return {name: round(float(each), 3) for name, each in zip(learnt["names"], found, strict=True) if name != NONE}


def keep(weights: NDArray[float32], names: tuple[str, ...], space: str) -> None:
    """Write the model that :func:`recognised` reads. ``names``: the names of the classes, NONE last."""
    import numpy

    numpy.savez_compressed(
        LEARNT,
        weights=weights.astype(numpy.float16),
        names=numpy.array(names),
        space=numpy.array(space),
        of=numpy.array(digest()),
    )


@lru_cache(maxsize=1)
def _learnt() -> dict[str, Any]:
    import numpy

    with numpy.load(LEARNT, allow_pickle=False) as kept:
        return {
            "weights": kept["weights"].astype(numpy.float32),
            "names": [str(name) for name in kept["names"]],
            "space": str(kept["space"]),
            "of": str(kept["of"]),
        }


def learnt_from() -> str:
    """The hash of the examples that the model in the package was trained on."""
    return str(_learnt()["of"])


def _with_one(vectors: NDArray[float32]) -> NDArray[float32]:
    import numpy

    ones = numpy.ones((len(vectors), 1), dtype=numpy.float32)
    return numpy.hstack([vectors * numpy.float32(SCALE), ones]).astype(numpy.float32)
