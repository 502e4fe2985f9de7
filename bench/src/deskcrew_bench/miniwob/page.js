// What is added to a page of MiniWoB++: it begins by itself from a seed, without a clock and without a display of rewards,
// and tells whoever serves it what is to be done, and what came of it. `deskcrewEpisode` is defined before this.
(() => {
  "use strict";
  const { seed, report, limit } = deskcrewEpisode;
  const tell = (said) => fetch(report, { method: "POST", body: JSON.stringify(said), keepalive: true });
  const until = (holds) => new Promise((resolve) => {
    const timer = setInterval(() => { if (holds()) { clearInterval(timer); resolve(); } }, 10);
  });
  addEventListener("load", async () => {
    await until(() => window.core && core.cover_div !== null);
    const end = core.endEpisode;
    core.EPISODE_MAX_TIME = limit;
    core.endEpisode = function (...how) {
      const running = core.EP_TIMER !== null;
      core.startEpisode = () => {};  // one episode, and the page stays as it was left
      end.apply(core, how);
      if (running) tell({ over: true, reward: WOB_RAW_REWARD_GLOBAL, reason: String(WOB_REWARD_REASON ?? "") });
    };
    Math.seedrandom(seed);
    core.startEpisodeReal();
    await until(() => WOB_TASK_READY);
    const asked = core.getUtterance();
    tell({ instruction: String(asked?.utterance ?? asked) });
  });
})();
