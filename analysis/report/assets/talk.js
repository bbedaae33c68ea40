// @ts-check
// What was said in a live run, message by message; a message and the commands that it led to find each other.

const FOLDED_LETTERS = 700,
  FOLDED_LINES = 12,
  FIRST_LETTERS = 160;
const SPEAKERS = { assistant: "Agent", user: "Environment", system: "Instructions", tool: "Result", error: "Failure" };

class Talk {
  // drawn: the chart beside it, null if there is none.
  constructor(talk, texts, time, drawn) {
    this.texts = texts;
    this.time = time;
    this.drawn = drawn;
    this.byCommand = new Map();
    this.items = [];
    const said = talk.said ?? [];
    this.panel = el(
      "div",
      { class: "panel", tabindex: "0", role: "region", "aria-label": "Transcript" },
      el(
        "ol",
        { class: "said" },
        said.map((message) => this.message(message)),
      ),
      talk.left ? el("p", { class: "note" }, `${plural(talk.left, "more message")} left out.`) : null,
    );
    const spent = this.spent(talk.usage ?? []);
    this.element = el(
      "div",
      { class: "talk" },
      el("h2", {}, "Transcript"),
      el(
        "p",
        { class: "note" },
        talk.fault
          ? ["There is no transcript to show: ", data(talk.fault), "."]
          : [plural(said.length + (talk.left ?? 0), "message"), spent && ` · ${spent}`],
      ),
      said.length ? this.panel : null,
    );
    if (drawn) drawn.told = (links, chosen) => this.light(links, chosen);
  }

  spent(usage) {
    return usage
      .map(([name, value]) => (typeof value === "string" ? `${name} ${value}` : `${count(value)} ${name}`))
      .join(" · ");
  }

  message([role, text, turn, clock, positions, beside]) {
    const speaker = SPEAKERS[role] ?? role;
    const links = positions.map((position) => `c${position}`);
    const when = [role === "assistant" && turn ? `turn ${turn}` : "", clock === null ? "" : moment(this.time, clock)];
    const title = el(
      "span",
      {},
      el("strong", {}, data(speaker)),
      when.filter(Boolean).map((part) => ` · ${part}`),
      beside?.purpose && beside.purpose !== `turn ${turn}` ? [" · ", data(beside.purpose)] : null,
    );
    const shown = this.drawn?.plans.length && links.length;
    const item = el(
      "li",
      { class: `message ${role in SPEAKERS ? role : "other"}` },
      el(
        "p",
        { class: "who" },
        shown
          ? el(
              "button",
              { type: "button", class: "link", title: "Show it in the chart", onclick: () => this.drawn.reveal(links) },
              title,
            )
          : title,
        beside?.usage ? el("span", { class: "spent" }, this.spent(beside.usage)) : null,
      ),
      beside?.reasoning === undefined
        ? null
        : el(
            "details",
            { class: "reasoning" },
            el("summary", {}, "Reasoning"),
            el("div", { class: "text", dir: "auto" }, this.texts[beside.reasoning]),
          ),
      this.body(this.texts[text]),
      beside?.finish ? el("p", { class: "spent" }, "ended: ", data(beside.finish)) : null,
    );
    this.items.push({ item, links });
    for (const link of links) this.byCommand.set(link, item);
    return item;
  }

  body(text) {
    if (text === "") return el("p", { class: "note" }, "(nothing)");
    const whole = el("div", { class: "text", dir: "auto" }, text);
    if (text.length <= FOLDED_LETTERS && text.split("\n").length <= FOLDED_LINES) return whole;
    const first = text.trimStart().slice(0, FIRST_LETTERS).split("\n")[0];
    return el("details", {}, el("summary", {}, data(`${first} …`)), whole);
  }

  // Commands were pointed at: their message lights up, and comes into sight if they were chosen.
  light(links, chosen) {
    for (const { item, links: own } of this.items)
      item.classList.toggle(
        "lit",
        own.some((link) => links.includes(link)),
      );
    const found = links.map((link) => this.byCommand.get(link)).find(Boolean);
    if (!chosen || !found) return;
    const room = (this.panel.clientHeight - found.offsetHeight) / 2;
    const top = found.offsetTop - Math.max(8, room);
    this.panel.scrollTo({ top, behavior: calm.matches ? "auto" : "smooth" });
  }
}

// The transcript of a submission, null if it has none.
async function talkOf(rows, row, drawn) {
  const [number, place] = rows.talk[row] ?? [null, 0];
  if (number === null) return null;
  const [texts, talks] = await chunk(number);
  return new Talk(talks[place], texts, rows.problem(row).time, drawn);
}
