// @ts-check
// Filters of the first view: the selection, stored in the address, and the rows that pass it.

const MOST_WORDS = 20;
// No filter.
const ALL = { set: null, model: null, outcome: null, text: null };

class Filters {
  // changed(setToo) is called after every change; setToo: the set has changed, too.
  constructor(rows, changed) {
    this.rows = rows;
    this.changed = changed;
    this.typing = false;
    this.haystack = /** @type {string[]} */ ([]);
    const sets = [...new Set(rows.problems.map((problem) => problem.set))].sort(collator.compare);
    const heads = [...new Set(sets.map((set) => set.split("/")[0]).filter((head) => head && !sets.includes(head)))];
    // Values in the address, and their labels.
    this.options = {
      set: [...heads, ...sets.filter(Boolean)].sort(collator.compare).map((set) => [set, set]),
      model: rows.models.map((model) => [model, model || "(no model)"]).sort((a, b) => compare(a[1], b[1])),
      outcome: OUTCOMES.map(([name, , label]) => [name, label]),
    };
    this.unknown = Object.keys(this.options).filter((name) => {
      const requested = address.get(name);
      return requested !== null && !this.options[name].some(([value]) => value === requested);
    });
    this.boxes = {
      set: this.box("Set", "set"),
      model: this.box("Model", "model"),
      outcome: this.box("Outcome", "outcome"),
    };
    this.set = this.boxes.set;
    this.search = el("input", {
      type: "search",
      id: "filter-text",
      value: this.text(),
      placeholder: "submission, problem, model, violation",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.choose({ text: this.search.value || null }, true),
    });
    this.element = el(
      "div",
      { class: "filters", role: "search" },
      el("label", { class: "field wide" }, el("span", {}, "Search"), this.search),
      this.boxes.model,
      this.boxes.outcome,
    );
  }

  // Options have numbers for values, since a name can be empty.
  box(label, name) {
    const options = this.options[name];
    const selected = this.chosen(name);
    const select = el(
      "select",
      {
        id: `filter-${name}`,
        onchange: () => this.choose({ [name]: select.value === "" ? null : options[Number(select.value)][0] }),
      },
      el("option", { value: "" }, "All"),
      options.map(([value, text], i) => el("option", { value: i, selected: value === selected }, text)),
    );
    return el("label", { class: "field" }, el("span", {}, label), select);
  }

  // The selected value of a filter; null for all, also if the value in the address does not exist.
  chosen(name) {
    return this.unknown.includes(name) ? null : address.get(name);
  }

  text() {
    return address.get("text") ?? "";
  }

  choose(values, typing = false) {
    for (const [name, value] of Object.entries(values)) address.set(name, value);
    this.unknown = this.unknown.filter((name) => !(name in values));
    for (const name of "set" in values ? ["rows", "models", "problems"] : ["rows"]) address.set(`${name}-page`, null);
    remember(!(typing && this.typing));
    this.typing = typing;
    this.changed("set" in values);
  }

  // Updates the boxes after a selection by other means.
  show() {
    for (const [name, box] of Object.entries(this.boxes)) {
      const place = this.options[name].findIndex(([value]) => value === this.chosen(name));
      box.querySelector("select").value = place < 0 ? "" : String(place);
    }
    this.search.value = this.text();
  }

  clear() {
    this.choose(ALL);
    this.show();
    this.search.focus();
  }

  narrow(one) {
    this.choose({ ...ALL, set: one.set || null, model: one.model });
  }

  inSet(set) {
    const selected = this.chosen("set");
    return selected === null || set === selected || set.startsWith(`${selected}/`);
  }

  // Returns a function that is true for rows that pass.
  test() {
    const { rows } = this;
    const [model, outcome] = [this.chosen("model"), this.chosen("outcome")];
    const terms = this.text().toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
    if (terms.length && !this.haystack.length) this.haystack = rows.id.map((_, row) => searched(rows, row));
    return (row) =>
      (model === null || rows.models[rows.model[row]] === model) &&
      (outcome === null || OUTCOMES[rows.outcome[row]][0] === outcome) &&
      this.inSet(rows.problem(row).set) &&
      terms.every((word) => this.haystack[row].includes(word));
  }

  // The selection in words, one part per filter; also values that the report does not have.
  description() {
    const parts = [];
    for (const [name, options] of Object.entries(this.options)) {
      const selected = address.get(name);
      if (selected === null) continue;
      const option = options.find(([value]) => value === selected);
      parts.push(el("span", {}, option ? "" : "this report has no ", `${name} `, data(option ? option[1] : selected)));
    }
    if (this.text().trim()) parts.push(el("span", {}, "with ", data(this.text().trim())));
    return parts;
  }
}
