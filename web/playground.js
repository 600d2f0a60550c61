// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The playground: a program with its errors underlined, run by the reference interpreter or, as PTX, by the emulator,
// with findings and counters; and the debugger.

const KINDS = {mlir: "run", ttir: "run", ptx: "ptx"};

class Playground {
  constructor(command) {
    this.command = command;
    this.editor = new Editor(byId("source"), "program", () => this.changed());
    this.check = debounce(() => this.checkNow(), 300);
    this.lookUp = debounce(() => this.explain(), 250);
    this.turn = 0;
    this.examples = JSON.parse(byId("examples").textContent);
    byId("example").append(...this.examples.map((e, i) => make("option", {value: i}, e.title)));
    byId("example").addEventListener("change", e => this.load(this.examples[e.target.value]));
    for (const event of ["keyup", "click"]) this.editor.area.addEventListener(event, () => this.lookUp());
    this.press("run", () => this.run([]));
    this.press("sanitize", () => this.run(["--check"]));
    this.press("count", () => this.run(["--counters", "--card", byId("card").value]));
    this.press("stop", () => this.command.cancel());
    this.press("debug", () => this.debug([]));
    for (const word of ["step", "next", "finish", "continue"]) this.press(`debug-${word}`, () => this.debugMore(word));
    this.press("debug-break", () => this.debugMore(`break ${this.editor.cursor().line}`));
    byId("arguments").addEventListener("keydown", e => {
      if (e.key === "Enter") this.run([]);
    });
    this.load(this.examples[0]);
  }

  press(id, f) {
    byId(id).addEventListener("click", f);
  }

  load(example) {
    this.file = `/${example.file.split("/").pop()}`;
    this.kind = KINDS[this.file.split(".").pop()];
    this.editor.text = example.text;
    byId("arguments").value = example.arguments;
    byId("source-name").textContent = example.file;
    byId("note").textContent = example.note;
    byId("debug").hidden = this.kind !== "run";
    byId("count").hidden = byId("card-label").hidden = this.kind !== "ptx";
    this.print("");
    this.changed();
  }

  changed() {
    this.leaveDebugger();
    this.check();
  }

  files() {
    return {[this.file]: this.editor.text};
  }

