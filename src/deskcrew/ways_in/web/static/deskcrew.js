// What htmx and the browser do not do by themselves: light or dark, following a run's story, tabs of pictures, the keyboard.

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function switchTheme() {
  const dark = root.dataset.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : root.dataset.theme === "dark";
  root.dataset.theme = dark ? "light" : "dark";
  document.cookie = `deskcrew-theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
}

// The story is followed as long as its end is in sight.
const story = () => document.querySelector(".story .scroll");
let following = true;
function follow(force) {
  const box = story();
  if (box && (force || following)) box.scrollTop = box.scrollHeight;
}
document.addEventListener("scroll", (event) => {
  const box = event.target;
  if (box === story()) following = box.scrollTop + box.clientHeight > box.scrollHeight - 80;
}, { capture: true, passive: true });

// The line that is looked at stands out in the story.
function markChosen() {
  const inspector = document.querySelector("#inspector [data-event]");
  for (const line of all(".line a[aria-current]")) line.removeAttribute("aria-current");
  const line = inspector && document.querySelector(`#e${inspector.dataset.event} a`);
  if (!line) return;
  line.setAttribute("aria-current", "true");
  // In its own box only: the page stays where it is.
  const box = story(), top = line.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (top < 0 || top > box.clientHeight - line.offsetHeight) box.scrollTop += top - box.clientHeight / 3;
}

// What was opened is gone to: the operation that was chosen, or the whole reply. Of a reply with several operations any but the
// first is far below its beginning.
function showInspector() {
  const inspector = document.getElementById("inspector");
  if (!inspector?.firstElementChild) return;
  const chosen = inspector.querySelector("[data-chosen]");
  const place = chosen && chosen !== inspector.querySelector(".deed") ? chosen : inspector, top = place.getBoundingClientRect().top;
  const bar = document.querySelector(".bar").offsetHeight, narrow = matchMedia("(max-width: 60rem)").matches;
  if (!narrow && top >= bar && top < innerHeight / 2) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

// The request for what is to be looked at next. An element hears htmx:abort only once it has asked for something itself, and
// which one that was is not known here.
let opening = null;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => { if (ctx.target?.id === "inspector") opening = ctx; });
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => { if (ctx === opening) opening = null; });

function closeInspector() {
  const inspector = document.getElementById("inspector");
  opening?.request.abort(); // what is still on its way would open it again
  if (!inspector?.firstElementChild) return false;
  const at = inspector.querySelector("[data-event]")?.dataset.event;
  inspector.replaceChildren();
  const address = new URL(location.href);
  address.searchParams.delete("event");
  history.pushState(null, "", address);
  markChosen();
  // A line may be one of those that are not fetched yet.
  (document.querySelector(`#e${at} a`) ?? story())?.focus();
  return true;
}

function selectTab(button) {
  const group = button.closest("[data-pictures]");
  const tabs = all("[role=tab]", group), panels = all("[role=tabpanel]", group);
  tabs.forEach((tab, index) => {
    tab.setAttribute("aria-selected", String(tab === button));
    panels[index].hidden = tab !== button;
  });
}

document.addEventListener("click", (event) => {
  const hit = (selector) => event.target.closest(selector);
  if (hit("[data-theme-switch]")) switchTheme();
  else if (hit("[data-close]")) hit("[data-close]").parentElement.remove();
  else if (hit("[data-close-inspector]")) { event.preventDefault(); closeInspector(); }
  else if (hit("[data-select]")) hit("[data-select]").select();
  else if (hit("[role=tab]")) selectTab(hit("[role=tab]"));
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, [contenteditable], canvas")) return;
  if (event.key === "Escape") { if (!document.querySelector(":popover-open")) closeInspector(); return; }
  if (event.key === "/") { const search = document.getElementById("q"); if (search) { event.preventDefault(); search.focus(); } return; }
  if (event.key !== "j" && event.key !== "k") return;
  const lines = all(".line a");
  if (!lines.length) return;
  // Where somebody has come to, and not what is shown by now: replies come later than keys.
  const focused = lines.indexOf(document.activeElement);
  const current = focused >= 0 ? focused : lines.findIndex((line) => line.hasAttribute("aria-current"));
  const next = lines[current < 0 ? (event.key === "j" ? 0 : lines.length - 1) : current + (event.key === "j" ? 1 : -1)];
  if (next) { event.preventDefault(); next.focus(); next.click(); }
});

// In the timeline arrow keys go along a lane, and to the bar of another lane that is nearest in time.
document.addEventListener("keydown", (event) => {
  const bar = event.target.closest?.(".timeline .lane a");
  const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!bar || !way || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const lanes = all(".timeline .lane"), lane = bar.parentElement, bars = all("a", lane);
  let next = bars[bars.indexOf(bar) + way[1]];
  if (way[0]) {
    const x = (link) => Number(link.querySelector("rect").getAttribute("x")), at = x(bar);
    const other = lanes[lanes.indexOf(lane) + way[0]];
    next = other && all("a", other).reduce((best, link) => (Math.abs(x(link) - at) < Math.abs(x(best) - at) ? link : best));
  }
  if (!next) return;
  bar.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
});

