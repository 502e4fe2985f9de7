"""Tasks of WebArena's form: a loader, evaluators that do as the official ones, and tasks of our own on two seeded sites."""

from __future__ import annotations

import http.server
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from cli.conftest import Cli
from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.environments.browser.launch import program
from deskcrew.errors import ConfigError, EnvironmentFailure, ModelFailure, UsageError
from deskcrew.guard.proxy import Proxy
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.loopback import Loopback
from deskcrew_bench.suites.report import report
from deskcrew_bench.suites.trial import Trial
from deskcrew_bench.webarena import own, suite
from deskcrew_bench.webarena.evaluators import Ended, included, wrong
from deskcrew_bench.webarena.judging import ModelJudge
from deskcrew_bench.webarena.own import OwnSites
from deskcrew_bench.webarena.pages import contents
from deskcrew_bench.webarena.tasks import Evaluation, Task, read
from deskcrew_bench.webarena_infinity.oracles import solutions_in
from support.crew import settings_in
from support.sampling import sampled
from support.waiting import until

pytestmark = pytest.mark.anyio

HERE = Path(__file__).parents[2] / "bench/webarena"
BY = ("default", True, ())
browser = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
applications = pytest.mark.skipif(not own.installed(), reason="the extra webarena is not installed")


def raw(number: int = 1, start: str = "__SHOP__/", note: str = "", **more: Any) -> dict[str, Any]:
    kinds = {"reference_answers": "string_match", "reference_url": "url_match", "program_html": "program_html"}
    given = {"eval_types": [kind for name, kind in kinds.items() if more.get(name)], "string_note": note} | more
    return {
        "task_id": number, "sites": ["shop"], "start_url": start, "intent": "How many lamps are there?", "eval": given,
        "require_login": True, "storage_state": None, "geolocation": None, "intent_template": "...", "require_reset": False,
    }  # fmt: skip


def task(**more: Any) -> Task:
    return Task.model_validate(raw(**more))


async def holds(task: Task, answer: str = "", url: str = "", *found: str, judge: Any = None) -> bool:
    return not await wrong(task, Ended(answer, url, found), judge)


# -- the evaluators


@pytest.mark.parametrize(
    ("references", "answer", "right"),
    [
        ({"exact_match": "Yoga ball"}, "  yoga BALL ", True),
        ({"exact_match": "Yoga ball"}, "'Yoga ball'", True),
        ({"exact_match": "Yoga ball"}, '"Yoga ball"', True),
        ({"exact_match": "'Yoga ball'"}, "Yoga ball", True),
        ({"exact_match": "Yoga ball"}, "a Yoga ball", False),
        ({"exact_match": "Yoga ball"}, "Yoga ball.", False),
        ({"exact_match": "Yoga ball"}, "", False),
        ({"must_include": ["Oslo", "3 km"]}, "It is 3 KM to oslo", True),
        ({"must_include": ["Oslo", "3 km"]}, "It is 13 km to Oslo", True),  # as lenient as WebArena
        ({"must_include": ["Oslo", "3 km"]}, "Oslo", False),
        ({"must_include": ["0"]}, "There are 0 of them.", True),
        ({"must_include": ["0"]}, "10", False),
        ({"must_include": ["0", "1"]}, "10", True),  # only one that stands alone has to be a word of its own
        ({"must_include": ["10"]}, "2010", True),
        ({"exact_match": "6", "must_include": ["six"]}, "6", False),
        ({"fuzzy_match": "N/A"}, "n/a", True),
        ({"fuzzy_match": "N/A"}, "There is no such lamp", False),  # only a model can say
        ({"fuzzy_match": ["four"]}, "4", False),
        ({"fuzzy_match": [""]}, "", True),
    ],
)
async def test_an_answer_is_compared_as_webarena_does(references: dict[str, Any], answer: str, right: bool) -> None:
    assert await holds(task(reference_answers=references), answer) is right


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("6", True), ("it is 6.", True), ("6, to be", True), ("$6", True), ("(6)", True), ("6%", True), ("a: 6!", True),
        ("16", False), ("6.5", False), ("6,000", False), ("6:30", False), ("1/6", False), ("6-7", False), ("v6", False),
    ],
)  # fmt: skip
def test_one_character_stands_alone_where_the_tokenizer_of_webarena_cuts(text: str, stands: bool) -> None:
    assert included("6", text, alone=True) is stands


