// Which of several alike is chosen, where only its class or how it is drawn says so.

const CHOSEN_CLASS = new Set(["selected", "active", "current", "checked", "chosen", "picked", "pressed"]), FILLED_CLASS = new Set(["filled", "full", "lit", "on"]);
const DENIED = new Set(["not", "no", "non", "un", "has", "any"]), MARKED = new Set(["button", "link", "tab", "list item", "menu item", "tree item", "toggle button"]);
const DRAWN = ["backgroundColor", "borderTopColor", "borderTopWidth", "outlineStyle", "outlineColor", "boxShadow", "color", "fill", "fontWeight", "transform", "textDecorationLine"];
const MOST_ALIKE = 60, LONGEST_ALIKE = 60;

// The last words of an element's classes that deny nothing: of "tabActive is-on", "active" and "on".
const lastWords = (element) =>
  [...element.classList].map((name) => name.split(/[-_]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase()))
    .filter((words) => !words.some((word) => DENIED.has(word)) && (words.at(-1) !== "on" || words.length < 3)).map((words) => words.at(-1));
// What surrounds all of a group, and an element's place in it: a button, or what is around it alone.
const placeOf = (element) => {
  const chain = [element];
  for (let node = parentOf(element); node?.nodeType === 1; node = parentOf(node)) {
    if (node.childElementCount > 1) return [node, chain];
    chain.push(node);
  }
  return [null, chain];
};

class Group {
  constructor() { this.members = []; }

  // A chain with what is drawn within: the picture of a star, say.
  parts(chain) { return [...chain, ...[...chain[0].querySelectorAll("*")].slice(0, 3)]; }

  add(control, chain) { this.members.push({ control, parts: this.parts(chain), text: squeeze(chain[0].textContent) }); }

  // Whether they are all the same, as stars are, and not colours to choose from: then as many as are marked are meant.
  get scale() {
    const colours = new Set(this.members.map(({ parts }) => getComputedStyle(parts[0]).backgroundColor));
    return colours.size < 3 && this.members.every((one) => one.text === this.members[0].text && one.text.length < 3);
  }

  // Those whose class says that they are chosen.
  get chosen() {
    const words = this.scale ? new Set([...CHOSEN_CLASS, ...FILLED_CLASS]) : CHOSEN_CLASS;
    return this.members.filter(({ parts }) => parts.some((part) => lastWords(part).some((word) => words.has(word))));
  }

  // `others`: groups elsewhere of the same kind. That all of them are chosen says something only of a scale, and only where
  // in another one some are not.
  mark(others) {
    if (this.members.length < 2 || this.members.length > MOST_ALIKE) return;
    if (this.members.some(({ control, text }) => text.length > LONGEST_ALIKE || this.says(control))) return;
    const { chosen, scale } = this, like = (one) => one.scale && one.members[0].text === this.members[0].text;
    const some = chosen.length < this.members.length || (scale && others.some((one) => like(one) && one.chosen.length < one.members.length));
    if (chosen.length > 0 && some) this.tell(chosen, "selected");
    else if (!chosen.length && this.members.length > 2) this.tell(this.standingOut(), "highlighted");
  }

  // What says of itself whether it is chosen.
  says([, , , , states, , , , , , , , element]) {
    return ["checked", "selected", "pressed", "expanded"].some((state) => states.includes(state)) || ["aria-selected", "aria-pressed", "aria-checked", "aria-expanded"].some((name) => element.hasAttribute(name));
  }

  tell(some, state) { for (const { control } of some) control[4].push(state); }

  // Those that are drawn otherwise than all others, by what the page says of them and not since the mouse is over them.
  standingOut() {
    const said = this.members.map(({ parts }) => parts.map((part) => `${part.getAttribute("class")}\n${part.getAttribute("style")}\n${part.getAttribute("fill")}`).join());
    if (new Set(said).size === 1) return [];
    const drawn = this.members.map(({ parts }) => parts.map((part) => getComputedStyle(part)));
    const deep = Math.min(...drawn.map((styles) => styles.length));
    for (let at = 0; at < deep; at++) {
      for (const name of DRAWN) {
        const values = drawn.map((styles) => styles[at][name]), few = new Set(values);
        if (few.size !== 2) continue;
        const first = values.lastIndexOf(values[0]) + 1;
        if (this.scale && values.slice(0, first).every((value) => value === values[0])) return this.members.slice(0, first);
        const alone = [...few].find((value) => values.indexOf(value) === values.lastIndexOf(value));
        const odd = values.indexOf(alone);
        if (alone !== undefined && (this.members[odd].parts[at].style[name] || this.means(odd, said))) return [this.members[odd]];
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

const marks = (controls) => {
  const groups = new Map();
  for (const control of controls) {
    const element = control[12];
    if (!element || !MARKED.has(control[1]) || rows.has(element) || control[4].includes("disabled")) continue;
    const [around, chain] = placeOf(element);
    const key = around && `${control[1]}\n${element.tagName}`;
    if (!key) continue;
    const kinds = groups.get(around) ?? groups.set(around, new Map()).get(around);
    const group = kinds.get(key) ?? kinds.set(key, new Group()).get(key);
    group.add(control, chain);
  }
  const all = [...groups.values()].flatMap((kinds) => [...kinds.values()]);
  for (const group of all) group.mark(all);
};
