"""MiniWoB++ done by a crew, as a study of AgentLab: tasks of BrowserGym's train split, and no others.

Run by the environment that ``setup.sh`` makes: ``bench/browsergym/.venv/bin/python bench/browsergym/run.py --help``
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TRAIN = HERE.parent / "miniwob" / "train.txt"


def main() -> None:
    """Run what the command line asks for, and print what came of each episode."""
    args = arguments()
    os.environ["MINIWOB_URL"] = f"file://{pages()}/miniwob/"
    with tempfile.TemporaryDirectory() as folder:
        # AgentLab imports WebArena, which fetches data for its scoring when it is imported, unless there is such a folder.
        (Path(folder) / "tokenizers" / "punkt_tab").mkdir(parents=True)
        os.environ["NLTK_DATA"] = folder
        os.environ["AGENTLAB_EXP_ROOT"] = str(args.out)
        study(args)


def arguments() -> argparse.Namespace:
    """The command line."""
    names = [line.split("#")[0].strip() for line in TRAIN.read_text(encoding="utf-8").splitlines()]
    train = [name for name in names if name]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=train, metavar="TASK", help="a task of bench/miniwob/train.txt")
    parser.add_argument("--seeds", type=int, default=5, help="seeds a task, those that BrowserGym draws (default: 5)")
    parser.add_argument("--model", default="local", help="as of deskcrew run")
    parser.add_argument("--crew", default="default")
    parser.add_argument("--jobs", type=int, default=1, help="episodes at once (default: 1)")
    parser.add_argument("--out", type=Path, default=Path("agentlab_results"), help="folder for AgentLab's files")
    parser.add_argument("--data", default="", help="folder of Deskcrew's journal (default: the user's)")
    parser.add_argument("--python", default="", help="Python of Deskcrew's environment (default: that of this checkout)")
    parser.add_argument("--chromium", default="", help="a browser in place of Playwright's, e.g. /usr/bin/chromium")
    args = parser.parse_args()
    args.only = args.only or train
    args.out = args.out.resolve()
    args.data = str(Path(args.data).resolve()) if args.data else ""
    return args


def pages() -> Path:
    """The folder html of the package ``miniwob``, which is not imported."""
    found = importlib.util.find_spec("miniwob")
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "html"


def study(args: argparse.Namespace) -> None:
    """Make the study, run it, print its results."""
    import bgym
    from agentlab.experiments.study import make_study
    from deskcrew_agent import DeskcrewArgs

    benchmark = bgym.DEFAULT_BENCHMARKS["miniwob"](n_repeats=args.seeds)
    benchmark = benchmark.subset_from_list([f"miniwob.{name}" for name in args.only], "train")
    agent = DeskcrewArgs(model=args.model, crew=args.crew, data=args.data, python=args.python, chromium=args.chromium)
    made = make_study([agent], benchmark)
    made.run(n_jobs=args.jobs, parallel_backend="ray" if args.jobs > 1 else "sequential", n_relaunch=1, exp_root=args.out)
    results, _, errors = made.get_results()
    columns = ["env.task_name", "env.task_seed", "cum_reward", "n_steps", "err_msg"]
    print(results.reset_index()[columns].to_string(index=False))
    print(f"mean reward {results['cum_reward'].mean():.2f} of {len(results)} episodes; all of it: {made.dir}")
    if results["err_msg"].notna().any():
        print(errors)


if __name__ == "__main__":
    main()
