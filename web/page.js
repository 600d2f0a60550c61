// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page: two tools, chosen by the part of the address after "#".

const command = new Command();
const layouts = new Layouts(command), playground = new Playground(command);

function show(name) {
  for (const tool of ["layouts", "playground"]) {
    byId(tool).hidden = tool !== name;
    byId(`${tool}-tab`).setAttribute("aria-current", tool === name ? "page" : "false");
  }
}

/** "#layouts?expression=…&other=…" or "#playground". */
function followAddress() {
  const [tool, query] = location.hash.slice(1).split("?"), given = new URLSearchParams(query || "");
  show(tool === "playground" ? "playground" : "layouts");
  const asked = [...given.keys()].length > 0;
  for (const field of layouts.fields) if (given.has(field.id)) field.value = given.get(field.id);
  return asked || !layouts.about ? layouts.update() : undefined;
}

byId("share").addEventListener("click", async () => {
  const query = new URLSearchParams(layouts.fields.filter(f => f.value).map(f => [f.id, f.value]));
  history.replaceState(null, "", `#layouts?${query}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  byId("share").textContent = "The address has it";
});
addEventListener("hashchange", followAddress);
followAddress();
command.run(["--version"]).then(({out}) => {
  byId("version").textContent = out.split("\n")[0];
});
