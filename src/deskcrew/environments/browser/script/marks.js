// Which of several alike is chosen, and what is unfolded, where only a class or how it is drawn says so.

const CHOSEN_CLASS = new Set(["selected", "active", "current", "checked", "chosen", "picked", "pressed"]), FILLED_CLASS = new Set(["filled", "full", "lit", "on"]);
const DENIED = new Set(["not", "no", "non", "un", "has", "any"]), MARKED = new Set(["button", "link", "tab", "list item", "menu item", "tree item", "toggle button"]);
const DRAWN = ["backgroundColor", "borderTopColor", "borderTopWidth", "outlineStyle", "outlineColor", "boxShadow", "color", "fill", "fontWeight", "transform", "textDecorationLine"];
const LETTER = /\p{L}/u, MOST_ALIKE = 60, LONGEST_ALIKE = 60;
const ACTIONS = new Set(["actions", "footer"]);
// Of an entry with much in it, these say something else: that a customer is active, or a price the current one.
const VAGUE_CLASS = new Set(["active", "current", "pressed"]);
const OPEN_CLASS = new Set(["open", "opened", "expanded", "unfolded"]);
const TURNED_CLASS = new Set(["rotated", "reverse", "reversed", "flipped"]), SHOWN_CLASS = new Set([...OPEN_CLASS, "show", "shown", "visible"]);
const OPENS = /^(?:js|btn|button|icon|link|action)[-_]/i;  // "btn-open" is what opens something
const FOLDS = /accordion|collaps|expand|disclos|drop-?down|submenu/i, CHOOSES = /select(?!ed|ion|able)|combo/i;
const ARROW = "[class*=arrow i],[class*=caret i],[class*=chevron i],[class*=expander i]", ARROW_SIGN = /[▲-▿⌃⌄]$|^[▲-▿]/;
// What these name is what is unfolded, and not what unfolds it.
const UNFOLDED = new Set(["menu", "list", "panel", "content", "options", "items", "body", "popup", "popover", "modal", "dialog", "drawer", "sidebar", "overlay", "collapse"]);

// A class as it was written, without what a bundler adds: of "Tabs_active__x1Y2z" and "_active_x1y2z_5", "active".
const unhashed = (name) => name.replace(/^(?:[A-Z][\w-]*?_([\w-]+)__[\w+-]{5}|_([\w-]+)_[a-z0-9]{5}_\d+)$/, "$1$2");
// The last words of an element's classes that deny nothing: of "tabActive is-on", "active" and "on".
const lastWords = (element) =>
  [...element.classList].map((name) => unhashed(name).split(/[-_]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase()))
    .filter((words) => !words.some((word) => DENIED.has(word)) && (words.at(-1) !== "on" || words.length < 3)).map((words) => words.at(-1));
const saysOne = (element, words) => lastWords(element).some((word) => words.has(word));
const saysOpen = (element) => saysOne(element, OPEN_CLASS) && ![...element.classList].some((name) => OPENS.test(name) && /open$/i.test(name));
// What surrounds all of a group, and an element's place in it: a button, or what is around it alone, without words of its own.
const placeOf = (element) => {
  const chain = [element];
  for (let node = parentOf(element); node?.nodeType === 1; node = parentOf(node)) {
    if (node.childElementCount > 1 || [...node.childNodes].some((one) => one.nodeType === 3 && LETTER.test(one.data))) return [node, chain];
    chain.push(node);
  }
  return [null, chain];
};

class Group {
  constructor() { this.members = []; }

  // A chain with what is drawn within: the picture of a star, say.
  parts(chain) { return [...chain, ...[...chain[0].querySelectorAll("*")].slice(0, 3)]; }

  add(control, chain) { this.members.push({ control, chain, parts: this.parts(chain), text: squeeze(chain[0].textContent) }); }

  // Whether they are all the same, as stars are, and not colours to choose from: then as many as are marked are meant.
  get scale() {
    const colours = new Set(this.members.map(({ parts }) => getComputedStyle(parts[0]).backgroundColor));
    return colours.size < 3 && this.members.every((one) => one.text === this.members[0].text && one.text.length < 3);
  }

  // Whether they are entries with much in them, of which less can be said.
  get large() { return this.members.some(({ control, text }) => text.length > LONGEST_ALIKE || rows.has(control[12])); }

