# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the language server says: lsp_test.py TESSERA SOURCE."""
import os
import subprocess
import sys

from lsp import Editor, apply, places

TESSERA, SOURCE = sys.argv[1:]
URI = "file:///a%20folder/k.mlir"

TEXT = """\
!v = !cuda_tile.tensor_view<?xf32, strides=[1]>

// Doubles.
cuda_tile.module @m {
  global @table <f32: [1.0, 2.0]> : tile<2xf32>
  entry @double(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %pair:2 = for %i in (%one to %n, step %one) : tile<i32> iter_values(%a = %one, %b = %n) -> (tile<i32>, tile<i32>) {
      %sum = addi %a, %i : tile<i32>
      continue %sum, %b : tile<i32>, tile<i32>
    }
    %t = get_global @table : tile<ptr<f32>>
    %c = cmpi less_than %pair#1, %one, signed : tile<i32> -> tile<i1>
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> !v
  }
}
"""
LINES = TEXT.splitlines()


def at(line, word, skip=0):
    """The place of a word in a line of TEXT, and a character into it."""
    column = -1
    for _ in range(skip + 1):
        column = LINES[line].index(word, column + 1)
    return (line, column + 1)


def span(line, word, skip=0):
    begin = at(line, word, skip)[1] - 1
    return ((line, begin), (line, begin + len(word)))


def number(fragment):
    return next(i for i, line in enumerate(LINES) if fragment in line)


def hovered(editor, place, uri=URI):
    answer = editor.about("hover", uri, place)
    return answer and answer["contents"]["value"]


def labels(editor, place, uri=URI):
    return [item["label"] for item in editor.about("completion", uri, place)]


def right_text():
    editor = Editor([TESSERA, "lsp"])
    assert editor.capabilities["positionEncoding"] == "utf-16"
    editor.open(URI, TEXT)
    assert editor.diagnostics(URI) == [], editor.diagnostics(URI)
    add, loop, compare = number("addi"), number("for %i"), number("cmpi")

    # Types of values, where they are used and defined.
    assert "%sum: tile<i32>" in hovered(editor, at(add, "%sum"))
    assert "%i: tile<i32>" in hovered(editor, at(add, "%i"))
    assert "%pair#1: tile<i32>" in hovered(editor, at(compare, "%pair"))
    assert "for %i in" in hovered(editor, at(compare, "%pair"))
    # The manual: operations, types, named values; aliases.
    assert hovered(editor, at(add, "addi")).startswith("### addi\n\nAdds, modulo")
    assert "constants and powers of two" in hovered(editor, at(add, "tile"))
    assert "An array in memory" in hovered(editor, at(0, "tensor_view"))
    assert "IEEE single precision" in hovered(editor, at(4, "f32", 1))
    assert "tensor_view<?xf32" in hovered(editor, at(number("make_tensor_view"), "!v"))
    assert "global @table" in hovered(editor, at(number("get_global"), "@table"))
    assert hovered(editor, (2, 5)) is None  # a comment

    # Definitions: values of regions, arguments, results with numbers, symbols, aliases.
    def defined(place):
        answer = editor.about("definition", URI, place)
        return answer and places([answer])[0]
    assert defined(at(add, "%i")) == span(loop, "%i")
    assert defined(at(add, "%a")) == span(loop, "%a")
    assert defined(at(compare, "%pair")) == span(loop, "%pair")
    assert defined(at(number("get_global"), "@table")) == span(4, "@table")
    assert defined(at(number("make_tensor_view"), "!v")) == span(0, "!v")
    assert defined(at(add, "addi")) is None
    one = editor.about("references", URI, at(compare, "%one"), context={"includeDeclaration": True})
    assert len(one) == 5, places(one)

    # What can be written.
    inside = labels(editor, at(add, "%a"))
    assert {"%x", "%n", "%one", "%i", "%a", "%b"} <= set(inside) and "%pair" not in inside and "%v" not in inside
    outside = labels(editor, at(compare, "%pair"))
    assert "%pair" in outside and "%i" not in outside and "%sum" not in outside
    assert "addi" in labels(editor, at(add, "addi")) and "mmaf" in labels(editor, at(add, "addi"))
    words = labels(editor, at(compare, "less_than"))
    assert {"less_than", "equal", "signed", "tile"} <= set(words) and "addi" not in words
    assert labels(editor, at(number("get_global"), "@table")) == ["@m", "@table", "@double"]
    item = next(i for i in editor.about("completion", URI, at(add, "%a")) if i["label"] == "%one")
    assert item["detail"] == "tile<i32>" and places([item["textEdit"]]) == [span(add, "%a")[:1] + (at(add, "%a"),)]

    # The outline.
    outline = editor.about("documentSymbol", URI)
    assert [s["name"] for s in outline] == ["@table", "@double"]
    assert places(outline)[1] == ((5, 2), (14, 3)), places(outline)
    assert editor.end() == 0


