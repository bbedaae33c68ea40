// @ts-check
// Tables: sorted by their headers, a page at a time, rows by arrow keys.

const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

// Nothing known comes last, whichever way the rest is sorted.
function sorted(rows, value, falling) {
  const keyed = rows.map((row) => [value(row), row]);
  const known = keyed.filter(([key]) => key !== null && key !== undefined && key !== "");
  const unknown = keyed.filter(([key]) => key === null || key === undefined || key === "");
  known.sort((a, b) => (falling ? compare(b[0], a[0]) : compare(a[0], b[0])));
  return [...known, ...unknown].map(([, row]) => row);
}

class Table {
  // columns: {label, title, value(row), show(row), number, falling, wide}; the first holds the row's link or button.
  /** @param {{caption: string, columns: any[], size?: number, state?: any, empty?: string}} options */
  constructor({ caption, columns, size = 50, state = {}, empty = "Nothing to show." }) {
    this.columns = columns;
    this.size = size;
    this.state = state;
    this.empty = empty;
    state.page ??= 0;
    state.column ??= -1;
    this.body = el("tbody", { onkeydown: (event) => this.step(event), onclick: (event) => this.follow(event) });
    this.heads = columns.map((column, i) => this.head(column, i));
    this.table = el(
      "table",
      {},
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
  }

  head(column, i) {
    const button = el("button", { type: "button", title: column.title, onclick: () => this.sort(i) }, column.label);
    return el("th", { scope: "col", class: this.look(column), "aria-sort": "none" }, button);
  }

  look(column) {
    return (column.number && "number") || (column.wide && "wide") || null;
  }

  sort(i) {
    const again = this.state.column === i;
    this.state.falling = again ? !this.state.falling : Boolean(this.columns[i].falling);
    this.state.column = i;
    this.state.page = 0;
    this.show(this.given);
  }

  turn(by) {
    this.state.page += by;
    this.render();
  }

  show(rows) {
    this.given = rows;
    const column = this.columns[this.state.column];
    this.rows = column ? sorted(rows, column.value, this.state.falling) : rows;
    this.heads.forEach((head, i) => {
      const way = this.state.falling ? "descending" : "ascending";
      head.setAttribute("aria-sort", i === this.state.column ? way : "none");
    });
    this.render();
  }

  render() {
    const last = Math.max(0, Math.ceil(this.rows.length / this.size) - 1);
    this.state.page = Math.min(Math.max(this.state.page, 0), last);
    const start = this.state.page * this.size;
    const part = this.rows.slice(start, start + this.size);
    this.body.replaceChildren(...part.map((row) => this.row(row)));
    if (!part.length)
      this.body.append(el("tr", {}, el("td", { colspan: this.columns.length, class: "empty" }, this.empty)));
    const end = start + part.length;
    this.range.textContent = part.length
      ? `${count(start + 1)}${DASH}${count(end)} of ${count(this.rows.length)}`
      : "0";
    this.back.disabled = this.state.page === 0;
    this.next.disabled = this.state.page === last;
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
