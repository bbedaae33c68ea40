// @ts-check
// The address: the view after the #, and filters and sorting after the first "?", so that a link, a reload and the
// history show the same. Names in it never contain a "?", see coded. Unknown parts are ignored.

const MOST_LETTERS = 300;

class Address {
  constructor(hash) {
    const cut = hash.indexOf("?");
    this.path = cut < 0 ? hash : hash.slice(0, cut);
    this.query = new URLSearchParams(cut < 0 ? "" : hash.slice(cut + 1));
  }

  // Value of a key, null if it is absent; it can be empty, such as the name of a model without a name.
  get(key) {
    return this.query.get(key)?.slice(0, MOST_LETTERS) ?? null;
  }

  set(key, value) {
    if (value === null) this.query.delete(key);
    else this.query.set(key, value);
  }

  toString() {
    const query = String(this.query);
    return query ? `${this.path || "#"}?${query}` : this.path;
  }
}

let address = new Address("");
// Address of the first view when it was last open.
let home = "#";

// Writes the address into the history of the browser: as a new step, or in place of the last one.
function remember(step) {
  const hash = String(address);
  if (hash === location.hash) return;
  try {
    history[step ? "pushState" : "replaceState"](null, "", hash || "#");
  } catch {
    return; // some browsers reject many steps in a short time; the next change writes the whole address
  }
  arrived();
}
