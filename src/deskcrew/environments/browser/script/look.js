// What a page shows, read in one go by the frame that shows it.

// A text without a control's name: of a number once, and not as a part of another number.
const without = (text, name) => {
  if (!/^\p{N}|\p{N}$/u.test(name)) return text.split(name).join(" ");
  const literal = name.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\p{N}][.,]?)${literal}(?![.,]?\\p{N})`, "u"), " ");
};

class Look {
  constructor() {
    this.controls = [];
    this.lines = [];
    this.under = [];
    this.pieces = [];
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
    // What lies before this cannot be scrolled to; pages written from right to left go on to the left.
    // A page that is just being replaced may have neither.
    const root = document.documentElement, styled = document.body ?? root;
    const rtl = styled !== null && getComputedStyle(styled).direction === "rtl";
    this.start = (rtl ? root.clientWidth - root.scrollWidth : 0) - scrollX;
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
      else if (!role && (pressed || heard) && !several && this.pressable(element, tag, around)) role = isSwitch(element) ? "toggle button" : "button";
      else if (!role && pressed && !several && this.whole(element, tag, around, box)) { role = "button"; rows.add(element); }
      else if (!role && element.hasAttribute("tabindex") && element.tabIndex >= 0 && (element.hasAttribute("role") || (!parts && byClass(element)))) role = "button";
      const row = tag === "TR" || element.getAttribute("role") === "row" ? element : around.row;
      const shown = style.display, block = shown.startsWith("inline") || shown === "contents" ? around.block : element;
      inner = { block, row, cell: around.cell, said: around.said || this.sayer(tag, role, element), pointer: pressed || around.pointer || (heard && role !== ""), items: several ? element : null, away: !inView, far: false };
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
    if (box.width * box.height > innerWidth * innerHeight / 2 || element.textContent.length > LONGEST_PRESSED) return false;
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

  // Whether what holds controls is also pressed as a whole, as a row of a list is that has a box in it.
  whole(element, tag, around, box) {
    if (around.pointer || LABELLED.has(tag) || tag === "LABEL" || tag === "FORM" || box.width * box.height > (innerWidth * innerHeight) / 4 || element.closest("label,a[href],button")) return false;
    const inner = element.querySelectorAll(INNER).length;
    return inner > 0 && inner <= MOST_INNER && WORDY.test(wordsOf(element));
  }

  // What is said by a name that is cut is said as text too.
  sayer(tag, role, element) {
    const said = sayer(tag, role, element);
    return said === "words" && element.textContent.length > LONGEST_NAME && textOf(element).length > LONGEST_NAME ? "" : said;
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
    const box = own.width >= 3 && own.height >= 3 && reached(element) ? own : boxOf(element);
    if (!box) return;
    const inView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth, off = disabled(element);
    let away = !inView;
    // What lies on top is asked again before anything is done to a control; of very many it is not asked here.
    if (inView && ++this.tried <= MOST_TRIED && !freePoint(element, box)) {
      if (off && getComputedStyle(element).pointerEvents === "none") away = false;
      else if (!clipped(element, box)) { this.under.push(box); return; }  // it lies under something else, and cannot be used
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
    if (box.bottom < this.top || box.top > this.bottom || box.right <= this.start) return true;
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
    this.controls.push([numberOf(element), role, cut(text, LONGEST_NAME), null, tag === "TH" ? sorted(element) : [], ...rounded(box), [], [], "", null]);
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
    if (this.pieces.length < MOST_PIECES) this.pieces.push([box.left + box.width / 2, box.top + box.height / 2, words, node]);
    const key = around.row ?? around.block;
    const last = this.lines[this.lines.length - 1];
    this.textLength += words.length;
    if (last && last.key === key) {
      // Inline pieces without a space between them may still be seen apart: by a margin, or on two lines.
      const gap = box.left - last.edge > APART || box.top >= last.foot - 1;
      const spaced = /\s$/.test(last.raw) || /^\s/.test(node.data) || around.block !== last.block || gap;
      const apart = around.row && last.cell !== around.cell ? " | " : spaced ? " " : "";
      last.words += apart + words;
      last.right = Math.max(last.right, box.right); last.bottom = Math.max(last.bottom, box.bottom);
      last.left = Math.min(last.left, box.left); last.top = Math.min(last.top, box.top);
      last.own ||= !around.said;
      Object.assign(last, { cell: around.cell, block: around.block, raw: node.data, edge: box.right, foot: box.bottom });
    } else {
      this.lines.push({ key, words, row: around.row, cell: around.cell, block: around.block, raw: node.data, edge: box.right, foot: box.bottom, own: !around.said, left: box.left, top: box.top, right: box.right, bottom: box.bottom });
    }
  }

  // What is out of view is not told of where a dialog lies over all that is in view: it could not be used.
  behindVeil() {
    const veil = veilOf();
    if (!veil) return;
    const tops = new Set([veil]);
    for (const control of this.controls) {
      const element = control[12];
      if (!element || control[4].includes("out of view") || control[4].includes("disabled") || within(element, veil)) continue;
      let top = element;
      while (top && (top.nodeType !== 1 || getComputedStyle(top).position !== "fixed")) top = parentOf(top);
      if (!top) return;
      tops.add(top);
    }
    const over = (element) => Boolean(element && [...tops].some((top) => within(element, top)));
    const kept = this.controls.filter((control) => over(control[12] ?? elementOf(control[0])));
    this.controls = kept.some((control) => control[12]) ? kept : this.controls;
    // What the dialog says comes first: there may be no room for all of the page behind it.
    this.lines.sort((one, other) => over(other.key) - over(one.key));
    // What shows through it dimmed is nothing that only a picture could tell.
    for (const { left, top, right, bottom } of this.under)
      if (deepest((left + right) / 2, (top + bottom) / 2) === veil) this.lines.push({ words: "", own: true, left, top, right, bottom });
  }

  // Where several have the same name, or one has none, what each belongs to tells them apart: its row, its entry, its group.
  // States and operations, of which there are few, go out as one word for each control: lists cost whoever reads them much more.
  owners() {
    const same = new Map();
    for (const control of this.controls) {
      if (!control[12]) continue;
      const key = `${control[1]}\n${control[2]}`;
      const equals = same.get(key);
      if (equals) equals.push(control[12]); else same.set(key, [control[12]]);
    }
    for (const equals of same.values()) if (equals.length > 1) this.cards(equals);
    for (const control of this.controls) {
      const element = control[12];
      const group = element && (control[1] === "radio button" || control[1] === "check box") ? element.closest("fieldset,[role=radiogroup],[role=group]") : null;
      const titled = group ? referred(group, "aria-labelledby") || group.getAttribute("aria-label") || group.querySelector("legend")?.innerText : "";
      if (titled) control[11] = cut(squeeze(titled), 60);
      else if (element && (!control[2] || unsaid.has(element) || same.get(`${control[1]}\n${control[2]}`).length > 1)) control[11] = this.owner(element, control[2]);
      control[12] = element ? behindOf(element, control[1], control[2], this.over(element, control)) : null;
      control[13] = element ? keyOf(element) : "";
      control[4] = control[4].join();
      control[9] = control[9].join();
      if (!control[10].length) control[10] = null;
    }
  }

  // Texts whose middle is on a control, though they are no part of it: they may be painted over it.
  over(element, control) {
    const [left, top, width, height] = control.slice(5, 9);
    return this.pieces.filter(([x, y, , node]) => x > left && x < left + width && y > top && y < top + height && !within(node, element)).map(([, , words]) => words);
  }

  // The largest thing around each of several equal controls that holds none of the others: its row or card.
  cards(equals) {
    const held = new Map();
    for (const element of equals) for (let node = parentOf(element); node; node = parentOf(node)) held.set(node, (held.get(node) ?? 0) + 1);
    for (const element of equals) {
      let card = null;
      for (let node = parentOf(element); node && held.get(node) === 1; node = parentOf(node)) if (node.nodeType === 1) card = node;
      if (card) cards.set(element, card); else cards.delete(element);
    }
  }

  owner(element, name) {
    const whole = !name || unsaid.has(element);
    const card = cards.get(element);
    const headed = (node) => node.getAttribute("aria-label") || node.querySelector("legend,h1,h2,h3,h4,h5,h6")?.innerText;
    const told = (node) => {
      const text = squeeze(headed(node) || (node.innerText ?? "").slice(0, 400));
      const rest = squeeze((name ? without(text, name) : text).split(" ").filter((word) => WORDY.test(word)).join(" "));
      return rest.length > 60 ? `${rest.slice(0, 60)}…` : rest;
    };
    // A heading beside it says whose it is, or in which column the only one is.
    const under = (node, rest) => (card && node !== card && !headed(node) && headed(card) ? `${squeeze(headed(card)).slice(0, 40)}: ${rest}` : rest);
    for (let node = element.parentElement?.closest(OWNERS), climbed = 0; node && climbed < 4; node = node.parentElement?.closest(OWNERS), climbed++) {
      if (card && !within(node, card)) break;
      if (node.tagName === "TD" && !WORDY.test(wordsOf(node))) continue;  // nothing but controls: the row says whose they are
      const rest = told(node);
      if (rest && (!card || headed(node) || WORDY.test(wordsOf(node)))) return under(node, rest);  // else only other controls: their card says more
    }
    if (card && headed(card)) {
      let inner = element.parentElement;
      while (inner && inner !== card && !WORDY.test(wordsOf(inner))) inner = inner.parentElement;
      if (inner) return under(inner, told(inner));
    }
    if (card) return told(card);
    for (let node = element.parentElement; whole && node && node !== document.body; node = node.parentElement) {
      const rest = told(node);
      if (rest) return rest;
    }
    return "";
  }
}

// How the page's own code tells an element from others, where it does so in words: the same for one that it puts in its place.
// A number may be that of a place in a list, where another entry comes next.
const LONGEST_KEY = 200;
const keyOf = (element) => {
  const said = [...element.attributes].filter(({ name }) => name === "id" || name === "name" || name === "href" || name.startsWith("data-"));
  const key = said.map(({ name, value }) => `${name}=${value}`).join(" ");
  return key.length > LONGEST_KEY || said.some(({ value }) => /\d/.test(value)) ? "" : key;
};

const look = () => {
  labels = new Map();
  forms = new Map();
  money = new Map();
  shorts = new Map();
  dialogs = new Map();
  const taken = new Look();
  const root = modal() ?? document.body ?? document.documentElement;
  if (root) taken.element(root, { block: root, row: null, cell: null, said: "", pointer: false, away: false, far: false }, 0);
  taken.behindVeil();
  marks(taken.controls);
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

Object.assign(globalThis.deskcrew, { look, where, listens });