@pytest.mark.parametrize(
    ("reference", "url", "right"),
    [
        ("http://h:1/a", "http://h:1/a/", True),
        ("http://h:1/a", "http://h:1/a/b?c=d", True),  # GOLD in PRED
        ("http://h:1/a", "http://h:1/", False),
        ("http://h:1/a", "http://h:2/a", False),
        ("https://h/a", "http://h/a", True),  # the scheme is not compared
        ("http://h/a?x=1", "http://h/a?y=2&x=1", True),
        ("http://h/a?x=1", "http://h/a?x=2", False),
        ("http://h/a?x=1&y=2", "http://h/a?x=1", False),
        ("http://h/a?x=1 |OR| http://h/b?x=2", "http://h/b?x=1", True),  # values of all references together
        ("http://h/a |OR| http://h/b", "http://h/b#there", True),
        ("http://h/a |OR| http://h/b", "http://h/c", False),
    ],
)
async def test_an_address_is_compared_as_webarena_does(reference: str, url: str, right: bool) -> None:
    assert await holds(task(reference_url=reference), "", url) is right


async def test_the_older_rule_of_addresses_is_known() -> None:
    exact = task(reference_url="http://h/a/ |OR| http://h/b", url_note="EXACT")
    assert await holds(exact, "", "http://h/a")
    assert not await holds(exact, "", "http://h/a/b")


def shown(required: dict[str, Any], locator: str = "", url: str = "last") -> dict[str, Any]:
    return {"url": url, "locator": locator, "required_contents": required}


@pytest.mark.parametrize(
    ("required", "found", "right"),
    [
        ({"exact_match": "true"}, "True", True),
        ({"exact_match": "Tea & cake"}, "tea &amp; cake", True),
        ({"exact_match": "60.00"}, "60.0", False),
        ({"must_include": ["lamp", "desk"]}, "<p>Desk lamp</p>", True),
        ({"must_include": ["lamp", "desk"]}, "<p>lamp</p>", False),
        ({"must_include": ["sofa |OR| lamp"]}, "a lamp", True),
        ({"must_include": ["0"]}, "10", True),  # in pages one character may stand anywhere
        ({"exact_match": "lamp", "must_include": ["sofa"]}, "lamp", True),  # the first rule alone counts
        ({"must_include": ["lamp"]}, "", False),
    ],
)
async def test_a_page_is_compared_as_webarena_does(required: dict[str, Any], found: str, right: bool) -> None:
    assert await holds(task(program_html=[shown(required)]), "", "", found) is right


async def test_all_evaluators_have_to_hold() -> None:
    both = task(reference_url="http://h/a", program_html=[shown({"exact_match": "x"}), shown({"exact_match": "y"})])
    assert await holds(both, "", "http://h/a", "x", "y")
    assert not await holds(both, "", "http://h/b", "x", "y")
    assert not await holds(both, "", "http://h/a", "x", "z")
    said = await wrong(both, Ended("", "http://h/b", ("x", "y")))
    assert said == "url_match: the run ended at http://h/b"


# -- a model that judges


def judging(*replies: Any, contracts: bool = True) -> tuple[ModelJudge, ScriptedModel]:
    model = ScriptedModel(list(replies), profile=Profile(name="strong", contracts=contracts))
    return ModelJudge(lambda: model), model


async def test_a_model_compares_answers_that_are_worded_in_another_way() -> None:
    fuzzy = task(reference_answers={"fuzzy_match": ["four", "lamps"]})
    for second, right in (("correct", True), ("partially correct", False), ("incorrect", False)):
        judge, model = judging({"why": "4", "grade": "correct"}, {"why": "so", "grade": second})
        assert await holds(fuzzy, "4 lamps", judge=judge) is right
        assert "Right answer: four\nAnswer: 4 lamps" in model.calls[0].text()
        assert "How many lamps are there?" in model.calls[0].text()
    impossible = task(reference_answers={"fuzzy_match": "N/A"}, note="There are no lamps")
    for reason, right in (("same", True), ("different", False)):
        judge, model = judging({"why": "so", "reason": reason})
        assert await holds(impossible, "I saw none", judge=judge) is right
        assert "Reason: There are no lamps\nReport: i saw none" in model.calls[0].text()
    judge, model = judging()
    assert await holds(impossible, "N/A", judge=judge)  # nobody is asked
    assert not await holds(fuzzy, "", judge=judge)