  // Those whose class says that they are chosen.
  get chosen() {
    if (this.large) {
      const saying = (vague) => this.members.filter(({ chain }) => chain.some((part) => lastWords(part).some((word) => CHOSEN_CLASS.has(word) && vague === VAGUE_CLASS.has(word))));
      const clear = saying(false), vague = saying(true);
      return clear.length || vague.length !== 1 || this.members.length < 3 ? clear : vague;
    }
    const words = this.scale ? new Set([...CHOSEN_CLASS, ...FILLED_CLASS]) : CHOSEN_CLASS;
    return this.members.filter(({ parts }) => parts.some((part) => lastWords(part).some((word) => words.has(word))));
  }

  // `others`: groups elsewhere of the same kind. That all of them are chosen says something only of a scale, and only where
  // in another one some are not.
  mark(others) {
    if (this.members.length < 2 || this.members.length > MOST_ALIKE) return;
    if (this.members.some(({ control }) => this.says(control))) return;
    const { chosen, large } = this, scale = !large && this.scale, like = (one) => one.scale && one.members[0].text === this.members[0].text;
    const some = chosen.length < this.members.length || (scale && others.some((one) => like(one) && one.chosen.length < one.members.length));
    if (chosen.length > 0 && some) this.tell(chosen, "selected");
    else if (!chosen.length && !large && this.members.length > 2) this.tell(this.standingOut(), "highlighted");
  }

  // What says of itself whether it is chosen.
  says([, , , , states, , , , , , , , element]) {
    return ["checked", "selected", "pressed"].some((state) => states.includes(state)) || ["aria-selected", "aria-pressed", "aria-checked"].some((name) => element.hasAttribute(name));
  }

  tell(some, state) { for (const { control } of some) control[4].push(state); }

  // Those that are drawn otherwise than all others, by what the page says of them and not since the mouse is over them, nor since
  // one of the buttons at the end of a form or an entry is the main one, or the only one with words.
  standingOut() {
    if (this.members.some(({ chain }) => chain[0].matches("[type=submit],[type=reset]") || saysOne(parentOf(chain.at(-1)), ACTIONS))) return [];
    const said = this.members.map(({ parts }) => parts.map((part) => `${part.getAttribute("class")}\n${part.getAttribute("style")}\n${part.getAttribute("fill")}`).join());
    if (new Set(said).size === 1) return [];
    const drawn = this.members.map(({ parts }) => parts.map((part) => getComputedStyle(part)));
    const deep = Math.min(...drawn.map((styles) => styles.length));
    for (let at = 0; at < deep; at++) {
      if (this.members.some(({ parts }) => parts[at].tagName !== this.members[0].parts[at].tagName)) break;  // one is made otherwise
      for (const name of DRAWN) {
        const values = drawn.map((styles) => styles[at][name]), few = new Set(values);
        if (few.size !== 2) continue;
        const first = values.lastIndexOf(values[0]) + 1;
        if (this.scale && values.slice(0, first).every((value) => value === values[0])) return this.members.slice(0, first);
        const alone = [...few].find((value) => values.indexOf(value) === values.lastIndexOf(value));
        const odd = values.indexOf(alone);
        if (alone !== undefined && this.members.some((one, n) => n !== odd && !one.text === !this.members[odd].text) && (this.members[odd].parts[at].style[name] || this.means(odd, said))) return [this.members[odd]];
      }
    }
    return [];
  }

  // Whether the page says so itself of the one at a place: the others say all the same, or nothing else explains it.
  means(at, said) {
    const others = new Set(said.filter((_, n) => n !== at));
    return (others.size === 1 && !others.has(said[at])) || !this.members[at].parts.some((part) => part.matches(":hover,:focus-within,:active"));
  }
}

const classOf = (element) => element?.getAttribute("class") ?? "";
const alike = (one, other) => one.tagName === other.tagName && one.classList[0] === other.classList[0] && (one.classList.length > 0 || !/^(?:DIV|SPAN)$/.test(one.tagName));
// How far an arrow is turned, in quarters; null while it is turning. One that stands on its head is so by half a turn.
const turned = (arrow) => {
  const [a, b, , d] = (getComputedStyle(arrow).transform.match(/-?\d[\d.e-]*/g) ?? [1, 0, 0, 1]).map(Number), quarters = Math.atan2(b, a) / (Math.PI / 2);
  if (Math.abs(quarters - Math.round(quarters)) > 0.03) return null;
  return a > 0 && d < 0 ? 2 : Math.round(quarters) % 4;
};

