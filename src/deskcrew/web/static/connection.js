// Whether the server is there: a bar while it is not, a word about what could not be sent, and errors that are over taken away.

const root = document.documentElement;
const bar = document.querySelector("#lost p");
const AGAIN = 3000; // milliseconds until a stream that never began is asked for once more

function lost(now) {
  root.toggleAttribute("data-lost", now);
  if (bar) bar.hidden = !now;
}

// A stream that breaks is begun again by its extension, which says so before and after. A page that is out of sight lets go
// of its stream by itself, and a server that answers with an error is there.
let resting = false, answers = false;
document.addEventListener("visibilitychange", () => { if (document.hidden) resting = true; });
document.addEventListener("htmx:sse:before:connection", (event) => {
  if (event.detail.connection.attempt === 0 || answers) return;
  if (resting && !document.hidden) resting = false;
  else if (!document.hidden) lost(true);
});
document.addEventListener("htmx:sse:after:connection", () => { answers = resting = false; lost(false); });
document.addEventListener("htmx:sse:error", (event) => {
  const status = event.detail.status ?? 0;
  answers = status > 0 && status < 500;
  lost(!answers && !document.hidden);
});

document.addEventListener("htmx:error", (event) => {
  const ctx = event.detail.ctx;
  if (!ctx || ctx.response) return; // an answer came
  const stream = ctx.sourceElement.getAttribute("hx-sse:connect");
  if (stream && ctx.request.action === stream) {
    lost(true);
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
