// Reading a page: a text in it, and all of it as Markdown.

// Text that is directly in it is hidden, though it is seen itself.
const closed = (element) => element.tagName === "DETAILS" && !element.open;
const find = (wanted) => {
  const text = wanted.toLowerCase(), places = [];
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.nodeType === 1) { if (node.shadowRoot) visit(node.shadowRoot); continue; }
      const parent = node.parentElement;
      if (parent && !SKIPPED.has(parent.tagName) && node.data.toLowerCase().includes(text) && seen(parent) && !closed(parent)) places.push(parent);
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
    if (child.nodeType === 3) { if (!closed(element)) loose.push(child); continue; }
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

// Links that only open another page of the site. Those of a row are about what is in it, and a fragment is the same page.
const LEADING = "nav,header,[role=navigation],[role=menubar],[role=tablist]";
const MOST_LINKS = 200;
const links = () => [...document.links].filter((one) => seen(one) && goes(one) && one.origin === location.origin && !one.hasAttribute("download") && !one.closest("tr,[role=row]"))
  .slice(0, MOST_LINKS)
  .map((one) => [squeeze(one.innerText || one.getAttribute("aria-label") || "").toWellFormed(), one.href.split("#")[0], one.closest(LEADING) !== null]);
const status = () => performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0;

Object.assign(globalThis.deskcrew, { find, links, markdown, status });
