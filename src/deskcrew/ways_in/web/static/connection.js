// Whether what a page says is up to date: a bar while it is not, a word about what could not be sent, and errors that are over
// taken away. This runs before htmx does, so that nothing of a stream goes unnoticed.

const root = document.documentElement;
const bar = document.querySelector("#lost p");
const LOST = "The connection to Deskcrew is lost; trying again…";
const STALE = "Not live: reconnecting…";
const BROKEN = "Not live: a part of this page did not arrive. Reload it.";
const AGAIN = 3000; // milliseconds until a stream that never began is asked for once more
const QUIET = 25_000; // milliseconds without a word after which a stream counts as dead: the server speaks every ten seconds

function lost(words) {
  root.toggleAttribute("data-lost", Boolean(words));
  if (!bar) return;
  bar.textContent = words;
  bar.hidden = !words;
}

// A stream that breaks is begun again by its extension, which says so before and after. A page that is out of sight lets go
// of its stream by itself, and a server that answers with an error is there.
let resting = false, answers = false;
let connection = null, heard = performance.now();
document.addEventListener("visibilitychange", () => {
  if (document.hidden) resting = true;
  else heard = performance.now();
});
document.addEventListener("htmx:sse:before:connection", (event) => {
  connection = event.detail.connection;
  if (connection.attempt === 0 || answers) return;
  if (resting && !document.hidden) resting = false;
  else if (!document.hidden) lost(LOST);
});
document.addEventListener("htmx:sse:after:connection", () => { answers = resting = false; heard = performance.now(); lost(""); });
document.addEventListener("htmx:sse:before:message", () => {
  heard = performance.now();
  if (bar?.textContent === STALE) lost("");
});
document.addEventListener("htmx:sse:close", () => { connection = null; });
document.addEventListener("htmx:sse:error", (event) => {
  const status = event.detail.status ?? 0;
  answers = status > 0 && status < 500;
  lost(answers || document.hidden ? "" : LOST);
});

// Whatever the reason, a page that should be live and is not says so and tries again; a page that only looks live would have
// somebody answer a question that is not asked any more.
let asked = performance.now();
setInterval(() => {
  const source = document.querySelector("[hx-sse\\:connect]"), now = performance.now();
  if (!source || document.hidden || root.hasAttribute("data-lost") && bar.textContent === LOST) return;
  if (connection ? now - heard < QUIET : now - asked < AGAIN) return;
  lost(window.htmx ? STALE : BROKEN);
  asked = heard = now;
  if (connection) connection.reader?.cancel();
  else if (window.htmx) {
    htmx.trigger(source, "htmx:abort"); // a request that nobody answers would hold up the next one
    htmx.ajax("GET", source.getAttribute("hx-sse:connect"), { source });
  }
}, 1000);

document.addEventListener("htmx:error", (event) => {
  const ctx = event.detail.ctx;
  if (!ctx || ctx.response) return; // an answer came
  const stream = ctx.sourceElement.getAttribute("hx-sse:connect");
  if (stream && ctx.request.action === stream) {
    lost(LOST);
    setTimeout(() => htmx.ajax("GET", stream, { source: ctx.sourceElement }), AGAIN);
  } else {
    document.getElementById("trouble").replaceChildren(document.getElementById("unsent").content.cloneNode(true));
  }
});

// What was wrong is over when something that was done afterwards went well.
document.addEventListener("htmx:after:request", (event) => {
  const { response, sourceEvent } = event.detail.ctx;
  if (response.status < 400 && ["click", "submit", "change"].includes(sourceEvent?.type)) document.getElementById("trouble").replaceChildren();
});
