// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout explorer: an expression in any notation, drawn by `tessera layout`, in other notations, with what it
// costs and how elements get from it to another one.

const EXAMPLES = [
  ["local(3,4).spatial(2,3)", "", "", "worker"],
  ["mma.m16n8k16.C", "", "", "worker"],
  ["mma.m16n8k16.C", "spatial(8,4).local(2,2)", "", "worker"],
  ["spatial(32,1).local(1,8)", "", "row_major(32, 64)", "conflicts"],
  ["spatial(32,1).local(1,8)", "", "Sw<3,3,3> o (32,64):(64,1)", "conflicts"],
  ["spatial(8,4).local(1,2)", "spatial(4,8).local(2,1)", "", "worker"],
  ["encoding(Rs=[], Hs=[[2, 2]], Ps=[[(1, 0)]], Ys=[(1, 1)])", "", "", "worker"],
  ["tv(((4,8),(2,2)):((32,1),(16,8)), shape=[16, 8])", "", "", "slot"],
  ["Sw<3,3,3> o (8,64):(64,1)", "", "", "slot"],
  ["row_major(8, 64).tma_swizzle(128, 16)", "", "", "slot"],
  ["(4,(2,4)):(2,(1,8))", "", "", "slot"],
];
const NOTATIONS = [["tilus", "Tilus"], ["chain", "Products"], ["ck", "CK Tile"], ["cute", "CuTe"], ["linear", "Bits"]];
const PICTURE = "/picture.svg";

class Layouts {
  constructor(command) {
    this.command = command;
    this.fields = ["expression", "other", "memory", "element", "warp", "banks", "colour"].map(byId);
    [this.expression, this.other, this.memory, this.element, this.warp, this.banks, this.colour] = this.fields;
    const changed = debounce(() => this.update(), 200);
    for (const field of this.fields) field.addEventListener("input", changed);
    byId("layout-examples").append(...EXAMPLES.map(example => {
      const button = make("button", {type: "button", className: "chip"}, example.slice(0, 2).filter(Boolean).join("  →  ") +
        (example[2] ? `  in  ${example[2]}` : ""));
      button.addEventListener("click", () => this.set(example));
      return button;
    }));
    this.picture = byId("picture");
    this.picture.addEventListener("click", e => this.choose(e.target));
    this.turn = 0;
  }

  set([expression, other, memory, colour]) {
    this.expression.value = expression;
    this.other.value = other;
    this.memory.value = memory;
    this.colour.value = colour;
    return this.update();
  }

  /** The options that costs depend on. */
  machine() {
    const memory = this.memory.value.trim();
    return ["--type", this.element.value, "--warp", this.warp.value, "--banks", this.banks.value,
            ...(memory ? ["--in", memory] : [])];
  }

  /** Draws everything again, unless the fields have changed meanwhile. */
  async update() {
    const turn = ++this.turn, expression = this.expression.value.trim(), other = this.other.value.trim();
    if (!expression) return this.clear();
    const layout = (...options) => this.command.run(["layout", expression, ...options]);
    const shape = await layout("--as", "json");
    if (turn !== this.turn) return;
    this.complain(this.expression, shape);
    if (shape.status) return this.clear();
    const about = JSON.parse(shape.out), held = "workers" in about;
    const runs = [
      layout("--svg", PICTURE, "--color-by", this.colourOf(held), ...(held ? this.machine() : [])),
      held ? layout("--cost", ...this.machine()) : null,
      other ? layout(other) : null,
      ...NOTATIONS.map(([name]) => layout("--as", name)),
    ];
    const [picture, cost, change, ...notations] = await Promise.all(runs);
    if (turn !== this.turn) return;
    this.about = about;
    this.draw(picture);
    this.describe(about);
    this.complain(this.memory, cost);
    this.complain(this.other, change);
    byId("cost").textContent = cost && !cost.status ? cost.out : held ? "" :
      "A layout of memory: put it into \u201cmemory\u201d to see what a register layout costs there.";
    byId("change-part").hidden = !change;
    byId("change").textContent = change && !change.status ? change.out : "";
    byId("notations").replaceChildren(...NOTATIONS.flatMap(([name, title], i) => notations[i].status ? [] :
      [make("dt", {}, title), make("dd", {}, make("code", {}, notations[i].out.trim()))]));
    byId("layout-command").textContent = this.asTyped(expression, other);
  }

  colourOf(held) {
    const colour = this.colour.value;
    return !held ? "slot" : colour === "conflicts" && !this.memory.value.trim() ? "worker" : colour;
  }

  asTyped(expression, other) {
    const quoted = text => `'${text.replaceAll("'", "'\\''")}'`, memory = this.memory.value.trim();
    return ["tessera layout", quoted(expression), ...(other ? [quoted(other)] : memory ? ["--cost --in", quoted(memory)] : [])]
      .join(" ");
  }

  clear() {
    this.picture.replaceChildren();
    for (const id of ["cost", "change", "notations", "about", "chosen"]) byId(id).textContent = "";
  }

  complain(field, result) {
    const message = byId(`${field.id}-problem`), wrong = result && result.status !== 0;
    field.setAttribute("aria-invalid", wrong ? "true" : "false");
    message.textContent = wrong ? result.err.replace(/^tessera: /gm, "").trim() : "";
  }

  describe(about) {
    const size = about.shape.join(" × ");
    byId("about").textContent = "workers" in about
      ? `${size} elements, ${about.workers} workers (threads), ${about.slots} slots (registers) each` +
        (about.copies > 1 ? `, ${about.copies} copies of each element` : "")
      : `${size} elements in memory, over ${about.extent} places`;
    byId("chosen").textContent = "Click an element.";
  }

  draw(picture) {
    const bytes = picture.files[PICTURE];
    if (!bytes) {
      this.picture.textContent = picture.err.replace(/^tessera: /gm, "").trim();
      return;
    }
    this.picture.innerHTML = new TextDecoder().decode(bytes);
    this.cells = [...this.picture.querySelectorAll("rect + text")].map(label => {
      label.style.pointerEvents = "none";
      return {rect: label.previousElementSibling, label: label.textContent};
    });
  }

  /** Says who holds the element that was clicked, and marks what else that worker holds. */
  choose(target) {
    const index = (this.cells || []).findIndex(cell => cell.rect === target);
    if (index < 0) return;
    const shape = this.about.shape, at = [];
    let rest = index;
    for (const size of [...shape].reverse()) {
      at.unshift(rest % size);
      rest = Math.floor(rest / size);
    }
    // "3:1", a worker and its slot, or "72 b4", an offset and its bank.
    const [worker, slot] = this.cells[index].label.split(" ")[0].split(":");
    for (const cell of this.cells)
      cell.rect.classList.toggle("chosen", slot === undefined ? cell.rect === target
                                                              : cell.label.split(":")[0] === worker);
    const bytes = parseInt(this.element.value.replace(/\D*/, ""), 10) / 8;
    byId("chosen").textContent = slot === undefined
      ? `Element (${at.join(", ")}) lies at offset ${worker}: bank ${Math.floor(worker * bytes / 4) % this.banks.value} ` +
        `of ${this.banks.value} for ${this.element.value}.`
      : `Element (${at.join(", ")}) is held by worker ${worker} in slot ${slot}; outlined is all that it holds.`;
  }
}
