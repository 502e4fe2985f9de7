// What an element of a page is: its name, kind, states, value, what can be done to it, and where it is in view.
// All places are in CSS pixels of this frame's viewport. Elements are known outside by numbers that they keep.

const LONGEST_NAME = 120, LONGEST_VALUE = 20000, LONGEST_PRESSED = 300, MOST_OPTIONS = 40, MOST_CELLS = 250, MOST_NODES = 80000, DEEPEST = 400;
const SCREENS_ABOVE = 1, SCREENS_BELOW = 4, MOST_OUT_OF_VIEW = 150, MOST_CONTROLS = 6000, MOST_TEXT = 6000, MOST_PIECES = 1000, APART = 2, MOST_TRIED = 500, MOST_PRESSES = 1000, LONGEST_FADE = 1000;
const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "BR", "OPTION", "OPTGROUP", "DATALIST"]);
const OPERATED = new Set(["A", "BUTTON", "INPUT", "SELECT", "TEXTAREA"]);
const ENTERED = new Set(["INPUT", "SELECT", "TEXTAREA"]);
const LABELLED = new Set(["BUTTON", "INPUT", "METER", "OUTPUT", "PROGRESS", "SELECT", "TEXTAREA"]);
const TYPED = new Set(["text", "search", "email", "url", "tel", "password", "number", "date", "time", "datetime-local", "month", "week"]);
const INPUTS = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "check box", radio: "radio button",
  range: "slider", number: "number field", password: "password field", file: "file field", date: "date editor",
  time: "date editor", "datetime-local": "date editor", month: "date editor", week: "date editor",
};
const ROLES = {
  button: "button", link: "link", checkbox: "check box", radio: "radio button", switch: "toggle button", tab: "tab",
  menuitem: "menu item", menuitemcheckbox: "check menu item", menuitemradio: "radio menu item", option: "list item",
  treeitem: "tree item", combobox: "combo box", listbox: "list", textbox: "text field", searchbox: "text field",
  slider: "slider", spinbutton: "number field",
};
const TOGGLES = new Set(["check box", "radio button", "toggle button", "check menu item", "radio menu item"]);
const CHOSEN = new Set(["tab", "list item", "tree item"]);
const OWNERS = "tr,li,[role=row],[role=listitem],article,fieldset,dialog,[role=dialog],[role=group],[role=radiogroup],[role=article],form,section,td";

// What is operated for itself within something that can be pressed as a whole.
const INNER = "a[href],button,input,select,textarea,label,[role=button],[role=link],[role=checkbox],[role=switch],[role=menuitem],[onclick]", MOST_INNER = 12;
const FIELDS = "input,select,textarea,button", NO_LABEL = `${FIELDS},table,ul,ol,form`;
const PLAIN = /^(?:ui|state|corner|widget|default|all|active|hover|focus|icon|button|content|item|wrapper|container|inner)$|-(?:state|corner|widget)-/;
// A slider of a page's own making: a handle that takes the keyboard, in something that is called one.
const SLIDER = "[class*=slider i]", HANDLE = "[class*=handle i],[class*=thumb i],[class*=knob i]", DRAGGED = "[draggable=true],.ui-draggable,.ui-sortable-handle";
const NUMBER = /^[-−+]?\d+(?:[.,]\d+)?$/;
// A switch of a page's own making, and how such say that they are on.
const SWITCH = /(?:^|[-_\s])(?:toggle|switch)(?:$|[\s]|[-_](?:switch|button|btn|control)(?:$|\s))/i, ON = /(?:^|[-_])(?:on|active|checked|enabled|selected)$/i;
const SHAPES = "circle,ellipse,rect,polygon,line,text", MOST_SHAPES = 40, LEAST_DRAWING = 40;
const COLOURS = {
  black: [0, 0, 0], white: [255, 255, 255], grey: [128, 128, 128], red: [255, 0, 0], green: [0, 128, 0], lime: [0, 255, 0], blue: [0, 0, 255],
  yellow: [255, 255, 0], orange: [255, 165, 0], purple: [128, 0, 128], magenta: [255, 0, 255], cyan: [0, 255, 255], brown: [139, 69, 19], pink: [255, 192, 203],
};
const HUES = [[15, "red"], [45, "orange"], [68, "yellow"], [165, "green"], [195, "cyan"], [255, "blue"], [290, "purple"], [345, "pink"], [361, "red"]];
const WORDY = /[\p{L}\p{N}]/u;
const numbers = new WeakMap(), elements = new Map(), listening = new WeakSet();
// What can be pressed as a whole although there is more in it; what a control is the only one of its kind and name in.
const rows = new WeakSet(), cards = new WeakMap();
// What nothing that people read says the name of.
const unsaid = new WeakSet();
let next = 1, struck = null, armed = null, found = { text: "", at: -1 };

