// What a page shows, read in one go by the frame that shows it. Runs in a world of its own: what the page has made of
// JavaScript's built-ins, and whatever else it has defined, is not seen from here, and the page does not see this.
// All places are in CSS pixels of this frame's viewport. Elements are known outside by numbers that they keep.
(() => {
  "use strict";
  if (globalThis.deskcrew) return;

  const LONGEST_NAME = 120, LONGEST_VALUE = 300, MOST_OPTIONS = 40, MOST_CELLS = 250, MOST_NODES = 80000, DEEPEST = 400;
  const SCREENS_ABOVE = 1, SCREENS_BELOW = 4, MOST_OUT_OF_VIEW = 150, MOST_CONTROLS = 6000, MOST_TEXT = 6000, MOST_TRIED = 500, MOST_PRESSES = 1000;
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

  const FIELDS = "input,select,textarea,button", NO_LABEL = `${FIELDS},table,ul,ol,form`;
  const PLAIN = /^(?:ui|state|corner|widget|default|all|active|hover|focus|icon|button|content|item|wrapper|container|inner)$|-(?:state|corner|widget)-/;
  // A slider of a page's own making: a handle that takes the keyboard, in something that is called one.
  const SLIDER = "[class*=slider i]", HANDLE = "[class*=handle i],[class*=thumb i],[class*=knob i]", DRAGGED = "[draggable=true],.ui-draggable,.ui-sortable-handle";
  const NUMBER = /^[-−+]?\d+(?:[.,]\d+)?$/;
  const SHAPES = "circle,ellipse,rect,polygon,line,text", MOST_SHAPES = 40, LEAST_DRAWING = 40;
  const COLOURS = {
    black: [0, 0, 0], white: [255, 255, 255], grey: [128, 128, 128], red: [255, 0, 0], green: [0, 128, 0], lime: [0, 255, 0], blue: [0, 0, 255],
    yellow: [255, 255, 0], orange: [255, 165, 0], purple: [128, 0, 128], magenta: [255, 0, 255], cyan: [0, 255, 255], brown: [139, 69, 19], pink: [255, 192, 203],
  };
  const HUES = [[15, "red"], [45, "orange"], [68, "yellow"], [165, "green"], [195, "cyan"], [255, "blue"], [290, "purple"], [345, "pink"], [361, "red"]];
  const numbers = new WeakMap(), elements = new Map(), listening = new WeakSet();
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
    const own = element.parentElement, above = own?.previousElementSibling;
    if (!above || own.querySelectorAll(FIELDS).length !== 1 || squeeze(own.innerText ?? "") || above.matches(NO_LABEL) || above.querySelector(FIELDS)) return "";
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
      name = textOf(element) || element.alt || element.title || (role === "button" ? byClass(element) || swatchOf(element) : "");
    }
    return cut(squeeze(String(name ?? "")), LONGEST_NAME);
  };

  // -- kinds

  const editable = (element) => element.isContentEditable && !element.parentElement?.isContentEditable;
  // What listens for its entries, as lists do: each of them is what can be pressed or dragged.
  const severalIn = (element) => /^(?:UL|OL)$/.test(element.tagName) && element.children.length > 1 && [...element.children].every((one) => one.textContent.trim());
  const sliderOf = (handle) => handle.parentElement?.closest(SLIDER) ?? handle;
  const roleOf = (element, tag) => {
    const said = element.getAttribute("role");
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
        return INPUTS[element.type] ?? "text field";
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
  const statesOf = (element, role, focus, off) => {
    const states = [], aria = (name) => element.getAttribute(`aria-${name}`);
    const on = element.type === "checkbox" || element.type === "radio" ? element.checked : aria("checked") === "true";
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
    return states;
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
    if (element.type === "file") return [...element.files].map((file) => file.name).join(", ");
    if (role === "check box" || role === "radio button" || role === "button" || role === "link") return null;
    if (tag === "INPUT" || tag === "TEXTAREA") return cut(element.value, LONGEST_VALUE);
    if (role === "text area" || role === "text field") return cut(element.innerText?.trim() ?? "", LONGEST_VALUE);
    if (role === "slider" || role === "number field") return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow") ?? numberBeside(element);
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
    if (written && !element.readOnly && element.getAttribute("aria-readonly") !== "true") able.push("type");
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
    if (within(top, element)) return element;
    for (const label of labelsOf(element)) if (within(top, label)) return label;
    return element.ownerSVGElement && within(element, top) ? top : null;  // a shape that is not filled: its place in the drawing
  };
  // A point of an element that nothing lies over, in view; null where there is none.
  const POINTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
  const freePoint = (element, box) => {
    const left = Math.max(box.x, 0), top = Math.max(box.y, 0);
    const right = Math.min(box.x + box.width, innerWidth), bottom = Math.min(box.y + box.height, innerHeight);
    if (right - left < 1 || bottom - top < 1) return null;
    const width = right - left, height = bottom - top;
    for (const [across, down] of POINTS) {
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
    if (box.width >= 3 && box.height >= 3 && seen(element)) return box;
    for (const label of labelsOf(element)) {
      const place = label.getBoundingClientRect();
      if (place.width >= 3 && place.height >= 3 && seen(label)) return place;
    }
    return null;
  };
  const clipped = (element, box) => {
    for (let node = parentOf(element); node instanceof Element || node instanceof ShadowRoot; node = parentOf(node)) {
      if (!(node instanceof Element)) continue;
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

  // -- looking

  class Look {
    constructor() {
      this.controls = [];
      this.lines = [];
      this.frames = [];
      this.nodes = 0;
      this.cells = 0;
      this.outOfView = 0;
      this.tried = 0;
      this.left = 0;
      this.textLength = 0;
      this.focus = focused();
      this.width = innerWidth;
      this.height = innerHeight;
      this.top = -innerHeight * SCREENS_ABOVE;
      this.bottom = innerHeight * (1 + SCREENS_BELOW);
    }

    // `around` is what holds for all that is in an element: the block and the row that its text belongs to, whether a
    // control around it says that text already, whether the pointer says that it can be pressed, whether it
    // is out of view, or even so far away that nothing of it is told.
    // `wordless`: its own text is out of view, as it is itself.
    walk(node, around, depth, wordless) {
      for (let child = node.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 3) { if (!wordless) this.text(child, around); }
        else if (child.nodeType === 1 && ++this.nodes <= MOST_NODES && depth < DEEPEST) this.element(child, around, depth + 1);
      }
    }

    element(element, around, depth) {
      const tag = element.tagName;
      if (SKIPPED.has(tag)) return;
      if (around.away && this.distant(element, tag, around, depth)) return;
      const box = element.getBoundingClientRect();
      const drawn = box.width > 0 && box.height > 0;
      // What has a box is drawn, but for what is folded away: to ask each of them would take as long as all the rest.
      if ((!drawn || element.parentNode.tagName === "DETAILS") && !element.checkVisibility()) {
        if (getComputedStyle(element).display !== "contents") return this.hidden(element, tag);
      }
      if (tag === "IFRAME" || tag === "FRAME") return this.frame(element, box);
      const { top, bottom, left, right } = box, near = bottom >= this.top && top <= this.bottom;
      const inView = bottom >= 0 && top <= this.height && right >= 0 && left <= this.width;
      let inner = around, role = near || !drawn ? roleOf(element, tag) : "";
      if (ENTERED.has(tag)) {
        if (role) this.control(element, tag, role, box);
        else if (!near && drawn) this.left++;
        return;
      }
      if (near && drawn) {
        const parts = element.firstElementChild !== null, style = getComputedStyle(element);
        if (!parts && style.visibility !== "visible") return;
        const pressed = style.cursor === "pointer";
        const heard = !role && listening.has(element) && this.listens(element, box);
        const several = heard && severalIn(element);
        if (!role && (around.items === element.parentNode || element.matches(DRAGGED)) && this.pressable(element, tag, around)) role = "list item";
        else if (!role && (pressed || heard) && !several && this.pressable(element, tag, around)) role = "button";
        else if (!role && element.hasAttribute("tabindex") && element.tabIndex >= 0 && (element.hasAttribute("role") || (!parts && byClass(element)))) role = "button";
        const row = tag === "TR" || element.getAttribute("role") === "row" ? element : around.row;
        const shown = style.display, block = shown.startsWith("inline") || shown === "contents" ? around.block : element;
        inner = { block, row, cell: around.cell, said: around.said || sayer(tag, role, element), pointer: pressed || around.pointer || (heard && role !== ""), items: several ? element : null, away: !inView, far: false };
        if (tag === "TD" || tag === "TH") { inner.cell = element; this.cell(element, tag, box); }
        if (!role && inView && box.width > 40 && box.height > 40 && element !== document.body && scrolls(element, style)) this.area(element, box);
        if (role) this.control(element, tag, role, box);
        if ((parts || inView) && style.contentVisibility === "hidden") return;
      } else if (role) this.control(element, tag, role, box);
      else if (!near && drawn) {
        if (OPERATED.has(tag)) this.left++;
        else if (tag === "TR") inner = { ...around, row: element, away: true, far: true };
      }
      if (tag === "svg" && near && !around.said) this.drawing(element, box);
      if (tag === "CANVAS" || tag === "svg") return;
      if (!drawn && element.firstChild && getComputedStyle(element).contentVisibility === "hidden") return;
      if (element.shadowRoot) this.walk(element.shadowRoot, inner, depth, drawn && !inView);
      else if (tag === "SLOT" && element.assignedNodes().length) {
        for (const node of element.assignedNodes()) {
          if (node.nodeType === 3) this.text(node, inner);
          else if (node.nodeType === 1 && ++this.nodes <= MOST_NODES && depth < DEEPEST) this.element(node, inner, depth + 1);
        }
      } else this.walk(element, inner, depth, drawn && !inView);
    }

    // What is in a row that is out of view is so too: nobody need ask where its cells are, unless they can be pressed, nor,
    // where no more is told of what is out of view, where their controls are. Whether that was all there is to an element.
    distant(element, tag, around, depth) {
      if (tag === "TD" || tag === "TH") {
        if (element.rowSpan > 1 || element.shadowRoot || (!around.far && getComputedStyle(element).cursor === "pointer") || listening.has(element) || roleOf(element, tag)) return false;
        this.walk(element, around, depth, true);
        return true;
      }
      if (!OPERATED.has(tag) || !around.row || this.outOfView < MOST_OUT_OF_VIEW) return false;
      if (element.type !== "hidden") this.left++;
      return true;
    }

    // Whether what listens to the mouse does so for itself, and not for what is in it, as lists and whole pages do.
    listens(element, box) {
      if (box.width * box.height > innerWidth * innerHeight / 2 || element.textContent.length > LONGEST_VALUE) return false;
      const inner = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT);
      for (let few = 0; inner.nextNode(); few++) if (few > 50 || listening.has(inner.currentNode)) return false;
      return true;
    }

    // Whether what says nothing of itself but has the pointer of a link is something to be pressed, and not what is around such.
    pressable(element, tag, around) {
      if (element.matches(SLIDER) && element.querySelector(HANDLE)) return false;
      if (around.pointer || LABELLED.has(tag) || tag === "LABEL" || !(element.firstElementChild || element.textContent.trim() || swatchOf(element))) return false;
      return !element.closest("label,a[href],button") && !element.querySelector("a[href],button,input,select,textarea,[role=button],[role=link],[onclick]");
    }

    // The shapes of a drawing, as far as words say them: "large red circle". One that is no larger than a picture on a button
    // is none.
    drawing(element, own) {
      if (own.width < LEAST_DRAWING || own.height < LEAST_DRAWING) return;
      const shapes = [...element.querySelectorAll(SHAPES)].filter((one) => !one.closest("defs") && seen(one)).slice(0, MOST_SHAPES);
      const boxes = shapes.map((one) => one.getBoundingClientRect()).map((box) => [box, Math.max(box.width, box.height)]);
      const sizes = boxes.map(([, size]) => size), least = Math.min(...sizes), most = Math.max(...sizes);
      shapes.forEach((one, at) => {
        const [box, size] = boxes[at];
        if (size < 2 || box.bottom <= 0 || box.top >= innerHeight || this.controls.length >= MOST_CONTROLS) return;
        const words = [most > 1.6 * least ? (2 * size > most + least ? "large" : "small") : "", colourOf(one), shapeOf(one, box)];
        this.controls.push([numberOf(one), "shape", words.filter(Boolean).join(" "), null, [], ...rounded(box), ["click"], [], "", null]);
      });
    }

    // A box or file field that is drawn as nothing, and operated by its label.
    hidden(element, tag) {
      if (tag === "INPUT" && (element.type === "checkbox" || element.type === "radio" || element.type === "file")) {
        const role = roleOf(element, tag);
        if (boxOf(element)) this.control(element, tag, role, element.getBoundingClientRect());
      }
    }

    control(element, tag, role, own) {
      if (this.controls.length >= MOST_CONTROLS || (own.height >= 3 && own.width >= 3 && this.beyond(own))) { this.left++; return; }
      const box = own.width >= 3 && own.height >= 3 && seen(element) ? own : boxOf(element);
      if (!box) return;
      const inView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth, off = disabled(element);
      let away = !inView;
      // What lies on top is asked again before anything is done to a control; of very many it is not asked here.
      if (inView && ++this.tried <= MOST_TRIED && !freePoint(element, box)) {
        if (off && getComputedStyle(element).pointerEvents === "none") away = false;
        else if (!clipped(element, box)) return;  // it lies under something else, and cannot be used
        else away = true;
      }
      if (away && (this.beyond(box) || this.outOfView >= MOST_OUT_OF_VIEW)) { this.left++; return; }
      if (tag === "CANVAS" && (box.width < 16 || box.height < 16)) return;
      const field = tag === "TEXTAREA" || tag === "SELECT" || element.isContentEditable || (tag === "INPUT" && role !== "button");
      const states = statesOf(element, role, this.focus, off);
      if (away) { this.outOfView++; states.push("out of view"); }
      this.controls.push([numberOf(element), role, nameOf(element, role, field), valueOf(element, role, tag), states, ...rounded(box), off ? [] : operationsOf(element, role, tag), optionsOf(element, tag), "", element]);
    }

    // Whether what is there is too far away to be told, or one too many of what is out of view.
    beyond(box) {
      if (box.bottom < this.top || box.top > this.bottom || box.right <= 0) return true;
      return this.outOfView >= MOST_OUT_OF_VIEW && (box.bottom <= 0 || box.top >= innerHeight || box.left >= innerWidth);
    }

    area(element, box) {
      if (this.controls.length < MOST_CONTROLS && box.bottom > 0 && box.top < innerHeight)
        this.controls.push([numberOf(element), "section", squeeze(element.getAttribute("aria-label") ?? ""), null, [], ...rounded(box), ["scroll"], [], "", null]);
    }

    cell(element, tag, box) {
      const row = element.parentElement;
      if (this.cells >= MOST_CELLS || box.bottom <= 0 || box.top >= innerHeight || row?.cells?.length < 2 || element.querySelector("table") || element.querySelector(FIELDS)) return;
      const text = textOf(element);
      if (!text || !(row.nextElementSibling ?? row.previousElementSibling ?? row.parentElement.nextElementSibling ?? row.parentElement.previousElementSibling)) return;
      this.cells++;
      const role = tag === "TD" ? "cell" : element.scope === "row" || (row.cells[0] === element && row.querySelector("td")) ? "row header" : "column header";
      this.controls.push([numberOf(element), role, cut(text, LONGEST_NAME), null, [], ...rounded(box), [], [], "", null]);
    }

    frame(element, box) {
      if (box.width < 2 || box.height < 2 || !seen(element)) return;
      const left = box.x + element.clientLeft, top = box.y + element.clientTop;
      const covered = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && !freePoint(element, box);
      this.frames.push([numberOf(element), left, top, element.clientWidth, element.clientHeight, covered]);
    }

    text(node, around) {
      if (!around.block || this.textLength > MOST_TEXT || !/\S/.test(node.data) || (around.said === "all" && !around.row)) return;
      const place = this.range ?? (this.range = document.createRange());
      place.selectNodeContents(node);
      const box = place.getBoundingClientRect();
      if (box.width < 1 || box.height < 1 || box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) return;
      const parent = node.parentElement;
      if (parent && !seen(parent)) return;
      const words = squeeze(node.data);
      const key = around.row ?? around.block;
      const last = this.lines[this.lines.length - 1];
      this.textLength += words.length;
      if (last && last.key === key) {
        const apart = around.row && last.cell !== around.cell ? " | " : /\s$/.test(last.raw) || /^\s/.test(node.data) || around.block !== last.block ? " " : "";
        last.words += apart + words;
        last.right = Math.max(last.right, box.right); last.bottom = Math.max(last.bottom, box.bottom);
        last.left = Math.min(last.left, box.left); last.top = Math.min(last.top, box.top);
        last.own ||= !around.said;
        Object.assign(last, { cell: around.cell, block: around.block, raw: node.data });
      } else {
        this.lines.push({ key, words, row: around.row, cell: around.cell, block: around.block, raw: node.data, own: !around.said, left: box.left, top: box.top, right: box.right, bottom: box.bottom });
      }
    }

    // Where several have the same name, what each belongs to tells them apart: its row, its entry, its group. States and
    // operations, of which there are few, go out as one word for each control: lists cost whoever reads them much more.
    owners() {
      const same = new Map();
      for (const control of this.controls) {
        if (!control[12]) continue;
        const key = `${control[1]}\n${control[2]}`;
        same.set(key, (same.get(key) ?? 0) + 1);
      }
      for (const control of this.controls) {
        const element = control[12];
        const group = element && (control[1] === "radio button" || control[1] === "check box") ? element.closest("fieldset,[role=radiogroup],[role=group]") : null;
        const titled = group ? referred(group, "aria-labelledby") || group.getAttribute("aria-label") || group.querySelector("legend")?.innerText : "";
        if (titled) control[11] = cut(squeeze(titled), 60);
        else if (element && same.get(`${control[1]}\n${control[2]}`) > 1) control[11] = this.owner(element, control[2]);
        control.pop();
        control[4] = control[4].join();
        control[9] = control[9].join();
        if (!control[10].length) control[10] = null;
      }
    }

    owner(element, name) {
      for (let node = element.parentElement?.closest(OWNERS), climbed = 0; node && climbed < 4; node = node.parentElement?.closest(OWNERS), climbed++) {
        const head = node.getAttribute("aria-label") || node.querySelector("legend,h1,h2,h3,h4,h5,h6")?.innerText;
        const text = squeeze(head || (node.innerText ?? "").slice(0, 400));
        const rest = squeeze(text.split(name).join(" "));
        if (rest) return rest.length > 60 ? `${rest.slice(0, 60)}…` : rest;
      }
      return "";
    }
  }

  const look = () => {
    labels = new Map();
    const taken = new Look();
    const root = modal() ?? document.body ?? document.documentElement;
    if (root) taken.element(root, { block: root, row: null, cell: null, said: "", pointer: false, away: false, far: false }, 0);
    taken.owners();
    const page = document.scrollingElement ?? document.documentElement;
    const lines = taken.lines.filter((line) => line.own || line.row).map((line) => [line.words, Math.round(line.left), Math.round(line.top), Math.max(1, Math.round(line.right - line.left)), Math.max(1, Math.round(line.bottom - line.top))]);
    return {
      title: squeeze(document.title), url: location.href, state: document.readyState, width: innerWidth, height: innerHeight,
      scroll: [Math.round(page?.scrollTop ?? 0), page?.scrollHeight ?? 0, page?.clientHeight ?? 0], controls: taken.controls, lines,
      frames: taken.frames, focus: taken.focus ? numberOf(taken.focus) : 0, left: taken.left, cut: taken.nodes > MOST_NODES,
    };
  };

  // Where on the screen the page is, as far as it knows, and whether it is the one that its window shows.
  const where = () => ({
    shown: document.visibilityState === "visible", focused: document.hasFocus(), title: document.title, url: location.href, width: innerWidth,
    height: innerHeight, scale: devicePixelRatio, left: screenX, top: screenY,
  });

  // Elements of which the browser says that they listen to the mouse. Whether any of them is of this frame.
  const listens = (some) => {
    const own = some.filter((one) => one.nodeType === 1 && one.ownerDocument === document && one !== document.body && one !== document.documentElement);
    own.forEach((one) => listening.add(one));
    return own.length > 0;
  };

  // -- acting

  const described = (element) => {
    const control = element.closest?.("a[href],button,input,select,textarea,label,[role],dialog") ?? element;
    const name = squeeze((control.getAttribute?.("aria-label") || control.innerText || control.value || control.id || "").slice(0, 60));
    return name ? `“${name}”` : `a ${control.tagName.toLowerCase()}`;
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
  const aim = (number, watch) => {
    labels = new Map();
    const element = elementOf(number);
    if (!element) return { gone: true };
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
      armed = new WeakRef(element);
    }
    return point;
  };
  addEventListener("mousedown", (event) => {
    const meant = armed?.deref();
    if (!meant) return;
    armed = null;
    const hit = event.composedPath()[0];
    const right = hit instanceof Node && (within(hit, meant) || labelsOf(meant).some((label) => within(hit, label)) || (meant.ownerSVGElement !== undefined && within(meant, hit)));
    struck = { right, name: right ? "" : hit instanceof Element ? described(hit) : "something else" };
  }, { capture: true, passive: true });
  const landed = () => struck;
  const over = (number, x, y) => {
    const element = elementOf(number);
    return element !== null && hits(element, x, y) !== null;
  };

  const told = (element, ...events) => events.forEach((name) => element.dispatchEvent(new Event(name, { bubbles: true, composed: true })));
  const setter = (element) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")?.set;
  const ready = (number, clear) => {
    const element = elementOf(number);
    if (!element) return { gone: true };
    if (disabled(element)) return { disabled: true };
    if (element.readOnly) return { readOnly: true };
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
  const put = (number, value) => {
    const element = elementOf(number);
    if (!element) return { gone: true };
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
  const choose = (number, wanted) => {
    const element = elementOf(number);
    if (!element) return { gone: true };
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
  const select = (number, text, spot) => {
    const element = elementOf(number);
    if (!element) return { gone: true };
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
    return { text: spot === "text" || spot === "line" ? all.slice(from, to) : line };
  };

  // Resolves once nothing in the page has changed for `quiet` milliseconds and it has been drawn, after `longest` at most.
  const settle = (quiet, longest) => new Promise((resolve) => {
    let timer = 0;
    const done = (calm) => { observer.disconnect(); removeEventListener("load", again); clearTimeout(timer); clearTimeout(bound); resolve(calm); };
    const again = () => { clearTimeout(timer); if (document.readyState === "complete") timer = setTimeout(() => done(true), quiet); };
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

  // -- reading

  const find = (wanted) => {
    const text = wanted.toLowerCase(), places = [];
    const visit = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.nodeType === 1) { if (node.shadowRoot) visit(node.shadowRoot); continue; }
        const parent = node.parentElement;
        if (parent && !SKIPPED.has(parent.tagName) && node.data.toLowerCase().includes(text) && seen(parent)) places.push(parent);
        else if (parent && /\S/.test(node.data) && text.includes(squeeze(node.data).toLowerCase())) {
          const block = parent.closest("p,li,td,th,h1,h2,h3,h4,h5,h6,dt,dd,div");
          if (block && seen(block) && squeeze(block.textContent).toLowerCase().includes(text) && block.textContent.length < 2000 && places[places.length - 1] !== block) places.push(block);
        }
      }
    };
    visit(document.body ?? document.documentElement);
    if (!places.length) return { times: 0 };
    const at = found.text === text ? (found.at + 1) % places.length : 0;
    found = { text, at };
    places[at].scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const block = places[at].closest("p,li,tr,h1,h2,h3,h4,h5,h6,dt,dd,pre,blockquote") ?? places[at];
    return { times: places.length, at: at + 1, line: cut(squeeze(block.innerText ?? block.textContent), 400) };
  };

  const HEADINGS = { H1: "# ", H2: "## ", H3: "### ", H4: "#### ", H5: "##### ", H6: "###### " };
  const escaped = (text) => text.replace(/([\\`*_[\]|])/g, "\\$1");
  const inline = (node) => {
    let text = "";
    for (const child of node.shadowRoot?.childNodes ?? node.childNodes) {
      if (child.nodeType === 3) text += escaped(child.data.replace(/\s+/g, " "));
      if (child.nodeType !== 1 || (SKIPPED.has(child.tagName) && child.tagName !== "BR") || !(child.tagName === "BR" || child.tagName === "SLOT" || seen(child))) continue;
      const inside = child.tagName === "BR" ? " " : inline(child);
      const bare = inside.trim();
      switch (child.tagName) {
        case "A": text += bare && child.href ? `[${bare}](${child.href})` : inside; break;
        case "STRONG": case "B": text += bare ? ` **${bare}** `.slice(/\s$/.test(text) || !text ? 1 : 0) : ""; break;
        case "EM": case "I": text += bare ? `*${bare}*` : ""; break;
        case "CODE": text += bare ? `\`${child.textContent.trim()}\`` : ""; break;
        case "IMG": text += child.alt ? `![${escaped(child.alt)}]` : ""; break;
        case "INPUT": text += /^(hidden|password)$/.test(child.type) ? "" : /checkbox|radio/.test(child.type) ? (child.checked ? "[x] " : "[ ] ") : child.value ? `[${escaped(child.value)}]` : "[ ]"; break;
        case "SELECT": text += `[${escaped(squeeze(child.selectedOptions[0]?.text ?? ""))}]`; break;
        case "TEXTAREA": text += `[${escaped(child.value)}]`; break;
        case "SLOT": text += child.assignedNodes().map((one) => (one.nodeType === 3 ? escaped(one.data.replace(/\s+/g, " ")) : one.nodeType === 1 ? inline(one) : "")).join("") || inside; break;
        default: text += getComputedStyle(child).display.startsWith("inline") ? inside : ` ${inside} `;
      }
    }
    return text;
  };
  const table = (element) => {
    const rows = [...element.rows].filter(seen).map((row) => [...row.cells].map((cell) => squeeze(inline(cell))));
    const width = Math.max(0, ...rows.map((row) => row.length));
    if (!rows.length || !width) return [];
    const line = (row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`;
    return [[line(rows[0]), line(Array(width).fill("---")), ...rows.slice(1).map(line)].join("\n")];
  };
  const list = (element, indent) => {
    let number = element.start ?? 1;
    const lines = [];
    for (const item of element.children) {
      if (item.tagName !== "LI" || !seen(item)) continue;
      const inner = [...item.children].filter((child) => child.tagName === "UL" || child.tagName === "OL");
      const copy = squeeze(inline({ childNodes: [...item.childNodes].filter((child) => !inner.includes(child)) }));
      lines.push(`${indent}${element.tagName === "OL" ? `${number++}.` : "-"} ${copy}`);
      for (const nested of inner) lines.push(...list(nested, `${indent}  `));
    }
    return lines;
  };
  const BLOCKS = "address,article,aside,blockquote,details,dialog,div,dl,fieldset,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,main,nav,ol,p,pre,section,table,ul,iframe";
  const blocks = (element, out, depth) => {
    let loose = [];
    const flush = () => {
      const text = squeeze(inline({ childNodes: loose }));
      if (text) out.push(text);
      loose = [];
    };
    for (const child of element.shadowRoot?.childNodes ?? element.childNodes) {
      if (child.nodeType === 3) { loose.push(child); continue; }
      if (child.nodeType !== 1 || SKIPPED.has(child.tagName)) continue;
      const tag = child.tagName;
      if (tag !== "SLOT" && !seen(child) && getComputedStyle(child).display !== "contents") continue;
      if (!child.matches(BLOCKS) && !child.shadowRoot && !child.querySelector(BLOCKS)) { loose.push(child); continue; }
      flush();
      if (HEADINGS[tag]) { const text = squeeze(inline(child)); if (text) out.push(HEADINGS[tag] + text); }
      else if (tag === "TABLE") out.push(...table(child));
      else if (tag === "UL" || tag === "OL") { const lines = list(child, ""); if (lines.length) out.push(lines.join("\n")); }
      else if (tag === "PRE") out.push("```\n" + child.innerText + "\n```");
      else if (tag === "HR") out.push("---");
      else if (tag === "IFRAME") out.push(`\u0000${numberOf(child)}\u0000`);  // what it holds is put in its place outside
      else if (depth < DEEPEST) {
        const inner = [];
        blocks(child, inner, depth + 1);
        out.push(...(tag === "BLOCKQUOTE" ? inner.map((text) => text.replace(/^/gm, "> ")) : inner));
      }
    }
    flush();
  };
  const markdown = () => {
    const out = [];
    if (document.body) blocks(document.body, out, 0);
    return out.join("\n\n").toWellFormed();
  };

  globalThis.deskcrew = { look, where, listens, numberOf, elementOf, reveal, drawn, aim, landed, over, ready, put, read, readFocused, choose, select, settle, change, find, markdown };
})();
