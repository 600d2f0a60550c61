// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text field that colours its words and underlines what is wrong: a <textarea> whose text is transparent, over
// the same text in colours.

const WORDS = new RegExp([
  ["comment", "//[^\\n]*"], ["string", "\"[^\"\\n]*\""], ["value", "%[\\w$.]+"], ["symbol", "[@!#][\\w$.]+"],
  ["number", "\\b(?:0x[0-9a-fA-F]+|\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)\\b"],
  ["type", "\\b(?:tile|ptr|tensor_view|partition_view|token|shared|layout|i\\d+|u\\d+|[bt]?f\\d+\\w*|b\\d+|s\\d+)\\b"],
  ["name", "[A-Za-z_][\\w.]*"],
].map(([kind, pattern]) => `(?<${kind}>${pattern})`).join("|"), "g");

class Editor {
  /** In `parent`, with the accessible name `label`. `onChange` is called after the text changed. */
  constructor(parent, label, onChange) {
    this.area = make("textarea", {spellcheck: false, autocapitalize: "off", autocomplete: "off"});
    this.area.setAttribute("aria-label", label);
    this.area.setAttribute("wrap", "off");
    this.colours = make("pre", {ariaHidden: "true"});
    this.gutter = make("pre", {className: "gutter", ariaHidden: "true"});
    parent.classList.add("editor");
    parent.append(this.gutter, make("div", {className: "text"}, this.colours, this.area));
    this.problems = [];
    this.line = 0;
    this.area.addEventListener("input", () => {
      this.problems = [];
      this.line = 0;
      this.draw();
      onChange();
    });
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", e => this.indent(e));
  }

  get text() {
    return this.area.value;
  }
  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.problems = [];
    this.line = 0;
    this.draw();
  }

  /** Problems are {line, column, length, severity, message}, from 1. */
  show(problems) {
    this.problems = problems;
    this.draw();
  }

  /** Marks the line where a program stands; 0: none. */
  standAt(line) {
    this.line = line;
    this.draw();
    if (line) this.reveal(line);
  }

  /** The line and the word where the cursor is. */
  cursor() {
    const at = this.area.selectionStart, before = this.text.slice(0, at);
    const word = (before.match(/[\w$%@.]*$/)[0] + this.text.slice(at).match(/^[\w$.]*/)[0]);
    return {line: before.split("\n").length, word};
  }

  go(line, column = 1) {
    const at = this.text.split("\n").slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.reveal(line);
  }

  reveal(line) {
    const height = parseFloat(getComputedStyle(this.area).lineHeight), top = (line - 1) * height;
    if (top < this.area.scrollTop || top > this.area.scrollTop + this.area.clientHeight - 2 * height)
      this.area.scrollTop = top - this.area.clientHeight / 2;
    this.follow();
  }

  follow() {
    this.colours.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.gutter.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** Tab indents where a text is selected or Enter has begun a line; Escape lets Tab leave the field. */
  indent(event) {
    if (event.key === "Escape") this.leaves = true;
    if (event.key !== "Tab" || this.leaves || event.shiftKey) {
      if (event.key !== "Escape") this.leaves = false;
      return;
    }
    event.preventDefault();
    this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
  }

  draw() {
    const lines = this.text.split("\n");
    this.gutter.replaceChildren(...lines.map((_, i) => {
      const bad = this.problems.find(p => p.line === i + 1);
      return make("span", {className: [this.line === i + 1 && "here", bad && bad.severity].filter(Boolean).join(" "),
                           title: bad ? bad.message : ""}, `${i + 1}\n`);
    }));
    this.colours.replaceChildren(...lines.map((line, i) =>
      make("span", {className: this.line === i + 1 ? "line here" : "line"}, ...this.coloured(line, i + 1), "\n")));
    this.follow();
  }

  coloured(line, number) {
    const parts = [];
    let at = 0;
    const push = (kind, from, to) => {
      if (to > from) parts.push({kind, from, to});
    };
    for (const m of line.matchAll(WORDS)) {
      push("", at, m.index);
      at = m.index + m[0].length;
      push(Object.keys(m.groups).find(kind => m.groups[kind] !== undefined), m.index, at);
    }
    push("", at, line.length);
    const marks = this.problems.filter(p => p.line === number);
    return parts.map(({kind, from, to}) => {
      const mark = marks.find(p => p.column - 1 < to && p.column - 1 + Math.max(1, p.length || 1) > from);
      return make("span", {className: [kind, mark && `mark ${mark.severity}`].filter(Boolean).join(" ")},
                  line.slice(from, to));
    });
  }
}