const numberOf = (element) => {
  let number = numbers.get(element);
  if (!number) {
    numbers.set(element, (number = next++));
    elements.set(number, new WeakRef(element));
  }
  return number;
};
const elementOf = (number) => {
  const element = elements.get(number)?.deref();
  if (element?.isConnected) return element;
  elements.delete(number);
  return null;
};

const squeeze = (text) => text.replace(/\s+/g, " ").trim().toWellFormed();
const cut = (text, longest) => (text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text).toWellFormed();
const parentOf = (node) => node.assignedSlot ?? node.parentNode ?? node.host ?? null;
const within = (inner, outer) => {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
  return false;
};
const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
// The selectors by which a style sheet draws what is transparent until the pointer is there, without the pointer.
const revealing = (rules, around) => [...rules].flatMap((rule) => {
  const selector = (rule.selectorText ?? around).replaceAll("&", `:is(${around || ":root"})`);
  const drawn = rule.style?.opacity && rule.style.opacity !== "0" && /(?<!\\):hover/.test(selector);
  const own = drawn ? [selector.replace(/(^|[\s>+~,(])(?<!\\):hover/g, "$1*").replace(/(?<!\\):hover/g, "")] : [];
  return [...own, ...revealing(rule.cssRules ?? [], selector)];
});
const sheets = new WeakMap();
const selectorsOf = (sheet) => {
  let rules;
  try { rules = sheet.cssRules; } catch { return []; }  // It is another site's.
  const known = sheets.get(sheet);
  if (known?.count === rules.length) return known.selectors;
  const selectors = revealing(rules, "");
  sheets.set(sheet, { count: rules.length, selectors });
  return selectors;
};
// Whether it is transparent only as long as the pointer is elsewhere: a press, for which the pointer goes there, works.
const onHover = (element) => {
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const root = element.getRootNode(), selectors = [...root.styleSheets, ...root.adoptedStyleSheets].flatMap(selectorsOf);
  if (!selectors.length) return false;
  for (let node = element; node?.nodeType === 1; node = node.parentElement) {
    if (getComputedStyle(node).opacity === "0" && !selectors.some((selector) => node.matches(selector))) return false;
  }
  return true;
};
const reached = (element) => seen(element) || onHover(element);

// Asking an element for its labels makes the browser look through the whole page; so all labels are asked what they are
// for, once for each look.
let labels = new Map();
const labelsOf = (element) => {
  if (!LABELLED.has(element.tagName)) return [];
  const root = element.getRootNode();
  let known = labels.get(root);
  if (!known) {
    labels.set(root, (known = new Map()));
    for (const label of root.querySelectorAll?.("label") ?? []) {
      if (label.control) known.set(label.control, [...(known.get(label.control) ?? []), label]);
    }
  }
  return known.get(element) ?? [];
};

// -- names

const textOf = (element) => {
  // What is written is asked for, and not what is drawn, where both are the same: that is much quicker.
  const said = squeeze((element.childElementCount ? element.innerText : element.textContent) ?? "");
  if (said || !element.childElementCount) return said;
  for (const inner of element.querySelectorAll("img[alt],[aria-label],svg title,[title]")) {
    const name = inner.getAttribute("alt") || inner.getAttribute("aria-label") || inner.getAttribute("title") || inner.textContent;
    if (name?.trim()) return squeeze(name);
  }
  return "";
};
// What a row says besides the words of what is operated for itself in it.
const wordsOf = (element) => {
  const words = [], inner = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node.nodeType === 3 ? NodeFilter.FILTER_ACCEPT : node.matches(INNER) || SKIPPED.has(node.tagName) || !node.checkVisibility() ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP);
  while (inner.nextNode()) words.push(inner.currentNode.data);
  return squeeze(words.join(" "));
};
const innerAt = (node, outer) => {
  for (; node && node !== outer; node = parentOf(node)) if (node.nodeType === 1 && (node.matches(INNER) || listening.has(node))) return node;
  return null;
};
const referred = (element, attribute) => {
  const root = element.getRootNode();
  return squeeze((element.getAttribute(attribute) ?? "").split(/\s+/).map((id) => (id && root.getElementById?.(id)?.textContent) || "").join(" "));
};
// What stands before a field that no label is for: in the cell or the line before it, where people look.
const before = (element) => {
  const cell = element.closest("td");
  const side = element.previousElementSibling ?? (cell && cell.querySelectorAll("input,select,textarea").length === 1 ? cell.previousElementSibling : null);
  const text = element.previousSibling?.nodeType === 3 ? squeeze(element.previousSibling.data) : "";
  if (text) return text;
  if (side) return !side.matches(NO_LABEL) && !side.querySelector(FIELDS) ? squeeze(side.innerText ?? "") : "";
  // Or above it, where it stands in a box of its own.
  const own = element.parentElement, above = own?.previousElementSibling, shown = element.matches(FIELDS) && !element.matches("button") ? "" : squeeze(element.innerText ?? "");
  if (!above || [...own.querySelectorAll(FIELDS)].some((one) => one !== element) || squeeze(own.innerText ?? "") !== shown || above.matches(NO_LABEL) || above.querySelector(FIELDS)) return "";
  const words = squeeze(above.innerText ?? "");
  return words.length <= 60 ? words : "";
};
// What a picture to be pressed is called in the page itself, where nothing else says what it is for: "ql-bold" is bold.
const byClass = (element) => {
  for (const name of element.classList) {
    const words = name.split(/[-_]+/).filter((word) => word.length > 3 && !PLAIN.test(word));
    if (words.length && name.includes("-") && !PLAIN.test(name)) return words.join(" ");
  }
  return "";
};
// Or what its page does when it is pressed, and what the tests of the page call it.
const byData = (element) => {
  for (const name of ["data-action", "data-testid", "data-test", "data-cy"]) {
    const words = (element.getAttribute(name) ?? "").split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word.length > 2 && !PLAIN.test(word) && word !== "btn");
    if (words.length) return words.join(" ").toLowerCase();
  }
  return "";
};
// What is there for its colour alone is called by it, dark or light: "red".
const swatchOf = (element) => {
  if (element.firstElementChild || squeeze(element.textContent)) return "";
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  const [red, green, blue, alpha = 1] = (style.backgroundColor.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  if (alpha < 0.9 || style.backgroundImage !== "none" || Math.min(box.width, box.height) < 6 || box.width * box.height > (innerWidth * innerHeight) / 8) return "";
  const most = Math.max(red, green, blue), least = Math.min(red, green, blue), light = (most + least) / 2, spread = most - least;
  if (spread < 0.15 * (255 - Math.abs(2 * light - 255)) || spread < 6) return light > 230 ? "white" : light < 25 ? "black" : "grey";
  const hue = (60 * (most === red ? (green - blue) / spread + 6 : most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4)) % 360;
  return HUES.find(([upTo]) => hue < upTo)[1];
};
const nameOf = (element, role, field) => {
  let name = referred(element, "aria-labelledby") || squeeze(element.getAttribute("aria-label") ?? "");
  const own = name ? [] : labelsOf(element);
  if (own.length) {
    name = squeeze(own.map((label) => {
      const inner = [...label.querySelectorAll("select,textarea,option")];
      return inner.length ? [...label.childNodes].filter((node) => !inner.some((one) => node.contains(one))).map((node) => node.textContent).join(" ") : label.innerText || label.textContent;
    }).join(" "));
  }
  if (name) return cut(name, LONGEST_NAME);
  if (element.tagName === "INPUT" && role === "button") {
    name = element.value || element.alt || { submit: "Submit", reset: "Reset" }[element.type] || "";
  } else if (role === "slider") {
    name = element.title || before(sliderOf(element));
    if (NUMBER.test(name)) name = "";
  } else if (field) {
    name = element.placeholder || element.getAttribute("aria-placeholder") || element.title || before(element) || (element.name ?? "");
  } else {
    const text = rows.has(element) ? wordsOf(element) : textOf(element);
    name = (role === "combo box" && before(element)) || (WORDY.test(text) ? text : element.alt || element.title || text || (role === "toggle button" ? before(element) : ""));
    if (!name && (role === "button" || role === "toggle button")) {
      name = byData(element) || byClass(element) || swatchOf(element);
      unsaid.add(element);
    }
  }
  return cut(squeeze(String(name ?? "")), LONGEST_NAME);
};

// -- kinds

const editable = (element) => element.isContentEditable && !element.parentElement?.isContentEditable;
// What listens for its entries, as lists do: each of them is what can be pressed or dragged.
const severalIn = (element) => /^(?:UL|OL)$/.test(element.tagName) && element.children.length > 1 && [...element.children].every((one) => one.textContent.trim());
const sliderOf = (handle) => handle.parentElement?.closest(SLIDER) ?? handle;
// A field that takes no keys, since a calendar opens in which its date is chosen.
const opensCalendar = (element) => element.readOnly && /date|calendar/i.test(`${element.className} ${element.id} ${element.name} ${element.placeholder}`);
const roleOf = (element, tag) => {
  const said = element.getAttribute("role");
  if ((said ?? tag.toLowerCase()) === "button" && element.getAttribute("aria-haspopup") === "listbox" && !(submits(element) && element.form)) return "combo box";
  switch (tag) {
    case "A": case "AREA":
      // One without an address that says in a word what it does is pressed, as the arrows of a calendar are.
      if (!element.hasAttribute("href") && !said && !element.hasAttribute("onclick") && !element.title) return "";
      return ROLES[said] ?? "link";
    case "BUTTON":
      return element.hasAttribute("aria-pressed") ? "toggle button" : ROLES[said] ?? (element.getAttribute("aria-haspopup") === "menu" ? "menu button" : "button");
    case "INPUT":
      if (element.type === "hidden") return "";
      if (said === "combobox" || said === "switch" || said === "spinbutton" || said === "slider") return ROLES[said];
      return INPUTS[element.type] ?? (opensCalendar(element) ? "date editor" : "text field");
    case "TEXTAREA": return "text area";
    case "SELECT": return element.multiple || element.size > 1 ? "list" : "combo box";
    case "SUMMARY": return "toggle button";
    case "CANVAS": return "canvas";
    case "VIDEO": case "AUDIO": return element.controls ? "button" : "";
  }
  if (editable(element)) return said === "textbox" && element.getAttribute("aria-multiline") !== "true" ? "text field" : "text area";
  if (said && ROLES[said]) return ROLES[said];
  if (element.tabIndex >= 0 && element.matches(HANDLE) && sliderOf(element) !== element) return "slider";
  return element.hasAttribute("onclick") ? "button" : "";
};
const isSwitch = (element) => element.tagName !== "BUTTON" && !element.hasAttribute("aria-checked") && typeof element.className === "string" && SWITCH.test(element.className) && !WORDY.test(element.textContent);
// How the column of a table is sorted that an element heads, or is in the head of.
const sorted = (element) => {
  const said = element.closest("[aria-sort]")?.getAttribute("aria-sort");
  return said === "ascending" || said === "descending" ? [`sorted ${said}`] : [];
};
const statesOf = (element, role, focus, off) => {
  const states = [], aria = (name) => element.getAttribute(`aria-${name}`);
  const on = element.type === "checkbox" || element.type === "radio" ? element.checked : aria("checked") === "true" || (role === "toggle button" && isSwitch(element) && [...element.classList].some((name) => ON.test(name)));
  if (on) states.push("checked");
  if (aria("pressed") === "true") states.push("pressed");
  if (aria("selected") === "true" || element.selected === true) states.push("selected");
  if (aria("current") && aria("current") !== "false") states.push("selected");
  if (aria("expanded") === "true" || (element.tagName === "SUMMARY" && element.parentElement?.open)) states.push("expanded");
  if (element === focus) states.push("focused");
  if (element.indeterminate || aria("checked") === "mixed") states.push("partly checked");
  if (element.required || aria("required") === "true") states.push("required");
  if (aria("invalid") === "true") states.push("invalid");
  if (off) states.push("disabled");
  return [...states, ...sorted(element)];
};
const colourOf = (element) => {
  const style = getComputedStyle(element), paint = /^rgba\(.*, 0\)$|^none/.test(style.fill) ? style.stroke : style.fill;
  const [red, green, blue] = (paint.match(/[\d.]+/g) ?? []).map(Number);
  if (blue === undefined) return "";
  const far = ([r, g, b]) => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  const name = Object.keys(COLOURS).reduce((best, one) => (far(COLOURS[one]) < far(COLOURS[best]) ? one : best));
  return name === "lime" ? "green" : name;
};
const shapeOf = (element, box) => {
  const corners = element.points?.numberOfItems ?? 0, said = squeeze(element.textContent ?? "");
  switch (element.tagName) {
    case "rect": return Math.abs(box.width - box.height) < 2 ? "square" : "rectangle";
    case "polygon": return corners === 3 ? "triangle" : `shape with ${corners} corners`;
    case "text": return `${/^\d+$/.test(said) ? "number" : said.length === 1 ? "letter" : "text"} “${cut(said, 40)}”`;
    default: return element.tagName;
  }
};
// What says its text as its name already: "all" of it, or only "words" of a text that goes on around it.
const sayer = (tag, role, element) => {
  if (role === "link" || (role === "button" && tag !== "BUTTON" && tag !== "INPUT")) return "words";
  if (tag === "LABEL" && element.control) return "all";
  return role && role !== "canvas" ? "all" : "";
};
const disabled = (element) => element.matches(":disabled") || element.getAttribute("aria-disabled") === "true" || element.closest("[inert]") !== null;
const valueOf = (element, role, tag) => {
  if (role === "password field") return null;
  if (tag === "SELECT") return cut(squeeze([...element.selectedOptions].map((option) => option.text).join(", ")), LONGEST_VALUE);
  if (element.type === "file") return cut([...element.files].map((file) => file.name).join(", "), LONGEST_VALUE);
  if (role === "check box" || role === "radio button" || role === "button" || role === "link") return null;
  if (tag === "INPUT" || tag === "TEXTAREA") return cut(element.value, LONGEST_VALUE);
  if (role === "text area" || role === "text field") return cut(element.innerText?.trim() ?? "", LONGEST_VALUE);
  if (role === "slider" || role === "number field") {
    const said = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? numberBeside(element);
    return said === null ? null : cut(said, LONGEST_VALUE);
  }
  if (role === "combo box") return cut(textOf(element), LONGEST_VALUE);
  return null;
};
// What a slider is set to, where only the number beside it says so.
const numberBeside = (element) => {
  const own = sliderOf(element);
  const numbers = (some) => some.map((one) => squeeze(one?.value ?? one?.textContent ?? "")).filter((text) => NUMBER.test(text));
  const near = numbers([own.nextElementSibling, own.previousElementSibling]);
  if (near.length) return near[0];
  const around = own.parentElement?.querySelectorAll(`[role=slider],${HANDLE}`).length === 1 ? numbers([...own.parentElement.children]) : [];
  return around.length === 1 ? around[0] : null;
};
const operationsOf = (element, role, tag) => {
  const able = [];
  if (role !== "slider" && tag !== "SELECT") able.push("click");
  const written = tag === "TEXTAREA" || (tag === "INPUT" && (TYPED.has(element.type) || !INPUTS[element.type])) || element.isContentEditable;
  if (written && (!element.readOnly || role === "date editor") && element.getAttribute("aria-readonly") !== "true") able.push("type");
  if (TOGGLES.has(role)) able.push("toggle");
  if (role === "combo box" || role === "list" || CHOSEN.has(role)) able.push("select");
  if (role === "slider" || (role === "number field" && written)) able.push("set");
  return able;
};
const optionsOf = (element, tag) => {
  if (tag !== "SELECT" || element.options.length > MOST_OPTIONS) return [];
  return [...element.options].filter((option) => !option.disabled).map((option) => squeeze(option.label || option.text)).filter(Boolean);
};

// -- places

const deepest = (x, y) => {
  let element = document.elementFromPoint(x, y);
  while (element?.shadowRoot) {
    const inner = element.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === element) break;
    element = inner;
  }
  return element;
};
const hits = (element, x, y) => {
  const top = deepest(x, y);
  if (!top) return null;
  if (within(top, element)) return rows.has(element) && innerAt(top, element) ? null : element;
  for (const label of labelsOf(element)) if (within(top, label)) return label;
  return element.ownerSVGElement && within(element, top) ? top : null;  // a shape that is not filled: its place in the drawing
};
// A point of an element that nothing lies over, in view; null where there is none.
const POINTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
const MORE_POINTS = [...POINTS, [0.35, 0.5], [0.65, 0.5], [0.2, 0.5], [0.8, 0.5], [0.1, 0.5], [0.9, 0.5], [0.1, 0.15], [0.9, 0.15]];
const freePoint = (element, box) => {
  const left = Math.max(box.x, 0), top = Math.max(box.y, 0);
  const right = Math.min(box.x + box.width, innerWidth), bottom = Math.min(box.y + box.height, innerHeight);
  if (right - left < 1 || bottom - top < 1) return null;
  const width = right - left, height = bottom - top;
  for (const [across, down] of rows.has(element) ? MORE_POINTS : POINTS) {
    const x = left + width * across, y = top + height * down;
    if (hits(element, x, y)) return { x, y };
  }
  const line = element.getClientRects()[0];  // of a link over two lines, the middle of its box may be beside it
  if (line && hits(element, line.x + line.width / 2, line.y + line.height / 2)) return { x: line.x + line.width / 2, y: line.y + line.height / 2 };
  return null;
};
// Where a control is to be operated: its own box, or its label's where it is drawn as nothing itself.
const boxOf = (element) => {
  const box = element.getBoundingClientRect();
  if (box.width >= 3 && box.height >= 3 && reached(element)) return box;
  for (const label of labelsOf(element)) {
    const place = label.getBoundingClientRect();
    if (place.width >= 3 && place.height >= 3 && seen(label)) return place;
  }
  return null;
};
const clipped = (element, box) => {
  // By its type, and not by its class: an element may have come from the world of another frame first, with that one's classes.
  for (let node = parentOf(element); node?.nodeType === 1 || node?.nodeType === 11; node = parentOf(node)) {
    if (node.nodeType !== 1) continue;
    const style = getComputedStyle(node);
    if (style.overflowX === "visible" && style.overflowY === "visible") continue;
    const frame = node.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (x < frame.left || x > frame.right || y < frame.top || y > frame.bottom) return scrolls(node, style);
  }
  return false;
};
const scrolls = (element, style) =>
  (/auto|scroll/.test(style.overflowY) && element.scrollHeight > element.clientHeight + 4) ||
  (/auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 4);
const rounded = (box) => [Math.round(box.x), Math.round(box.y), Math.max(1, Math.round(box.width)), Math.max(1, Math.round(box.height))];

const focused = () => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element === document.body ? null : element;
};
const modal = () => {
  const open = [...document.querySelectorAll("dialog:modal")].pop();
  if (open) return open;
  return [...document.querySelectorAll("[aria-modal=true]")].filter((one) => seen(one) && one.getBoundingClientRect().width > 1).pop() ?? null;
};
// What covers all of the page that is in view, if anything does that stays where it is when the page is scrolled.
const veilOf = () => {
  const corners = [[2, 2], [innerWidth - 20, 2], [2, innerHeight - 3], [innerWidth - 20, innerHeight - 3]].map(([x, y]) => deepest(x, y));
  for (let node = corners[0]; node; node = parentOf(node)) {
    if (node.nodeType !== 1 || getComputedStyle(node).position !== "fixed") continue;
    return corners.every((corner) => corner && within(corner, node)) ? node : null;
  }
  return null;
};

Object.assign(globalThis.deskcrew, { numberOf, elementOf });
