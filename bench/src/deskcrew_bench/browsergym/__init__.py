"""The crew as an agent of BrowserGym: a process that does an episode on the page BrowserGym owns."""