def wrong_text():
    editor = Editor([TESSERA, "lsp"])
    wrong = TEXT.replace("%sum = addi %a, %i", "%sum = addi %a, %j").replace("strides = [1] : tile<i32> -> !v",
                                                                             "strides = [1] : tile<i32> -> !w")
    editor.open(URI, wrong)
    found = editor.diagnostics(URI)
    add = number("addi")
    assert len(found) == 2, found
    assert places(found)[0] == span(add, "%i") and found[0]["severity"] == 1 and "'%j'" in found[0]["message"]
    # What was right is known nevertheless.
    assert "%i: tile<i32>" in hovered(editor, at(number("for %i"), "%i"))
    assert "%one" in labels(editor, at(add, "%a"))
    assert editor.about("formatting", URI, options={"tabSize": 2, "insertSpaces": True}) is None
    # Notes belong to their error.
    twice = TEXT.replace("%t = get_global", "%one = get_global")
    editor.change(URI, {"text": twice})
    found = editor.diagnostics(URI)
    assert len(found) == 1 and len(found[0]["relatedInformation"]) == 1, found
    assert places([found[0]["relatedInformation"][0]["location"]]) == [span(6, "%one")]
    # Rules that the verifier holds are told, too: the type of a result.
    editor.change(URI, {"text": TEXT.replace("tile<2xf32>\n", "tile<3xf32>\n")})
    assert any("3" in d["message"] for d in editor.diagnostics(URI))
    # Edits of pieces: the name is put right again, character by character.
    editor.change(URI, {"text": wrong})
    place = {"line": add, "character": at(add, "%i")[1]}
    editor.change(URI, {"range": {"start": place, "end": {**place, "character": place["character"] + 1}}, "text": ""},
                  {"range": {"start": place, "end": place}, "text": "i"})
    end = {"line": number("make_tensor_view"), "character": 10000}
    begin = {**end, "character": LINES[end["line"]].index("!v")}
    editor.change(URI, {"range": {"start": begin, "end": end}, "text": "!v"})
    assert editor.diagnostics(URI) == []
    editor.close(URI)
    assert editor.ask_whole("textDocument/hover", textDocument={"uri": URI},
                            position={"line": 0, "character": 0})["error"]["code"] == -32602
    assert editor.end() == 0


def encodings():
    """A comment with letters of one, two and two UTF-16 units before the place."""
    text = TEXT.replace("%sum = addi %a, %i : tile<i32>", '%sum = addi %a, %j : tile<i32> // "é→😀"')
    text = text.replace("entry @double", 'entry @"é→😀"')
    line = number("entry @double")
    for wanted, units in (((), 2), (("utf-16",), 2), (("utf-8", "utf-16"), 4)):
        editor = Editor([TESSERA, "lsp"], encodings=wanted)
        editor.open(URI, text)
        name = '@"é→😀"'
        width = len(name.encode()) if units == 4 else len(name.encode("utf-16-le")) // 2
        column = LINES[line].index("@double")
        after = column + width + len("(%x: ")
        assert "%x" in hovered(editor, (line, after - 3)), wanted
        assert "A dense array" in hovered(editor, (line, after + 1))
        assert places(editor.about("documentSymbol", URI)[1:])[0][0] == (line, 2)
        selection = editor.about("documentSymbol", URI)[1]["selectionRange"]
        assert selection["end"]["character"] - selection["start"]["character"] == width, (wanted, selection)
        assert editor.end() == 0


