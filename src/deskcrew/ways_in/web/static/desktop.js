// The crew's desktop, live: watched by whoever wants to, worked on by whoever has taken over. The page's stream says which of
// the two holds (#desktop); the run's process decides it anyway, and cuts off who may not.

const card = document.querySelector("[data-desktop]");
const state = card.querySelector("#desktop");
const view = card.querySelector("[data-view]");
const status = card.querySelector("[data-said]");
const AGAIN = 1500; // milliseconds before a connection that was lost is tried again

let link = null; // the connection: { rfb, hands, desk }
let desk = "1"; // the number of the desktop that is shown
let connecting = false;
let watching = false;
let waiting = 0;

const there = () => state.querySelector("[data-held]") !== null;
const mine = () => state.querySelector('[data-held="take_over"]') !== null;
const say = (words) => { status.textContent = words; };

async function update() {
  const wanted = there() && (watching || mine());
  for (const button of state.querySelectorAll("[data-desk]")) {
    const pressed = String(button.dataset.desk === desk);
    if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
  }
  card.toggleAttribute("data-watching", wanted);
  card.toggleAttribute("data-hands", wanted && mine());
  if (link && (!wanted || link.hands !== mine() || link.desk !== desk)) close();
  if (wanted && !link && !connecting && !waiting) await open(mine());
  if (!wanted) say("");
}

function close() {
  const old = link;
  link = null;
  old?.rfb.disconnect();
}

async function open(hands) {
  connecting = true;
  const { default: RFB } = await import("./vendor/novnc/core/rfb.js");
  connecting = false;
  const address = new URL(card.dataset.desktop, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (hands) address.searchParams.set("hands", "true");
  address.searchParams.set("desk", desk);
  const socket = new WebSocket(address);
  const rfb = new RFB(view, socket);
  const own = (link = { rfb, hands, desk });
  rfb.viewOnly = !hands;
  rfb.scaleViewport = true;
  rfb.background = "transparent";
  rfb.showDotCursor = true; // the desktop draws no pointer
  rfb.addEventListener("connect", () => {
    say("");
    if (hands) rfb.focus();
  });
  socket.addEventListener("close", (event) => {
    if (link !== own) return; // we closed it ourselves
    link = null;
    say(event.code === 4000 ? event.reason : "The connection to the desktop was lost. Trying again…");
    waiting = setTimeout(() => { waiting = 0; update(); }, AGAIN);
  });
}

// The desktop takes every key, Tab too: this way back is told beside it.
view.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !event.ctrlKey || !event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const [key, code] of [[0xffe3, "ControlLeft"], [0xffe4, "ControlRight"], [0xffe9, "AltLeft"], [0xffea, "AltRight"]]) {
    link?.rfb.sendKey(key, code, false);
  }
  state.querySelector('button[value="hand_back"]')?.focus();
}, true);

card.addEventListener("click", (event) => {
  const other = event.target.closest("[data-desk]");
  if (other) desk = other.dataset.desk;
  else if (event.target.closest("[data-watch]")) watching = !watching;
  else return;
  update();
});

// Where there is no keyboard: a line that is typed here is typed there.
card.querySelector("[data-type]").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = event.target.elements.text;
  const { default: keysyms } = await import("./vendor/novnc/core/input/keysymdef.js");
  for (const letter of field.value) link?.rfb.sendKey(keysyms.lookup(letter.codePointAt(0)));
  if (event.submitter?.value === "enter") link?.rfb.sendKey(0xff0d, "Enter");
  field.value = "";
});

new MutationObserver(update).observe(state, { attributes: true, childList: true, subtree: true });
update();
