// @ts-check
// The chart: the drawing with legend, zoom, and mouse and keyboard control.

class Chart extends Drawing {
  /** @type {string[]} */
  lit = [];

  constructor(...options) {
    super(...options);
    this.element = el(
      "figure",
      { class: "chart" },
      this.toolbar(),
      el("div", { class: "frame" }, this.labels, this.holder),
      this.legend(),
    );
    papers.set(this.element, (on) => {
      this.paper = on;
      this.width = 0;
      this.fit();
    });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(this.holder);
    this.holder.addEventListener("keydown", (event) => this.walk(event));
    this.holder.addEventListener("mouseleave", hideTip);
  }

  toolbar() {
    const zoom = (by, label, sign) =>
      el("button", { type: "button", "aria-label": label, title: label, onclick: () => this.enlarge(by) }, sign);
    return el(
      "div",
      { class: "tools", role: "group", "aria-label": "Size of the chart" },
      zoom(0.5, "Zoom out", "−"),
      zoom(0, "Fit the width", "Fit"),
      zoom(2, "Zoom in", "+"),
    );
  }

  enlarge(by) {
    const { zoom } = this;
    this.zoom = Math.min(32, Math.max(1, zoom * by)); // a factor of 0 resets the zoom
    this.width = 0;
    this.fit();
  }

  legend() {
    const entry = (sample, text) => el("li", {}, sample, text);
    const swatch = (name, colour) => {
      const box = el("span", { class: `swatch ${name}`, "aria-hidden": "true" });
      if (colour) box.style.background = colour;
      return box;
    };
    const bars = this.plans.flatMap((plan) => [...plan.rows.values()].flatMap((row) => row.bars));
    const entries = this.groups.names.map((name, i) => entry(swatch("", this.colour(i)), data(name)));
    if (entries.length && bars.some((one) => this.group(one.piece) === entries.length))
      entries.push(entry(swatch("", index.colours.others), "other steps"));
    if (bars.some((one) => one.released < one.end)) entries.push(entry(swatch("hatched"), "unattended"));
    if (this.plans.some((plan) => [...plan.rows.values()].some((row) => row.off.length)))
      entries.push(entry(swatch("off"), "off"));
    if (this.plans.some((plan) => plan.pieces.some((piece) => !piece.done)))
      entries.push(entry(swatch("undone"), "submitted, not carried out"));
    if (this.faults.some((fault) => fault.start !== null))
      entries.push(entry(el("span", { class: "sign", "aria-hidden": "true" }, "!"), "violation"));
    return el("ul", { class: "legend" }, entries);
  }

  fit() {
    this.element.classList.toggle("paper", this.paper);
    if (this.paper) return this.render(PAPER - PAD);
    const room = this.holder.clientWidth;
    if (!room || room === this.width) return;
    this.width = room;
    this.render(Math.max(room * this.zoom, 260) - PAD);
    this.light(this.lit);
  }

  // An element with a tooltip that can be reached by keys. Elements of one command or action are highlighted together.
  item(element, key, links, describe, name) {
    const item = { element, key, links, describe };
    fill(
      element,
      {
        role: "img",
        "aria-label": name,
        onmouseenter: () => this.hover(item),
        onfocus: () => this.hover(item),
        onblur: hideTip,
        onclick: () => this.choose(item),
      },
      [],
    );
    this.items.push(item);
    return element;
  }

  hover(item) {
    this.light(item.links);
    showTip(item.element, item.describe());
  }

  choose(item) {
    this.items.forEach((other) => other.element.setAttribute("tabindex", other === item ? "0" : "-1"));
    this.current = item.key;
    item.element.focus({ preventScroll: true });
    this.hover(item);
  }

  // Highlights the elements of a command; for buttons outside of the chart.
  select(position) {
    const item = this.items.find((one) => one.links.includes(`c${position}`));
    if (!item) return;
    this.choose(item);
    item.element.scrollIntoView({ block: "nearest", inline: "center", behavior: calm.matches ? "auto" : "smooth" });
  }

  light(links) {
    this.lit = links;
    for (const item of this.items)
      item.element.classList.toggle(
        "lit",
        item.links.some((link) => links.includes(link)),
      );
  }

  walk(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const current = this.items.findIndex((item) => item.element === document.activeElement);
    if (event.key === "Escape") return hideTip();
    const ends = { Home: 0, End: this.items.length - 1 };
    const to = event.key in ends ? ends[event.key] : current + (steps[event.key] ?? 0);
    if (current < 0 || to === current || !this.items[to]) return;
    event.preventDefault();
    this.choose(this.items[to]);
    this.items[to].element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
