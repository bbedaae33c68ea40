// @ts-check
// Tables: sorted by their headers, in pages, with arrow keys between rows.

// Most rows of a table that are printed.
const PRINTED = 2000;
const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

// Missing values come last in both directions.
function sorted(rows, value, falling) {
  const keyed = rows.map((row) => [value(row), row]);
  const present = keyed.filter(([key]) => key !== null && key !== undefined && key !== "");
  const absent = keyed.filter(([key]) => key === null || key === undefined || key === "");
  present.sort((a, b) => (falling ? compare(b[0], a[0]) : compare(a[0], b[0])));
  return [...present, ...absent].map(([, row]) => row);
}

class Table {
  // columns: {key, label, title, value(row), show(row), number, falling, wide}; the first contains the link or button
  // of the row. name: key of the table in the address, "" for none; by: initial column, with a minus if descending.
  /** @param {{caption: string, columns: any[], size?: number, name?: string, by?: string, empty?: string}} options */
  constructor({ caption, columns, size = 50, name = "", by = "", empty = "Nothing to show." }) {
    this.columns = columns;
    this.size = size;
    this.name = name;
    this.empty = empty;
    this.paper = false;
    const requested = (name && address.get(name)) || "";
    for (const order of [by, requested]) {
      const column = columns.findIndex((one) => one.key === order.replace(/^-/, ""));
      if (this.column === undefined || column >= 0) [this.column, this.falling] = [column, order.startsWith("-")];
    }
    this.page = 0;
    this.body = el("tbody", { onkeydown: (event) => this.step(event), onclick: (event) => this.follow(event) });
    this.buttons = columns.map(({ title, label }, i) =>
      el("button", { type: "button", title, onclick: () => this.sort(i) }, label),
    );
    this.heads = columns.map((column, i) =>
      el("th", { scope: "col", class: this.look(column), "aria-sort": "none" }, this.buttons[i]),
    );
    this.table = el(
      "table",
      { class: columns.length > 9 ? "many" : null },
      el("caption", { class: "hidden" }, caption),
      el("thead", {}, el("tr", {}, this.heads)),
      this.body,
    );
    this.range = el("span", { class: "range", role: "status" });
    this.back = el("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.next = el("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.pages = el(
      "div",
      { class: "pages", role: "group", "aria-label": `Pages of ${caption}` },
      this.back,
      this.range,
      this.next,
    );
    this.scroll = el("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, this.table);
    this.element = el("div", { class: "table" }, this.scroll, this.pages);
    papers.set(this.element, (on) => {
      this.paper = on;
      // Browsers do not repeat a head with buttons on each printed page.
      this.heads.forEach((head, i) => head.replaceChildren(on ? columns[i].label : this.buttons[i]));
      this.render();
    });
  }

  look(column) {
    return (column.number && "number") || (column.wide && "wide") || null;
  }

  sort(i) {
    this.falling = this.column === i ? !this.falling : Boolean(this.columns[i].falling);
    this.column = i;
    this.page = 0;
    this.storeState();
    this.show(this.allRows);
  }

  turn(by) {
    this.page += by;
    this.storeState();
    this.render();
  }

  storeState() {
    if (!this.name) return;
    const column = this.columns[this.column];
    address.set(this.name, column ? (this.falling ? "-" : "") + column.key : null);
    address.set(`${this.name}-page`, this.page ? String(this.page + 1) : null);
    remember(true);
  }

  show(rows) {
    this.allRows = rows;
    if (this.name) {
      const page = Number(address.get(`${this.name}-page`) || 1);
      this.page = Number.isInteger(page) ? Math.max(0, page - 1) : 0;
    }
    const column = this.columns[this.column];
    this.rows = column ? sorted(rows, column.value, this.falling) : rows;
    this.heads.forEach((head, i) => {
      const way = this.falling ? "descending" : "ascending";
      head.setAttribute("aria-sort", i === this.column ? way : "none");
    });
    this.render();
  }

  render() {
    const size = this.paper ? PRINTED : this.size;
    const last = Math.max(0, Math.ceil(this.rows.length / this.size) - 1);
    this.page = Math.min(this.page, last);
    const start = this.paper ? 0 : this.page * size;
    const part = this.rows.slice(start, start + size);
    this.body.replaceChildren(...part.map((row) => this.row(row)));
    if (!part.length)
      this.body.append(el("tr", {}, el("td", { colspan: this.columns.length, class: "empty" }, this.empty)));
    const end = start + part.length;
    this.range.textContent = part.length
      ? `${count(start + 1)}${DASH}${count(end)} of ${count(this.rows.length)}`
      : "0";
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === last;
    this.pages.hidden = last === 0;
  }

  row(row) {
    const cells = this.columns.map((column, i) => {
      const name = i === 0 ? "th" : "td";
      return el(name, { scope: i ? null : "row", class: this.look(column) }, column.show(row));
    });
    return el("tr", {}, cells);
  }

  follow(event) {
    const row = event.target.closest("tr");
    if (event.target.closest("a, button") || String(getSelection())) return;
    row?.querySelector("a, button")?.click();
  }

  step(event) {
    const ways = { ArrowDown: 1, ArrowUp: -1 };
    const row = event.target.closest("tr");
    if (!(event.key in ways) || !row || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const way = ways[event.key];
    let target = way > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (!target && this.pages.hidden === false && !(way > 0 ? this.next : this.back).disabled) {
      this.turn(way);
      target = way > 0 ? this.body.firstElementChild : this.body.lastElementChild;
    }
    target?.querySelector("a, button")?.focus();
  }
}
