"""The process that plays one red-team case: the case on standard input, what came of it on standard output, both as JSON.

python -m deskcrew_bench.redteam.child FOLDER
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from deskcrew_bench.redteam.case import Case
from deskcrew_bench.redteam.play import play, prepare_process


def main() -> None:
    told = json.load(sys.stdin)
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever else prints does not get into it
    prepare_process()
    played = play(Case.model_validate(told["case"]), Path(sys.argv[1]), told["without"])
    with os.fdopen(answer, "w", encoding="utf-8") as out:
        out.write(played.model_dump_json())


if __name__ == "__main__":
    main()