// Another role can be chosen to go on only where it is one that can. A form that was sent is as it was at first.
function offerSwitch() {
  for (const form of all("[data-switching]")) form.querySelector("[value=switch]").disabled = !form.querySelector("option:checked")?.hasAttribute("data-able");
}
document.addEventListener("change", offerSwitch);

// What is wrong with a field stands beside it: the field says so to who does not see it, and is gone to. It holds until
// something is changed or sent.
function markWrong() {
  for (const place of all(".field-error")) {
    const field = document.querySelector(`[aria-describedby~="${place.id}"]`), wrong = Boolean(place.firstElementChild);
    if (!field || wrong === field.hasAttribute("aria-invalid")) continue;
    field.toggleAttribute("aria-invalid", wrong);
    if (!wrong) continue;
    field.setAttribute("aria-invalid", "true");
    for (let box = field.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    field.focus();
    place.scrollIntoView({ block: "nearest" });
  }
}
function clearWrong(form) {
  for (const place of all(".field-error", form)) place.replaceChildren();
  markWrong();
}
document.addEventListener("input", (event) => {
  for (const id of (event.target.getAttribute("aria-describedby") ?? "").split(" ")) {
    if (id.startsWith("error-")) document.getElementById(id)?.replaceChildren();
  }
  markWrong();
});
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => { if (ctx.request.form) clearWrong(ctx.request.form); });

// Plan and story end where the window does: how much room they have depends on what stands above them.
const headline = document.querySelector(".run-page #head");
if (headline) new ResizeObserver(() => root.style.setProperty("--head", `${Math.min(headline.offsetHeight, innerHeight / 2)}px`)).observe(headline);

// Figures that go on by themselves while a run does.
function inWords(seconds) {
  const whole = Math.max(0, Math.floor(seconds)), minutes = Math.floor(whole / 60), two = (value) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  return `${minutes} min ${two(whole % 60)} s`;
}
function tick() {
  for (const figure of all("[data-since]")) {
    const words = inWords(Date.now() / 1000 - Number(figure.dataset.since));
    if (figure.textContent !== words) figure.textContent = words;
  }
}

// What a run waits for is said in the tab's name, for whoever looks at another tab.
const title = document.title;
let asked;
function tellTitle() {
  const ask = document.querySelector("#question .ask");
  if (ask && ask.parentElement.id !== asked) ask.open = true; // a morph leaves out whether what comes anew is open
  asked = ask?.parentElement.id;
  document.title = (ask ? "● asks you · " : "") + title;
}

// The only file that fits a field is chosen once, unless something else was typed there: what was emptied since stays so.
function chooseOnly() {
  for (const { value, dataset } of all("data[data-only]")) {
    const field = document.getElementById(dataset.only);
    if (field.dataset.chosen === value || (field.value && field.value !== field.dataset.chosen)) continue;
    field.value = field.dataset.chosen = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

document.addEventListener("htmx:after:swap", (event) => {
  chooseOnly();
  markChosen();
  // The event comes from what was pressed; where it went is another element.
  if (event.detail.ctx.target?.id === "inspector") showInspector();
  follow();
  markWrong();
  tellTitle();
  tick();
});
document.addEventListener("htmx:after:request", (event) => {
  const form = event.target.closest?.("form[data-clear]");
  if (form && event.detail?.ctx?.response?.status === 204) { form.reset(); offerSwitch(); form.closest("[popover]")?.hidePopover(); }
});

if (document.querySelector(".run-page")) {
  tick();
  setInterval(tick, 1000);
  markChosen();
  showInspector();
  tellTitle();
  if (document.querySelector(".status[data-status=running], .status[data-status=asks]") || story()?.querySelector(".whole")) follow(true);
  else following = false; // what is over and short is read from its beginning
}

// What a browser would hide or turn around is shown, as deskcrew/ways_in/report/text.py does it; joiners shape letters.
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0);
    if (code === 0x200c || code === 0x200d) return character;
    if (code < 0x20 || code === 0x7f) return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

// Where not all pages fit side by side, the one that is shown does.
const nav = document.querySelector(".bar nav"), shown = nav?.querySelector("[aria-current]");
if (shown) nav.scrollLeft = shown.offsetLeft - nav.offsetLeft - (nav.clientWidth - shown.offsetWidth) / 2;

// A task of nothing but blanks is none.
document.querySelector("[data-start] #task")?.addEventListener("input", (event) => {
  event.target.setCustomValidity(event.target.value && !event.target.value.trim() ? "Say what is to be done." : "");
});

// Files are dropped on their field: the browser does that. What was chosen is listed, with its name as a field, and the field
// stands out meanwhile.
for (const field of all(".drop")) {
  const input = field.querySelector("input");
  input.addEventListener("change", () => {
    field.querySelector(".chosen").replaceChildren(...[...input.files].map(({ name }) => {
      const item = document.createElement("li"), text = document.createElement("bdi"), field = document.createElement("input");
      text.textContent = item.title = visible(name);
      Object.assign(field, { type: "hidden", name: "attached", value: name });
      item.append(text, field);
      return item;
    }));
  });
  for (const [name, over] of [["dragenter", true], ["dragover", true], ["dragleave", false], ["drop", false]]) {
    field.addEventListener(name, () => field.classList.toggle("over", over));
  }
}
