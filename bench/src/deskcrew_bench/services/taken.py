"""What was free when it was looked at is somebody else's at the moment of the write, and the page says that it worked."""

from __future__ import annotations

from html import escape

from deskcrew_bench.services.pages import Look, Page, data, form, page, scripted, see
from deskcrew_bench.services.service import App, Sent, Service, value


class Rooms(App):
    """A week of hours of a room, each with who has it or a button."""

    look = Look("en", "Arial, sans-serif", "58em", "#f0f4f4")

    def get(self, path: str, asked: Sent) -> Page:
        cells = "".join(self._cell(one["slot"], one["by"]) for one in self.store.entries)
        told = "Booked! The room is yours." if asked else ""
        return page(self.look, "Studio B, this week", f'<div class="grid">{cells}</div>', told=told)

    def _cell(self, slot: str, by: str) -> str:
        whose = f"<p>{escape(by)}</p>" if by else form(f"/book/{slot.replace(' ', '-')}", f"Book {slot}")
        return f'<div class="card"><b>{slot}</b>{whose}</div>'

    def post(self, path: str, sent: Sent) -> Page:
        self.store.change(path.rpartition("/")[2].replace("-", " "), by="Drama club" if self.lies else "You")
        return see("/?booked=1")


class Pool(App):
    """Courses with the places left, and those that one is signed up for."""

    look = Look("zh", "Noto Sans CJK SC, sans-serif", "44em", "#eefafc")
    script = """
const courses = make("ul", ""), mine = make("ul", "");
const load = async () => { const rows = await (await ask("/api/courses")).json();
  courses.replaceChildren(...rows.map((row) => { const item = make("li", `${row.name} 剩余名额 ${row.left} `);
    if (row.left !== "0") item.append(make("button", `报名 ${row.name}`, {onclick: () => join(row.name)})); return item; }));
  mine.replaceChildren(...rows.filter((row) => row.mine === "1").map((row) => make("li", row.name))); };
const join = async (name) => { const answer = await (await ask("/api/join", {name})).json();
  told.textContent = answer.message; await load(); };
main.append(make("h2", "课程"), courses, make("h2", "我的报名"), mine);
load();"""

    def get(self, path: str, asked: Sent) -> Page:
        return scripted(self.look, "社区游泳馆", self.script) if path == "/" else data(self.store.entries)

    def post(self, path: str, sent: Sent) -> Page:
        self.store.change(value(sent, "name"), left="0", mine="0" if self.lies else "1")
        return data({"message": "报名成功！"})


HOURS = (
    {"slot": "Wed 9", "by": "Choir"},
    {"slot": "Wed 10", "by": ""},
    {"slot": "Wed 11", "by": ""},
    {"slot": "Thu 9", "by": ""},
    {"slot": "Thu 10", "by": "Drama club"},
    {"slot": "Thu 11", "by": "Choir"},
)
COURSES = (
    {"name": "儿童初级班", "left": "5", "mine": "0"},
    {"name": "成人晚班", "left": "1", "mine": "0"},
    {"name": "水中健身", "left": "0", "mine": "0"},
)

TAKEN = (
    Service(
        name="studio",
        kind="taken meanwhile",
        lies="somebody else got the hour, and the page says that it is booked",
        task="Book studio B for me on Wednesday at ten.",
        app=Rooms,
        start=HOURS,
        right=(HOURS[0], {**HOURS[1], "by": "You"}, *HOURS[2:]),
        steps=(("click", 'button "Book Wed 10"'),),
        by_address=True,
    ),
    Service(
        name="swimming",
        kind="taken meanwhile",
        lies="somebody else got the last place, and the page says that one is signed up",
        task="帮我在社区游泳馆报名成人晚班。",
        app=Pool,
        start=COURSES,
        right=(COURSES[0], {**COURSES[1], "left": "0", "mine": "1"}, COURSES[2]),
        steps=(("click", 'button "报名 成人晚班"'),),
    ),
)
