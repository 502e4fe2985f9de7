// What stands behind a control: what operating it would send, and where to. The guard goes by it before it reads names.

const LONGEST_HINT = 80, MOST_OF_FORM = 300, LONGEST_HELD = 4000, LONGEST_NEAR = 600, MOST_STYLED = 12, LEAST_DIALOG = 100, CORNER = 56, EVERYWHERE = [0.5, 0.1, 0.9, 0.3, 0.7];
const CARD = /^cc-(?:number|csc|exp)/, ACCOUNT = new Set(["cardnumber", "ccnumber", "creditcard", "creditcardnumber", "cardno", "ccnum", "cvc", "cvv", "csc", "cardcvc", "cardcvv", "cardexpiry", "ccexp", "iban"]);
const DIALOGS = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]", ROWS = "tr,li,article,[role=row],[role=listitem],[role=option],[role=treeitem]";
const POPUPS = ["popovertarget", "data-bs-toggle", "data-toggle", "aria-expanded"];
const SHOP = ["cart", "basket", "checkout"].flatMap((word) => ["class", "id", "href", "action", "name"].map((name) => `[${name}*=${word} i]`)).join();
const PICTURE = "i,svg,use,img,[class*=icon i]";

// Of each form once for each look: that there is money, a password, a file or a text of several lines in it, where it goes, and how.
let forms = new Map(), money = new Map(), shorts = new Map(), dialogs = new Map();
const paying = (field) => {
  if ((field.autocomplete ?? "").split(" ").some((token) => CARD.test(token))) return true;
  return ACCOUNT.has((field.name ?? "").toLowerCase().replace(/[^a-z]/g, "")) || ACCOUNT.has((field.id ?? "").toLowerCase().replace(/[^a-z]/g, ""));
};
const holds = (field) => {
  if (field.tagName === "TEXTAREA") return field.value.trim() ? "message" : "";
  if (field.tagName !== "INPUT" && field.tagName !== "SELECT") return "";
  if (field.type === "password") return "password";
  if (field.type === "file") return field.files.length ? "file" : "";
  return field.type === "hidden" ? "" : paying(field) ? "payment" : "";
};
// What stands in a field that sends a text, also where it is hidden. Passwords are told nowhere.
const UNWRITTEN = new Set(["password", "file", "submit", "image", "button", "reset", "checkbox", "radio"]);
const written = (field) => (field.tagName === "TEXTAREA" || (field.tagName === "INPUT" && !UNWRITTEN.has(field.type)) ? field.value : "");
// The page is the one that a person sees: what a frame of another origin sends goes elsewhere, also where the frame is from.
const ORIGINS = location.ancestorOrigins, PAGE = ORIGINS?.length ? ORIGINS[ORIGINS.length - 1] : location.origin;
const elsewhere = (address) => {
  try {
    const url = new URL(address, document.baseURI);
    return /^https?:$/.test(url.protocol) && url.origin !== PAGE ? url.origin : "";
  } catch {
    return "";
  }
};
// Where an address leads, whatever it asks for there.
const path = (address) => {
  try {
    const url = new URL(address, document.baseURI);
    return url.origin + url.pathname;
  } catch {
    return "";
  }
};
// Read through the prototype: a field named "method" or "elements" hides what the form itself says.
const formOf = (form) => {
  let known = forms.get(form);
  if (!known) {
    const has = new Set(), texts = new Set();
    let sends = null, few = 0, length = 0;
    for (const field of Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements").get.call(form)) {
      if (++few > MOST_OF_FORM) {
        length = Infinity;
        break;
      }
      const held = holds(field);
      if (held) has.add(held);
      const text = written(field);
      length += text.length;
      if (text.trim() && length <= LONGEST_HELD) texts.add(text.toWellFormed());
      sends ??= submits(field) && !field.disabled ? field : null;
    }
    // One that says no more than the default may be sent by a script in any way.
    const attribute = (name) => Element.prototype.getAttribute.call(form, name);
    const said = (attribute("method") ?? "").toLowerCase(), action = attribute("action"), goes = path(action || location.href);
    const parts = (button) => button.hasAttribute("formaction") && path(button.getAttribute("formaction")) !== goes;
    forms.set(form, (known = { method: said === "get" || said === "post" ? said : "", origin: elsewhere(action || location.href), parts, has: [...has, "form"], sends: sends ? named(sends) : "", default: sends, texts: JSON.stringify(length > LONGEST_HELD ? null : [...texts]) }));
  }
  return known;
};
const named = (element) => cut(nameOf(element, "button", false), 60).replace(/\n/g, " ");
const submits = (element) => (element.tagName === "BUTTON" ? element.type === "submit" : element.tagName === "INPUT" && (element.type === "submit" || element.type === "image"));
const popup = (element) => {
  const said = element.getAttribute("aria-haspopup");
  return (said !== null && said !== "false") || element.tagName === "SUMMARY" || POPUPS.some((name) => element.hasAttribute(name));
};
// A link that goes to another address, and of which nothing says that pressing it does anything else.
const goes = (element) => {
  const href = element.getAttribute("href");
  if (!href || href.startsWith("#") || element.hasAttribute("onclick") || element.hasAttribute("data-method") || element.hasAttribute("data-confirm") || element.getAttribute("role") === "button") return false;
  return element.protocol === "http:" || element.protocol === "https:" || element.protocol === "file:";
};
const words = (element) => {
  const picture = element.querySelector(PICTURE);
  const said = [element.dataset.action, element.dataset.testid, submits(element) ? `${element.name} ${element.value}` : "", element.getAttribute("class"), element.id, picture?.getAttribute("class"), picture?.getAttribute("href"), picture?.getAttribute("alt")];
  return squeeze(said.filter(Boolean).join(" ").replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_#:/.]+/g, " ")).slice(0, LONGEST_HINT).toWellFormed();
};
// Whether a page says of itself that it has a cart, in any language: in the names of its elements and where it leads.
const shop = () => {
  if (!money.has(document)) money.set(document, document.querySelector(SHOP) !== null);
  return money.get(document);
};
// What a style writes before or after an element and what is in it, which no name says.
const generated = (element) => {
  const some = [element, ...element.getElementsByTagName("*")].slice(0, MOST_STYLED);
  const parts = (one, side) => [...getComputedStyle(one, side).content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)/g)].map((found) => found[1] ?? one.getAttribute(found[2]) ?? "");
  const [before, after] = ["::before", "::after"].map((side) => some.flatMap((one) => parts(one, side)).join(""));
  return [before, after].map(squeeze);
};
// What people see on a control: its own text, whatever it is called besides, what its style adds, and what is painted over it.
const visible = (element, name, over) => {
  const own = squeeze(element.tagName === "INPUT" ? element.value : (element.innerText ?? element.textContent ?? ""));
  const [before, after] = generated(element), styled = squeeze(`${before} ${after}`);
  const said = [own, styled && squeeze(`${before} ${own} ${after}`), styled, ...over];
  return said.filter((one) => WORDY.test(one) && one.toLowerCase() !== name.toLowerCase() && one.length <= LONGEST_NAME);
};
const hintOf = (element, name, over = []) => {
  const said = [element.title, element.getAttribute("aria-label"), element.getAttribute("aria-description")].filter((one) => one && squeeze(one) !== name);
  return [...new Set([...said.map((one) => squeeze(one.slice(0, LONGEST_HINT))), ...visible(element, name, over).map((one) => one.slice(0, LONGEST_HINT))])].join("; ");
};
// Whether a sum of money stands near a control: in the largest thing around it that is still short.
const MONEY = /\p{Sc}\s*\d|\d[\d.,'’ ]*(?:\p{Sc}|(?:usd|eur|gbp|chf|jpy|cny|rmb|cad|aud|nzd|sek|nok|dkk|pln|czk|huf|inr|brl|mxn|krw|euros?|dollars?|pounds?|kr|zł|kč|元|円|块|руб)(?!\p{L}))|(?<!\p{L})(?:usd|eur|gbp|chf|fr\.)\s*\d/iu;
const short = (node) => {
  let known = shorts.get(node);
  if (known === undefined) shorts.set(node, (known = (node.textContent ?? "").length <= LONGEST_NEAR));
  return known;
};
const priced = (element) => {
  let near = element;
  for (let node = parentOf(element); node && node !== document.documentElement && short(node); node = parentOf(node)) if (node.nodeType === 1) near = node;
  let found = money.get(near);
  if (found === undefined) money.set(near, (found = MONEY.test(near.innerText ?? near.textContent) || [...near.querySelectorAll("input")].some((one) => MONEY.test(one.value))));
  return found;
};
// The dialog that an element is in, also where nothing but its place says that it is one; null if there is none.
const dialogOf = (node) => {
  if (!node || node === document.body || node === document.documentElement) return null;
  if (node.nodeType !== 1) return dialogOf(parentOf(node));
  if (!dialogs.has(node)) dialogs.set(node, node.matches(DIALOGS) || overlays(node) ? node : dialogOf(parentOf(node)));
  return dialogs.get(node);
};
// Whether something lies over other things than those that it is in: not one of several notes on a board.
const overlays = (element) => {
  const placed = (one) => getComputedStyle(one).position, position = placed(element);
  if (position !== "fixed" && position !== "absolute") return false;
  const box = element.getBoundingClientRect();
  if (box.width < LEAST_DIALOG || box.height < LEAST_DIALOG) return false;
  const alike = (one) => one !== element && one.className === element.className && placed(one) === "absolute";
  if (position === "absolute" && [...element.parentNode.children].some(alike)) return false;
  return EVERYWHERE.some((across) => EVERYWHERE.some((down) => {
    const under = document.elementsFromPoint(box.x + box.width * across, box.y + box.height * down);
    return under.length > 0 && within(under[0], element) && under.some((one) => !within(one, element) && !within(element, one));
  }));
};
const covers = (box) => box.width >= innerWidth - 20 && box.height >= innerHeight - 3;
// Whether an element stands in an upper corner of its dialog, where such are closed, and is not one of a list.
const inCorner = (element, dialog) => {
  let panel = dialog;
  // What darkens the page around it may hold the dialog, too.
  for (let inner; covers(panel.getBoundingClientRect()); panel = inner) {
    inner = [...panel.children].find((one) => within(element, one));
    const others = [...panel.children].map((one) => one.getBoundingClientRect()).filter((box) => box.width && box.height && !covers(box));
    if (!inner || inner === element || others.length !== (covers(inner.getBoundingClientRect()) ? 0 : 1)) break;
  }
  const box = element.getBoundingClientRect(), around = panel.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  if (y - around.top > CORNER || Math.min(x - around.left, around.right - x) > CORNER) return false;
  // A list has more of them, and what closes the dialog stands above those that take away what is in it.
  const like = (one) => one.className === element.className && one.parentNode.className === element.parentNode.className;
  const above = (one) => one.textContent === element.textContent && one.getBoundingClientRect().bottom <= box.y;
  return ![...panel.getElementsByTagName(element.tagName)].some((one) => one !== element && (like(one) || above(one)));
};
const wordless = (name) => !/\p{L}{2}/u.test(name);
const line = (kind, method, origin, has, sends, hint, classes, texts = "") => [kind, method, origin, has.join(), sends, hint, classes, texts].join("\n");

// How a form is sent by one of its buttons, which may say it otherwise.
const methodOf = (form, button) => {
  const method = (button?.getAttribute("formmethod") ?? formOf(form).method).toLowerCase();
  return method === "get" || method === "post" ? method : "";
};

// As one line for each fact: kind, method, origin, what it has, the button that Enter presses, what it is called otherwise,
// and, where it is called by no word, the classes of its picture.
const behindOf = (element, role, name, over) => {
  const tag = element.tagName;
  if (tag === "A" || tag === "AREA") {
    if (goes(element)) return line("link", "", "", popup(element) ? ["popup"] : [], "", element.title ? hintOf(element, name) : "", "");
  } else if (tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && INPUTS[element.type] !== "button")) {
    const form = element.form, own = holds(element);
    if (!form) return own ? line("field", "", "", [own], "", "", "") : null;
    if (tag !== "INPUT" || role === "check box" || role === "radio button") return null;
    const { origin, has, sends, default: pressed, parts } = formOf(form), method = methodOf(form, pressed);
    return line("field", method, origin, pressed && parts(pressed) ? [...has, "apart"] : has, sends, "", "");
  } else if (role !== "button" && role !== "toggle button" && role !== "menu button" && role !== "link" && role !== "menu item") return null;
  const sent = submits(element) ? element.form : null, has = popup(element) ? ["popup"] : [];
  const dialog = dialogOf(element);
  if (dialog) has.push("dialog");
  if (dialog && wordless(name) && inCorner(element, dialog)) has.push("corner");
  if (element.closest(ROWS)) has.push("row");
  // Only the pointer says that it can be pressed: a card, say.
  if (tag !== "BUTTON" && tag !== "INPUT" && tag !== "A" && !element.hasAttribute("role")) has.push("unsaid");
  if (priced(element) || shop()) has.push("price");
  const hint = hintOf(element, name, over), classes = wordless(name) ? words(element) : "";
  if (!sent) return line("button", "", elsewhere(location.href), has, "", hint, classes);
  const form = formOf(sent), method = methodOf(sent, element);
  const action = element.getAttribute("formaction");
  if (form.parts(element)) has.push("apart");
  return line("submit", method, action ? elsewhere(action) : form.origin, [...form.has, ...has], "", hint, classes, form.texts);
};
