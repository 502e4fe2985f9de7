// Operating elements: finding a point that nothing lies over, typing, choosing, setting, and waiting until a page has settled.

const described = (element) => {
  const control = element.closest?.("a[href],button,input,select,textarea,label,[role],dialog") ?? element;
  const name = squeeze((control.getAttribute?.("aria-label") || control.innerText || control.value || control.id || "").slice(0, 60));
  return name ? `“${name}”` : `a ${control.tagName.toLowerCase()}`;
};
// What an element is at this moment, as a look would say it. What a role was given for what is around it is believed.
const roleNow = (element, was) => {
  if (PARTS.has(was)) return was;
  return roleOf(element, element.tagName) || was;
};
const nameNow = (element, role) => {
  if (role === "cell" || role.endsWith(" header")) return cut(textOf(element), LONGEST_NAME);
  if (role === "section") return squeeze(element.getAttribute("aria-label") ?? "");
  const tag = element.tagName;
  return nameOf(element, role, tag === "TEXTAREA" || tag === "SELECT" || element.isContentEditable || (tag === "INPUT" && role !== "button"));
};
const PARTS = new Set(["cell", "column header", "row header", "section", "shape", "document"]);
// What is not as it was meant, null where all is: `meant` is role, name, and where a person was shown it also whose it is, and the
// title and address of the page.
const changedFrom = (element, meant) => {
  if (!meant || meant[0] === "shape" || meant[0] === "document") return null;
  labels = new Map();
  const [wasRole, wasName, wasOwner, title, page] = meant;
  const role = roleNow(element, wasRole), name = nameNow(element, role);
  let owner = null;
  if (wasOwner) {
    // Of a box or radio button it is its group's.
    owner = role === "radio button" || role === "check box" ? wasOwner : Look.prototype.owner.call(null, element, name);
  }
  const now = { role, name, owner, title: squeeze(document.title), page: location.href.split(/[?#]/)[0] };
  const same = role === wasRole && name === wasName && (!wasOwner || owner === wasOwner) && (title == null || title === (now.title || title)) && (page == null || page === now.page);
  return same ? null : now;
};
// Who a secret would be typed for. A sandboxed frame has none of its own.
const origin = () => globalThis.origin;
// For what is not pressed: whether an element is still what was meant, and has the keyboard where that is asked.
const still = (number, meant, focus) => {
  const element = elementOf(number);
  if (!element) return { gone: true };
  if (focus && focused() !== element) return { elsewhere: true };
  const changed = changedFrom(element, meant);
  return changed ? { changed } : {};
};
// What a link leads to, and whether its page says that it is to be saved.
const linked = (number) => {
  const link = elementOf(number)?.closest("a[href], area[href]");
  return link ? { address: String(link.href), saves: link.hasAttribute("download") } : null;
};
// Where a point of a frame, given by the number of the element that holds it, is in this one; brought into view.
const reveal = (number, x, y) => {
  const element = elementOf(number);
  if (!element) return null;
  const point = () => {
    const box = element.getBoundingClientRect();
    return [box.x + element.clientLeft + x, box.y + element.clientTop + y];
  };
  const [left, top] = point();
  if (left < 0 || left >= innerWidth || top < 0 || top >= innerHeight || !over(number, left, top)) {
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const [right, low] = point();
    if (low < 0 || low >= innerHeight) scrollBy({ top: low - innerHeight / 2, left: 0, behavior: "instant" });
    if (right < 0 || right >= innerWidth) scrollBy({ top: 0, left: right - innerWidth / 2, behavior: "instant" });
  }
  const [x2, y2] = point();
  return [x2, y2, x2 !== left || y2 !== top];
};
// Resolves once the page has been drawn as it is now.
const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0))));
// Brings an element into view and finds a point of it. `watch`: note what the next press of a mouse button lands on.
const aim = (number, watch, meant) => {
  labels = new Map();
  const element = elementOf(number);
  if (!element) return { gone: true };
  const changed = changedFrom(element, meant);
  if (changed) return { changed };
  if (watch && disabled(element)) return { disabled: true };
  if (watch && element.tagName === "SELECT") return { options: optionsOf(element, "SELECT") };
  let box = boxOf(element);
  if (!box) return { gone: true };
  let point = box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth ? freePoint(element, box) : null;
  if (!point) {
    (element.getBoundingClientRect().width >= 3 ? element : labelsOf(element)[0] ?? element).scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    box = boxOf(element);
    point = box && freePoint(element, box);
  }
  if (!point) {
    const top = box && deepest(box.x + box.width / 2, box.y + box.height / 2);
    return { covered: top ? described(top) : "something else" };
  }
  if (watch) {
    struck = null;
    armed = { element: new WeakRef(element), meant };
    refused = false;
  }
  return point;
};
// What the press lands on is compared here, before the page hears of it: nothing can come between. A press of another thing than
// was meant is kept from the page, with all that belongs to it.
let refused = false;
// A press at a point of the picture: `number` is of the element that it may land on; 0: on nothing that can be pressed, since
// nothing there was told of; -1: nowhere here, since the point is in another frame.
const PRESSED = new Set(["button", "toggle button", "menu button", "link", "menu item", "check menu item", "radio menu item", "check box", "radio button", "tab"]);
const allow = (number, meant) => {
  labels = new Map();
  const element = number > 0 ? elementOf(number) : null;
  if (number > 0 && !element) return { gone: true };
  const changed = element ? changedFrom(element, meant) : null;
  if (changed) return { changed };
  struck = null;
  armed = { element: element ? new WeakRef(element) : null, meant, nothing: number === 0 };
  refused = false;
  return {};
};
const untold = (hit) => {
  for (let node = hit; node; node = parentOf(node)) {
    if (node.nodeType !== 1) continue;
    if (PRESSED.has(roleOf(node, node.tagName)) || (listening.has(node) && (node.ariaLabel || node.title))) return node;
  }
  return null;
};
const judge = (event) => {
  const hit = event.composedPath()[0];
  if (armed && !armed.element) {
    const found = armed.nothing && hit?.nodeType > 0 ? untold(hit) : hit;
    armed = null;
    refused = found != null;
    if (refused) setTimeout(() => { refused = false; }, 1000);
    struck = { right: !refused, changed: null, name: refused && found.nodeType === 1 ? described(found) : "something else" };
    return;
  }
  const element = armed?.element.deref();
  if (!element) return;
  const { meant } = armed;
  armed = null;
  labels = new Map();
  const right = hit?.nodeType > 0 && ((within(hit, element) && !(rows.has(element) && innerAt(hit, element))) || labelsOf(element).some((label) => within(hit, label)) || (element.ownerSVGElement !== undefined && within(element, hit)));
  const changed = right ? changedFrom(element, meant) : null;
  refused = !right || changed !== null;
  if (refused) setTimeout(() => { refused = false; }, 1000);  // a person may go on here
  struck = { right, changed, name: right ? "" : hit?.nodeType === 1 ? described(hit) : "something else" };
};
for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu", "dragstart", "selectstart"])
  addEventListener(kind, (event) => {
    if (!event.isTrusted) return;
    if (kind === "pointerdown" || kind === "mousedown") judge(event);
    if (!refused) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true, passive: false });