def formatting():
    editor = Editor([TESSERA, "lsp"])
    for name in ("saxpy", "softmax"):
        with open(os.path.join(SOURCE, "kernels", name + ".mlir"), encoding="utf-8") as file:
            laid_out = file.read()
        untidy = laid_out.replace("  %", "      %").replace(" : ", "  :  ").replace("entry @", "entry   @")
        uri = "file:///%s.mlir" % name
        editor.open(uri, untidy)
        edits = editor.about("formatting", uri, options={"tabSize": 2, "insertSpaces": True})
        assert len(edits) == 1
        expected = subprocess.run([TESSERA, "fmt", "-"], input=untidy, capture_output=True, text=True, check=True).stdout
        assert apply(untidy, edits) == expected
        editor.change(uri, {"text": expected})
        assert editor.about("formatting", uri, options={"tabSize": 2, "insertSpaces": True}) == []
        # An edit has the lines alone that change.
        editor.change(uri, {"text": expected.replace("  entry", "    entry")})
        edits = editor.about("formatting", uri, options={"tabSize": 2, "insertSpaces": True})
        assert len(edits[0]["newText"].splitlines()) == 1, edits
    assert editor.end() == 0


def block_level():
    """Layouts that a kernel leaves out are shown once it is right."""
    with open(os.path.join(SOURCE, "examples", "block", "gemm.mlir"), encoding="utf-8") as file:
        text = file.read()
    editor = Editor([TESSERA, "lsp"], markdown=False)
    editor.open(URI, text)
    assert editor.diagnostics(URI) == []
    lines = text.splitlines()
    line = next(i for i, l in enumerate(lines) if "load_shared" in l)
    said = hovered(editor, (line, lines[line].index("%") + 1))
    assert "tile<64x32xf16, spatial(" in said and "Held by 128 threads, 32 elements each." in said, said
    assert "```" not in said
    assert "Loads a tile from shared memory" in hovered(editor, (line, lines[line].index("load_shared") + 2))
    assert editor.end() == 0


def ttir():
    with open(os.path.join(SOURCE, "tests", "ttir", "softmax.ttir"), encoding="utf-8") as file:
        text = file.read()
    editor = Editor([TESSERA, "lsp"])
    editor.open(URI, text)
    assert editor.diagnostics(URI) == []
    assert hovered(editor, (1, 5)) is None and labels(editor, (1, 5)) == []
    editor.change(URI, {"text": text.replace("arith.addf", "arith.adf")})
    assert len(editor.diagnostics(URI)) == 1
    assert editor.end() == 0


def protocol():
    # Before 'initialize', after 'shutdown', unknown methods, no JSON.
    editor = Editor([TESSERA, "lsp"], hello=False)
    assert editor.ask_whole("textDocument/hover")["error"]["code"] == -32002
    editor.tell("textDocument/didOpen", textDocument={"uri": URI, "text": "wrong"})
    editor.ask("initialize", capabilities={})
    assert editor.ask_whole("workspace/rename")["error"]["code"] == -32601
    editor.send_bytes(b'{"jsonrpc": "2.0", "id": 7, "method"')
    assert editor.answer(None)["error"]["code"] == -32700
    editor.send(id="a word", method="textDocument/hover", params={"textDocument": {"uri": "file:///no"}})
    assert editor.answer("a word")["error"]["code"] == -32602
    editor.send_bytes(b"[]")
    assert editor.answer(None)["error"]["code"] == -32600
    for params in ({"textDocument": None}, {"textDocument": {"uri": 3}}, None, [1]):
        editor.send(method="textDocument/didChange", params=params)
        editor.send(method="textDocument/didOpen", params=params)
    editor.open(URI, "")
    editor.change(URI, {"range": {"start": {"line": 9, "character": 9}, "end": {"line": -1, "character": 1e30}},
                        "text": "cuda_tile.module @m {"})
    assert len(editor.diagnostics(URI)) == 1
    assert editor.ask("shutdown") is None
    assert editor.ask_whole("textDocument/hover")["error"]["code"] == -32600
    assert editor.end(shutdown=False) == 0
    # An end without 'shutdown', a broken header, an end of the input.
    assert Editor([TESSERA, "lsp"]).end(shutdown=False) == 1
    for header in (b"Content-Length: x\r\n\r\n", b"no header\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"\r\n"):
        editor = Editor([TESSERA, "lsp"], hello=False)
        editor.send_bytes(b"{}", header=header)
        editor.server.stdin.close()
        assert editor.server.wait(60) == 1


for test in (right_text, wrong_text, encodings, formatting, block_level, ttir, protocol):
    test()
    print(test.__name__, "passed")