  /** The arguments as typed, without quotes around them. */
  given() {
    return (byId("arguments").value.match(/'[^']*'|"[^"]*"|\S+/g) || []).map(word => word.replace(/^(['"])(.*)\1$/, "$2"));
  }

  // ---- errors while typing

  async checkNow() {
    const turn = ++this.turn;
    const result = this.kind === "ptx" ? await this.command.run(["ptx", this.file, "--diagnostics-format", "json"], this.files())
                                       : await this.command.run(["check", this.file, "--diagnostics-format", "json"], this.files());
    if (turn !== this.turn) return;
    const problems = (result.out + result.err).split("\n").filter(line => line.startsWith("{")).map(line => JSON.parse(line))
      .filter(p => p.line);
    this.editor.show(problems);
    byId("problems").replaceChildren(...problems.map(p => {
      const item = make("button", {type: "button", className: p.severity},
                        `${p.line}:${p.column} ${p.severity}: ${p.message}`,
                        ...(p.notes || []).map(n => make("span", {className: "note"}, `note: ${n.message || n}`)));
      item.addEventListener("click", () => this.editor.go(p.line, p.column));
      return make("li", {}, item);
    }));
    const errors = problems.filter(p => p.severity === "error").length;
    byId("verdict").textContent = errors ? `${errors} error${errors > 1 ? "s" : ""}` : result.status ? "" : "right";
    byId("verdict").className = errors ? "error" : "right";
  }

  /** What the operation under the cursor does, or what is wrong there. */
  async explain() {
    const {line, word} = this.editor.cursor(), wrong = this.editor.problems.find(p => p.line === line);
    if (wrong) {
      byId("explained").textContent = `${wrong.severity}: ${wrong.message}`;
      return;
    }
    if (!/^[a-z_]{2,}$/.test(word) || this.kind !== "run") return;
    const result = await this.command.run(["explain", word]);
    if (!result.status) byId("explained").textContent = result.out;
  }

  // ---- runs

  print(text) {
    byId("output").textContent = text;
  }

  async run(options) {
    this.leaveDebugger();
    const args = [this.kind, this.file, ...(this.kind === "run" ? ["--target", "interp"] : []), ...options, ...this.given()];
    document.body.classList.add("busy");
    this.print("");
    const start = performance.now(), result = await this.command.run(args, this.files());
    document.body.classList.remove("busy");
    const seconds = ((performance.now() - start) / 1e3).toFixed(2);
    this.print(`$ tessera ${args.join(" ").replaceAll(this.file, this.file.slice(1))}\n${result.out}${result.err}` +
               (result.status ? `exit status ${result.status}, ` : "") + `${seconds} s\n`);
  }

  // ---- the debugger: each time a new session repeats the commands so far

  leaveDebugger() {
    byId("debugger").hidden = true;
    this.editor.standAt(0);
  }

  debugMore(word) {
    return this.debug([...this.commands, word]);
  }

  /** What the session prints after each command; the first part is what came before. */
  async session(commands) {
    const own = this.given().filter((w, i, all) => w !== "--print" && all[i - 1] !== "--print" && !w.startsWith("--print="));
    const result = await this.command.run(["debug", this.file, "--batch", "-x", "/session.txt", ...own],
                                          {...this.files(), "/session.txt": commands.join("\n") + "\n"});
    return {parts: result.out.split(/^\(tessera\) .*\n/m), err: result.err, status: result.status};
  }

  async debug(commands) {
    const first = commands.length ? commands : ["step"];
    const {parts, err, status} = await this.session([...first, "where", "info values"]);
    if (status) return this.print(err || parts.join(""));
    this.commands = first;
    byId("debugger").hidden = false;
    const line = /^-> +(\d+)/m.exec(parts[first.length + 1] || "");
    this.editor.standAt(line ? Number(line[1]) : 0);
    this.print((parts[first.length] || "") + (parts[first.length + 1] || "") + err);
    const values = (parts[first.length + 2] || "").split("\n").filter(l => /^ +%/.test(l));
    byId("values").replaceChildren(...values.map(text => {
      const button = make("button", {type: "button"}, text.trim());
      button.addEventListener("click", () => this.look(/%[\w$.]+/.exec(text)[0]));
      return make("li", {}, button);
    }));
  }

  /** Draws a value. */
  async look(name) {
    const {parts} = await this.session([...this.commands, `print ${name} all`]);
    const text = parts[this.commands.length + 1] || "";
    byId("tile-text").textContent = text;
    drawTile(byId("tile"), text);
  }
}

/** Draws the numbers of a tile as `print` shows them; the canvas is hidden where there are none. */
function drawTile(canvas, text) {
  const rows = text.slice(text.indexOf("\n") + 1).split(/\]/).map(row => (row.match(/[^\s\[\],]+/g) || []).map(Number))
    .filter(row => row.length);
  const width = Math.max(0, ...rows.map(r => r.length)), wrapped = rows.length === 1 && width > 64;
  const cells = wrapped ? Array.from({length: Math.ceil(width / 64)}, (_, i) => rows[0].slice(64 * i, 64 * i + 64)) : rows;
  canvas.hidden = !width || cells.length > 4096;
  if (canvas.hidden) return;
  const finite = cells.flat().filter(Number.isFinite), columns = wrapped ? 64 : width;
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity), most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const size = Math.max(2, Math.min(24, Math.floor(640 / columns)));
  canvas.width = columns * size;
  canvas.height = cells.length * size;
  const context = canvas.getContext("2d");
  cells.forEach((row, i) => row.forEach((value, j) => {
    const part = most > least ? (value - least) / (most - least) : 0.5;
    context.fillStyle = Number.isFinite(value) ? `hsl(${240 - 200 * part} 70% ${35 + 35 * part}%)` : "#e0218a";
    context.fillRect(j * size, i * size, size - (size > 4), size - (size > 4));
  }));
}