const landed = () => struck;
const over = (number, x, y) => {
  const element = elementOf(number);
  return element !== null && hits(element, x, y) !== null;
};

const told = (element, ...events) => events.forEach((name) => element.dispatchEvent(new Event(name, { bubbles: true, composed: true })));
const setter = (element) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")?.set;
const ready = (number, clear, meant) => {
  const element = elementOf(number);
  if (!element) return { gone: true };
  const changed = changedFrom(element, meant);
  if (changed) return { changed };
  if (disabled(element)) return { disabled: true };
  if (element.readOnly) {  // what opens for it is in its language and direction
    const { lang } = element.closest("[lang]") ?? document.documentElement;
    return { readOnly: true, language: lang, rightToLeft: getComputedStyle(element).direction === "rtl" };
  }
  element.scrollIntoViewIfNeeded?.();
  element.focus({ preventScroll: true });
  if (focused() !== element) return { unfocused: true };
  const tag = element.tagName, typed = tag === "TEXTAREA" || (tag === "INPUT" && !["date", "time", "datetime-local", "month", "week", "color", "range"].includes(element.type));
  if (!typed && tag === "INPUT") return { set: true };
  if (typed && clear) element.select();
  else if (typed && element.type !== "number" && element.type !== "email") element.setSelectionRange?.(element.value.length, element.value.length);
  else if (!typed) {
    const range = document.createRange();
    range.selectNodeContents(element);
    if (!clear) range.collapse(false);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }
  return { keys: true, empty: (typed ? element.value : element.innerText) === "" };
};
// A secret goes into its element in one step, in which no other frame can take it: nothing is sent to whatever has the keyboard.
const confide = (number, text, clear, meant, where) => {
  if (globalThis.origin !== where) return { elsewhere: true };
  const at = ready(number, clear, meant);
  if (!at.keys) return at;
  const element = elementOf(number);
  if (!document.execCommand("insertText", false, text)) {
    if (element.value === undefined || !setter(element)) return { disabled: true };
    setter(element).call(element, clear ? text : element.value + text);
    told(element, "input");
  }
  return { done: true };
};
const put = (number, value, meant) => {
  const element = elementOf(number);
  if (!element) return { gone: true };
  const changed = changedFrom(element, meant);
  if (changed) return { changed };
  if (disabled(element) || element.readOnly) return { disabled: true };
  element.focus({ preventScroll: true });
  if (!setter(element)) return slide(element, Number(value));
  setter(element)?.call(element, value);
  told(element, "input", "change");
  return { value: element.value };
};
// Sets what is made to look like a slider by its keys, as far as what it shows comes nearer.
const slide = async (element, wanted) => {
  const shown = () => Number.parseFloat((element.getAttribute("aria-valuenow") ?? numberBeside(element) ?? "").replace("−", "-").replace(",", "."));
  const press = async (key, code, times) => {
    for (let done = 0; done < times; done++) for (const kind of ["keydown", "keyup"]) element.dispatchEvent(new KeyboardEvent(kind, { key, code: key, keyCode: code, which: code, bubbles: true, composed: true, cancelable: true }));
    await new Promise((resolve) => setTimeout(resolve, 0));
    return shown();
  };
  const up = ["ArrowRight", 39], down = ["ArrowLeft", 37];
  let value = shown();
  for (let tries = 0; tries < MOST_PRESSES && value !== wanted; tries++) {
    const key = wanted > value ? up : down, next = await press(...key, 1), step = Math.abs(next - value);
    if (!(Math.abs(next - wanted) < Math.abs(value - wanted))) break;  // it does not hear, or steps over it
    value = await press(...key, Math.min(MOST_PRESSES, Math.floor(Math.abs(wanted - next) / step + 1e-6)));
  }
  return { value: String(shown()) };
};
const read = (number) => {
  const element = elementOf(number);
  if (!element || element.type === "password") return "";
  return (element.value ?? element.innerText ?? "").slice(0, 4000).toWellFormed();
};
const readFocused = () => {
  const element = focused();
  return element && (element.value !== undefined || element.isContentEditable) ? read(numberOf(element)) : "";
};
const choose = (number, wanted, meant) => {
  const element = elementOf(number);
  if (!element) return { gone: true };
  const changed = changedFrom(element, meant);
  if (changed) return { changed };
  if (element.tagName !== "SELECT") return { other: true };
  if (disabled(element)) return { disabled: true };
  const options = [...element.options], plain = (text) => squeeze(text).toLowerCase();
  const option = options.find((one) => squeeze(one.label || one.text) === wanted) ?? options.find((one) => plain(one.label || one.text) === plain(wanted)) ?? options.find((one) => one.value === wanted);
  if (!option || option.disabled) return { options: options.filter((one) => !one.disabled).map((one) => squeeze(one.label || one.text)).slice(0, 40) };
  element.focus({ preventScroll: true });
  option.selected = true;
  told(element, "input", "change");
  return { value: squeeze(option.label || option.text) };
};
const select = (number, text, spot, meant) => {
  const element = elementOf(number);
  if (!element) return { gone: true };
  const changed = changedFrom(element, meant);
  if (changed) return { changed };
  element.focus?.({ preventScroll: true });
  const whole = element.value ?? null;
  const range = document.createRange();
  const nodes = [];
  if (whole === null) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) nodes.push(walker.currentNode);
  }
  const all = whole ?? nodes.map((node) => node.data).join("");
  const at = all.indexOf(text);
  if (at < 0 || all.indexOf(text, at + 1) >= 0) return { times: at < 0 ? 0 : 2 };
  let from = at, to = at + text.length;
  const start = all.lastIndexOf("\n", at - 1) + 1, stop = all.indexOf("\n", to), line = all.slice(start, stop < 0 ? all.length : stop);
  if (spot === "line") { from = start; to = stop < 0 ? all.length : stop; }
  if (spot === "before") to = from;
  if (spot === "after") from = to;
  if (whole !== null) element.setSelectionRange(from, to);
  else {
    const seek = (offset) => { for (const node of nodes) { if (offset <= node.length) return [node, offset]; offset -= node.length; } return [element, element.childNodes.length]; };
    range.setStart(...seek(from));
    range.setEnd(...seek(to));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }
  told(element, "keyup", "mouseup");  // editors that take note of what is selected do so then
  return { text: spot === "text" || spot === "line" ? all.slice(from, to) : line };
};