// What unfolds something: a button of a drop-down, the head of an entry that shows more.
class Fold {
  // `firsts`: of what is around controls, the first one in it: the others are what it unfolds.
  constructor(control, around, chain, firsts) {
    const element = control[12], top = chain.at(-1), within = [[top, around]];
    if (around.parentElement) within.push([around, around.parentElement]);
    this.control = control;
    this.chain = chain;
    this.outer = around;
    this.around = [];
    for (const [inner, outer] of within) {
      if (!firsts.has(outer)) firsts.set(outer, control);
      const next = inner.nextElementSibling;
      if (firsts.get(outer) === control && next && !alike(inner, next)) this.around.push(outer);
    }
    this.arrow = element.firstElementChild && element.querySelector(ARROW);
    const next = top.nextElementSibling;
    // Another drop-down beside it is no part of this one.
    this.panel = next && !alike(top, next) && (!FOLDS.test(classOf(next)) || saysOne(next, UNFOLDED)) ? next : null;
    const folds = (kind) => [...chain, ...this.around, this.panel].some((part) => kind.test(classOf(part)));
    this.certain = this.arrow !== null || ARROW_SIGN.test(control[2]) || folds(FOLDS);
    this.likely = this.certain || folds(CHOOSES);
  }

  // Whether the page itself says in a word that it is unfolded.
  get says() {
    const { chain, around, arrow, panel } = this;
    return chain.some(saysOpen) || around.some((part) => saysOpen(part) && !saysOne(part, UNFOLDED)) ||
      (arrow && (saysOpen(arrow) || (this.worded && saysOne(arrow, TURNED_CLASS)))) || (panel && saysOne(panel, SHOWN_CLASS) && this.drawn === true);
  }

  // An arrow by itself leads on or back, whichever way it is turned.
  get worded() { return LETTER.test(this.chain[0].textContent); }

  get drawn() { return this.panel && this.panel.checkVisibility() && this.panel.getBoundingClientRect().height > 0; }
}

// Which are unfolded: by their own words, or since others of their kind are not.
const unfold = (folds) => {
  const kinds = new Map();
  for (const fold of folds) {
    const element = fold.control[12], kind = `${fold.control[1]}\n${element.tagName}\n${element.classList[0] ?? ""}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), fold]);
  }
  for (const some of kinds.values()) {
    let open = some.filter((fold) => fold.says);
    const sure = some.filter((fold) => fold.certain).slice(0, MOST_ALIKE);
    if (!open.length && sure.length > 1) {
      const shown = sure.filter((fold) => fold.drawn), turns = sure.map(({ arrow }) => (arrow ? turned(arrow) : 0));
      if (shown.length && sure.some((fold) => fold.drawn === false)) open = shown;
      else if (new Set(turns).size === 2 && turns.includes(0) && new Set(sure.map(({ outer }) => outer)).size === sure.length && sure.every(({ worded }) => worded)) open = sure.filter((_, at) => (turns.includes(-1) ? turns[at] === 0 : turns[at]));
    }
    for (const { control } of open) control[4].push("expanded");
  }
};

const marks = (controls) => {
  const groups = new Map(), placed = [], folds = [], firsts = new Map();
  for (const control of controls) {
    const element = control[12];
    if (!element || !MARKED.has(control[1]) || control[4].includes("disabled")) continue;
    const [around, chain] = placeOf(element);
    if (!around) continue;
    const fold = new Fold(control, around, chain, firsts);
    if (element.hasAttribute("aria-expanded") || control[4].includes("expanded")) continue;
    if (fold.likely) folds.push(fold);
    placed.push([control, around, chain]);
  }
  unfold(folds);
  for (const [control, around, chain] of placed) {
    if (control[4].includes("expanded")) continue;
    const key = `${control[1]}\n${control[12].tagName}`;
    const kinds = groups.get(around) ?? groups.set(around, new Map()).get(around);
    const group = kinds.get(key) ?? kinds.set(key, new Group()).get(key);
    group.add(control, chain);
  }
  const all = [...groups.values()].flatMap((kinds) => [...kinds.values()]);
  for (const group of all) group.mark(all);
};
