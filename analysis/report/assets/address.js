// @ts-check
// The address: behind the # stands the view, and behind its first "?" how it is filtered and sorted, so that a link, a
// reload and the way back show the same. Names in it never hold a "?", see coded. What is not known changes nothing.

const MOST_LETTERS = 300;

class Address {
  constructor(hash) {
    const cut = hash.indexOf("?");
    this.path = cut < 0 ? hash : hash.slice(0, cut);
    this.asked = new URLSearchParams(cut < 0 ? "" : hash.slice(cut + 1));
  }

  // Null if nothing is asked for; empty text can be asked for, such as the model without a name.
  get(key) {
    return this.asked.get(key)?.slice(0, MOST_LETTERS) ?? null;
  }

  set(key, value) {
    if (value === null) this.asked.delete(key);
    else this.asked.set(key, value);
  }

  toString() {
    const query = String(this.asked);
    return query ? `${this.path || "#"}?${query}` : this.path;
  }
}

let address = new Address("");
// The first view as it was last seen.
let home = "#";

// Tells the browser what is asked for now: as a step that can be taken back, or in the place of the last one.
function remember(step) {
  const hash = String(address);
  if (hash === location.hash) return;
  try {
    history[step ? "pushState" : "replaceState"](null, "", hash || "#");
  } catch {
    return; // some browsers refuse many steps in a short time; the next change tells all
  }
  arrived();
}