// Whether something that covers much of the page is on its way, as a dialog that fades: what is under it cannot be used yet.
const fading = () => document.getAnimations().some((one) => {
  if (!(one instanceof CSSTransition) || one.playState !== "running" || one.effect.getComputedTiming().endTime > LONGEST_FADE) return false;
  const box = one.effect.target?.getBoundingClientRect();
  return box !== undefined && box.width * box.height > (innerWidth * innerHeight) / 4;
});
// Resolves once nothing in the page has changed for `quiet` milliseconds and it has been drawn, after `longest` at most.
const settle = (quiet, longest) => new Promise((resolve) => {
  let timer = 0;
  const done = (calm) => { observer.disconnect(); removeEventListener("load", again); clearTimeout(timer); clearTimeout(bound); resolve(calm); };
  const again = () => { clearTimeout(timer); if (document.readyState === "complete") timer = setTimeout(() => (fading() ? again() : done(true)), quiet); };
  addEventListener("load", again);
  const observer = new MutationObserver(again);
  const bound = setTimeout(() => done(false), longest);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  again();
});
// The same, but it begins with a change.
const change = (quiet, longest) => new Promise((resolve) => {
  const observer = new MutationObserver(() => { observer.disconnect(); clearTimeout(bound); resolve(settle(quiet, longest)); });
  const bound = setTimeout(() => { observer.disconnect(); resolve(false); }, longest);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
});

Object.assign(globalThis.deskcrew, { reveal, drawn, origin, still, linked, aim, allow, landed, over, ready, confide, put, read, readFocused, choose, select, settle, change });