async def test_a_judge_that_says_nothing_sensible_is_no_judge() -> None:
    judge, model = judging("what?", {"why": "so", "grade": "correct"})
    assert await judge.same_answer("t", "r", "a")
    assert "could not be read" in model.calls[1].text()
    judge, _ = judging("what?", "what?")
    with pytest.raises(ModelFailure, match="no reply"):
        await judge.same_answer("t", "r", "a")
    with pytest.raises(UsageError, match="too small"):
        judging(contracts=False)


# -- the loader


def test_tasks_are_read_chosen_and_given_addresses(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    one = raw(1, "__SHOP__/a |AND| __WIKI__", reference_answers={"exact_match": "__SHOP__"})
    two = raw(2, program_html=[shown({"must_include": ["x"]}, "document.body", "__SHOP_ADMIN__/x")], url_note=None)
    three = raw(3, reference_answers={"fuzzy_match": "four"}) | {"storage_state": "./.auth/shop_state.json"}
    file.write_text(json.dumps([one, two, three]))
    tasks = read(file)
    assert set(tasks.sites()) == {"shop", "wiki", "shop_admin"}
    first, second, third = tasks.at({"shop": "http://s/", "wiki": "http://w", "shop_admin": "http://s/admin"})
    assert first.pages == ("http://s/a", "http://w")
    assert first.evaluation.references.exact_match == "http://s"
    assert second.evaluation.targets[0].url == "http://s/admin/x"
    assert (third.state_file, third.evaluation.asks_judge, second.state_file) == ("shop_state.json", True, "")
    assert third.evaluation.references.fuzzy_match == ("four",)
    assert [each.name for each in read(file, ["shop"]).at({})] == ["3"]
    assert [each.name for each in read(file, only=["2"]).at({})] == ["2"]
    kept, left = tasks.without_judge()
    assert ([each.name for each in kept.at({})], left) == (["1", "2"], 1)
    with pytest.raises(UsageError, match="Only a model"):
        read(file, only=["3"]).without_judge()
    for sites, only, why in ((["sofa"], [], "the site 'sofa'"), ([], ["9"], "no task '9'"), (["wiki"], [], "no such tasks")):
        with pytest.raises(UsageError, match=why):
            read(file, sites, only)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[1]", "no file of tasks"),
        ("nothing", "no file of tasks"),
        (json.dumps([raw(reference_url="http://h")] * 2), "twice"),
        (json.dumps([raw(eval_types=["by_eye"])]), "eval_types"),
        (json.dumps([raw(reference_answers={"nearly": "x"})]), "nearly"),
        (json.dumps([raw(reference_url="http://h", url_note="NEARLY")]), "url_note"),
    ],
)
def test_a_file_that_is_not_in_order_is_told_so(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "tasks.json").write_text(content)
    with pytest.raises(ConfigError, match=why):
        read(tmp_path / "tasks.json")


def test_where_the_tasks_are_had_from_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        read(tmp_path / "tasks.json")
    assert "github.com/web-arena-x/webarena" in raised.value.hint


