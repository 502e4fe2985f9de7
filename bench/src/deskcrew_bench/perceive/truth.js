// What a person could press on the page in view, found without the engine's scripts, and what pressing it changed.
(() => {
  const NATIVE = "a[href],button,input:not([type=hidden]),select,textarea,summary,area[href],label,[contenteditable=''],[contenteditable=true],audio[controls],video[controls]";
  const ROLES = new Set("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem slider spinbutton combobox textbox searchbox gridcell".split(" "));
  const HANDLERS = ["onClick", "onMouseDown", "onPointerDown", "onMouseUp", "onChange"];
  const WRITTEN = "textarea,select,[contenteditable=''],[contenteditable=true],input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit]):not([type=reset]):not([type=image])";
  const CHOSEN = ":checked,[aria-selected=true],[aria-pressed=true],[aria-current]:not([aria-current=false]),.active,.selected,.current,.checked";
  const QUIET = 100, LONGEST = 2000;  // milliseconds
  const listens = new WeakSet();

  const above = node => node.parentElement ?? (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  // Each element with the path by which it is found again.
  const all = function* (root = document, before = "") {
    let place = 0;
    for (const element of root.children) {
      const path = `${before}/${element.localName}.${place++}`;
      yield [path, element];
      yield* all(element, path);
      if (element.shadowRoot) yield* all(element.shadowRoot, path);
    }
  };
  const deepest = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) hit = hit.shadowRoot.elementFromPoint(x, y);
    return hit;
  };
  const inside = (element, outer) => {
    for (let node = element; node; node = above(node)) if (node === outer) return true;
    return false;
  };
  const handler = element => {
    if (listens.has(element)) return true;
    const props = Object.keys(element).find(key => key.startsWith("__reactProps$"));
    return Boolean(props && HANDLERS.some(name => element[props][name]));
  };
  const words = element => (element?.innerText ?? element?.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
  const named = element => {
    const by = element.getAttribute("aria-labelledby");
    const labels = by ? by.split(/\s+/).map(id => words(document.getElementById(id))).join(" ") : [...(element.labels ?? [])].map(words).join(" ");
    const field = element.matches("input,select,textarea");
    const button = element.matches("input[type=button],input[type=submit],input[type=reset]") ? element.value : "";
    return (element.getAttribute("aria-label") || labels || button || (field ? "" : words(element)) || element.getAttribute("alt") ||
      element.querySelector?.("[alt]")?.getAttribute("alt") || element.getAttribute("title") || "").trim().slice(0, 80);
  };
  const place = element => {
    const box = element.getBoundingClientRect();
    const left = Math.max(box.left, 0), top = Math.max(box.top, 0);
    const width = Math.min(box.right, innerWidth) - left, height = Math.min(box.bottom, innerHeight) - top;
    return { x: left, y: top, width, height };
  };

  // One entry an element that a person might press: what it is by its markup, its listeners, or, at random, only its place.
  const candidates = () => {
    const found = [], numbers = new Map();
    for (const [path, element] of all()) {
      const style = getComputedStyle(element);
      if (style.visibility !== "visible" || style.pointerEvents === "none" || element.matches("html,body,option,script,style")) continue;
      const at = place(element);
      if (at.width < 5 || at.height < 5) continue;
      const hit = deepest(at.x + at.width / 2, at.y + at.height / 2);
      if (!hit || !(inside(hit, element) || (element.labels && [...element.labels].some(label => inside(hit, label))))) continue;
      const outer = above(element);
      const pointer = style.cursor === "pointer" && (!outer || getComputedStyle(outer).cursor !== "pointer");
      const own = element.matches(NATIVE) || ROLES.has(element.getAttribute("role")) || handler(element);
      const leaf = !element.children.length && (words(element) || element.matches("img,svg,canvas,i,span"));
      const kind = own ? "own" : pointer || element.tabIndex >= 0 ? "looks" : leaf ? "leaf" : "";
      if (!kind) continue;
      let around = above(element);
      while (around && !numbers.has(around)) around = above(around);
      numbers.set(element, found.length);
      const chosen = [element, around].some(each => each?.matches(CHOSEN));
      const disabled = element.matches(":disabled") || element.getAttribute("aria-disabled") === "true";
      found.push({
        path, kind, within: around ? numbers.get(around) : null, name: named(element),
        written: element.matches(WRITTEN), disabled, chosen, ...at,
      });
    }
    return found;
  };

  const signature = element => {
    const attributes = [...element.attributes].map(each => `${each.name}=${each.value}`).join(" ");
    const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join("");
    return `${element.localName} ${attributes} ${text} ${element.value ?? ""} ${element.checked ?? ""} ${element.open ?? ""}`;
  };
  const lines = () => new Map([...all()].map(([path, element]) => [path, signature(element)]));
  const different = (before, after) => [...new Set([...before.keys(), ...after.keys()])].filter(path => before.get(path) !== after.get(path));
  let kept = new Map(), moving = new Set();
  // What the document says once it no longer changes, or after the longest wait.
  const rest = async () => {
    let before = lines();
    for (const end = performance.now() + LONGEST; performance.now() < end;) {
      await new Promise(done => setTimeout(done, QUIET));
      const now = lines();
      if (!different(before, now).length) break;
      before = now;
    }
    return before;
  };
  let asked = 0;
  // A dialog of the browser's own would hold up the page, and another window would hide it: that they were asked for is enough.
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = () => { asked += 1; return null; };
  window[Symbol.for("truth")] = {
    asked: () => asked,
    mark: element => void listens.add(element),
    candidates,
    extent: () => lines().size,
    rest,
    keep: async () => { kept = lines(); moving = new Set(); const later = await rest(); moving = new Set(different(kept, later)); kept = later; },
    changed: () => {
      const now = lines();
      return different(kept, now).filter(path => !moving.has(path)).map(path => [path, kept.has(path) && now.has(path)]);
    },
    writes: () => [...all()].findIndex(([, element]) => element === document.activeElement && element.matches(WRITTEN)),
  };
})();