def test_what_is_missing_is_told_before_anything_starts(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "tasks.json"
    login = raw(2, reference_url="http://h") | {"storage_state": "./.auth/shop_state.json"}
    file.write_text(json.dumps([raw(1, reference_answers={"fuzzy_match": ["four"]}), login]))
    command = ("bench", "webarena", "--tasks", str(file), "--data", str(tmp_path / "data"), "--model", "no-op")
    for more, why in (
        ((), "addresses of these sites are not known: shop"),
        (("--site", "shop"), "does not say where a site is"),
        (("--site", "shop=http://127.0.0.1:9"), "These sites do not answer: shop (http://127.0.0.1:9)"),
    ):
        ended = cli(*command, *more)
        assert ended.code == 2, ended.err
        assert why in ended.err
        assert "left out: 1" in ended.err
    with Loopback(Shop) as server:
        ended = cli(*command, "--site", f"shop=http://{server.host}")
        assert ended.code == 2
        assert "Nobody is logged in: shop_state.json" in ended.err
    assert not (tmp_path / "data").exists()


# -- pages, in a browser


class Shop(http.server.BaseHTTPRequestHandler):
    """Pages and the interface of a shop, as far as WebArena's functions ask for it."""

    def do_GET(self) -> None:
        if self.path.startswith("/rest/V1/orders?"):
            assert "[sortOrders]" in self.path.replace("%5B", "[").replace("%5D", "]")
            self.told({"items": [{"increment_id": "000000180"}]} if self.may() else {})
        elif self.path == "/rest/V1/products/B%2F1/reviews":
            self.told([{"nickname": "a", "ratings": [{"percent": 20}]}, {"nickname": "Mia", "ratings": [{"percent": 80}]}])
        elif self.path.startswith("/rest"):
            self.told([])
        else:
            page = f"<title>Shop</title><h1>Lamps &amp; more</h1><p id=p>{self.path}</p><input type=checkbox checked>"
            self.answer("text/html", page)

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/rest/default/V1/integration/admin/token"
        self.told(f"token of {given['username']}")

    def may(self) -> bool:
        return self.headers["Authorization"] == "Bearer token of admin"

    def told(self, value: Any) -> None:
        self.answer("application/json", json.dumps(value))

    def answer(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def shop() -> Iterator[str]:
    with Loopback(Shop) as server:
        yield f"http://{server.host}"


@pytest.fixture
def page(shop: str, tmp_path: Path) -> Iterator[BrowserDesktop]:
    proxy = Proxy((shop.removeprefix("http://"),))
    (tmp_path / "seen").mkdir()
    opened = start_browser(tmp_path / "seen", proxy=proxy)
    try:
        opened.open_url(f"{shop}/f/lamps/12/which-one/-/comment/3")
        assert until(lambda: "/comment/3" in opened.observe().text), "what it reads is not shown yet, on a busy machine"
        yield opened
    finally:
        opened.close()
        proxy.close()


@browser
def test_what_stands_in_pages_is_read_as_webarena_reads_it(page: BrowserDesktop, shop: str) -> None:
    def seen(*targets: tuple[str, str], sites: dict[str, str] | None = None) -> list[str]:
        listed = [{"url": url, "locator": locator, "required_contents": {}} for url, locator in targets]
        evaluation = Evaluation.model_validate({"eval_types": ["program_html"], "program_html": listed})
        where = {"shopping": shop} if sites is None else sites
        return list(page.with_page(lambda front: contents(front, evaluation, where)))

    path = "document.querySelector('#p').outerText"
    assert seen(("last", path)) == ["/f/lamps/12/which-one/-/comment/3"]
    assert seen(("last", "document.querySelector('input').checked"), ("last", "document.querySelector('b')")) == [
        "True",
        "None",
    ]
    assert seen(("last", "document.querySelector('b').outerText"), ("last", "document.(")) == ["", ""]
    assert seen(("last", "[...document.querySelectorAll('h1')].map(each => each.innerHTML).join()")) == ["Lamps &amp; more"]
    assert "<title>Shop</title>" in seen(("last", ""))[0]
    assert seen(("func:reddit_get_post_url('__last_url__')", path), ("last", path)) == ["/f/lamps/12/"] * 2
    assert seen(("func:shopping_get_latest_order_url()", path)) == ["/sales/order/view/order_id/180/"]
    assert seen(("last", "func:shopping_get_sku_latest_review_author('B/1')")) == ["Mia"]
    assert seen(("last", "func:shopping_get_sku_latest_review_rating('B/1')")) == ["80"]
    assert seen(("last", "func:shopping_get_sku_latest_review_author('other')")) == [""]
    assert seen(("last", "func:gitlab_get_project_memeber_role(__page__, 'mia')")) == [""]
    for expression in (
        "open('/etc/passwd')",
        "shopping_get_latest_order_url(1)",
        "print",
        "().__class__",
        "reddit_get_post_url(1+",
    ):
        with pytest.raises(ConfigError, match="no function of WebArena"):
            seen(("last", f"func:{expression}"))
    with pytest.raises(ConfigError, match="no locator"):
        seen(("last", "window.name"))
    with pytest.raises(ConfigError, match="the site shopping"):
        seen(("func:shopping_get_latest_order_url()", ""), sites={})
    with pytest.raises(EnvironmentFailure, match="cannot be opened"):
        seen(("http://127.0.0.1:9/", ""))


@pytest.mark.deep
@browser
@pytest.mark.parametrize(("model", "right"), sampled([("oracle", True), ("no-op", False)], 1))
async def test_a_hosted_site_is_worked_on_and_evaluated_in_the_browser_of_the_run(
    model: str, right: bool, shop: str, tmp_path: Path
) -> None:
    file = tmp_path / "tasks.json"
    hosted = raw(
        7, "__SHOPPING__/one |AND| __SHOPPING__/two", reference_answers={"must_include": ["4"]},
        reference_url="__SHOPPING__/one",
        program_html=[shown({"exact_match": "/one"}, "document.querySelector('#p').outerText")],
    )  # fmt: skip
    file.write_text(json.dumps([hosted]))
    tasks, sites = read(file), suite.Sites({"shopping": shop})
    sites.check(tasks)
    solution = solutions_of(tmp_path, '[7]\nsteps = []\nanswer = "4"\n')["7"]
    trial = await suite.attempt(tasks, tasks.at({})[0], 1, sites, settings_in(tmp_path), by=(model, *BY), solution=solution)
    assert (trial.right, trial.success, trial.lost, trial.broken) == (right, right, False, False), trial
    assert trial.said == ("" if right else "string_match: '4' is not in ''")
    assert list((settings_in(tmp_path).data / "workspaces").iterdir()) == []
    assert "WebArena" in report({model: [trial]})


def solutions_of(folder: Path, text: str) -> Any:
    (folder / "oracles.toml").write_text(text)
    return solutions_in(folder, "oracles")


# -- tasks of our own, on two applications


def test_the_tasks_of_our_own_are_whole() -> None:
    tasks = read(HERE / "tasks.json")
    there = tasks.at({"tracker": "http://t/tracker", "stock": "http://s"})
    assert len(there) >= 12
    assert set(tasks.sites()) == set(own.NAMES)
    assert {kind for each in there for kind in each.evaluation.kinds} == {"string_match", "url_match", "program_html"}
    assert sum(each.evaluation.references.fuzzy_match == "N/A" for each in there) >= 2
    assert {each.state_file for each in there} == {"", *own.LOGINS}
    assert set(solutions_in(HERE, "oracles")) == {each.name for each in there}
    assert tasks.without_judge() == (tasks, 0)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> OwnSites:
    return OwnSites(tmp_path_factory.mktemp("sites"), own.NAMES)


async def tried(name: str, model: str, sites: OwnSites, folder: Path) -> Trial:
    tasks = read(HERE / "tasks.json", only=[name])
    solution = solutions_in(HERE, "oracles")[name] if model == "oracle" else None
    return await suite.attempt(
        tasks, tasks.at({})[0], 1, suite.Sites({}, own=sites), settings_in(folder), by=(model, *BY), solution=solution
    )


@browser
@applications
@pytest.mark.deep
@pytest.mark.parametrize("name", list(solutions_in(HERE, "oracles")))
async def test_an_oracle_is_accepted_and_who_does_nothing_is_not(name: str, made: OwnSites, tmp_path: Path) -> None:
    trial = await tried(name, "oracle", made, tmp_path)
    assert trial.right, trial
    trial = await tried(name, "no-op", made, tmp_path)
    assert not trial.right, trial
    assert not trial.lost


@pytest.mark.deep
@applications
def test_a_site_is_as_new_whenever_it_is_started_and_ends(tmp_path: Path) -> None:
    sites = OwnSites(tmp_path / "made", [own.STOCK])
    supplier = urlencode({"name": "Delft Blue", "town": "Delft"}).encode()
    for time in ("first", "second"):
        (tmp_path / time).mkdir()
        with sites.running(tmp_path / time) as addresses:
            address = addresses[own.STOCK]
            assert b"Delft Blue" not in urlopen(f"{address}/suppliers/content/").read()
            assert b"Delft Blue" in urlopen(f"{address}/suppliers/insert/", supplier).read()
        assert not own.answers(address)
