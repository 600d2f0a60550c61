# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An editor that speaks to `tessera lsp`, for tests: from lsp import Editor."""
import json
import subprocess


class Editor:
    """Starts the server and says hello. Texts are named by URIs; places are (line, character), from 0."""

    def __init__(self, command, encodings=(), markdown=True, hello=True):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.requests, self.versions, self.notes = 0, {}, []
        if not hello:
            return
        capabilities = {"textDocument": {"hover": {"contentFormat": ["markdown"] if markdown else ["plaintext"]}}}
        if encodings:
            capabilities["general"] = {"positionEncodings": list(encodings)}
        self.capabilities = self.ask("initialize", capabilities=capabilities)["capabilities"]
        self.tell("initialized")

    # ---- messages

    def send_bytes(self, content, header=None):
        self.server.stdin.write((header or b"Content-Length: %d\r\n\r\n" % len(content)) + content)
        self.server.stdin.flush()

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        """One message; None at the end."""
        length = None
        while True:
            line = self.server.stdout.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.server.stdout.read(length))

    def tell(self, method, **params):
        self.send(method=method, params=params)

    def answer(self, number):
        while True:
            message = self.receive()
            assert message is not None, "the server ended"
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == number and "method" not in message:
                return message
            self.notes.append(message)

    def ask_whole(self, method, **params):
        self.requests += 1
        self.send(id=self.requests, method=method, params=params)
        return self.answer(self.requests)

    def ask(self, method, **params):
        message = self.ask_whole(method, **params)
        assert "error" not in message, message
        return message["result"]

    # ---- texts

    def open(self, uri, text):
        self.versions[uri] = 1
        self.tell("textDocument/didOpen",
                  textDocument={"uri": uri, "languageId": "mlir", "version": 1, "text": text})

    def change(self, uri, *changes):
        self.versions[uri] += 1
        self.tell("textDocument/didChange",
                  textDocument={"uri": uri, "version": self.versions[uri]}, contentChanges=list(changes))

    def close(self, uri):
        self.tell("textDocument/didClose", textDocument={"uri": uri})

    def diagnostics(self, uri):
        """Those of the newest version."""
        while True:
            for note in self.notes:
                params = note["params"]
                if note["method"] == "textDocument/publishDiagnostics" and params["uri"] == uri \
                        and params.get("version") == self.versions[uri]:
                    return params["diagnostics"]
            message = self.receive()
            assert message is not None, "the server ended"
            self.notes.append(message)

    def about(self, what, uri, place=None, **more):
        if place is not None:
            more["position"] = {"line": place[0], "character": place[1]}
        return self.ask("textDocument/" + what, textDocument={"uri": uri}, **more)

    def end(self, shutdown=True):
        """The server's exit status."""
        if shutdown:
            assert self.ask("shutdown") is None
        self.tell("exit")
        self.server.stdin.close()
        status = self.server.wait(60)
        self.server.stdout.close()
        return status


def places(answer):
    """Ranges as ((line, character), (line, character))."""
    return [tuple((r[end]["line"], r[end]["character"]) for end in ("start", "end"))
            for r in (a.get("range", a) for a in answer)]


def apply(text, edits, units=lambda s: len(s)):
    """The text after edits of lines (their ends are at the beginnings of lines)."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda e: -e["range"]["start"]["line"]):
        start, end = edit["range"]["start"], edit["range"]["end"]
        at = sum(map(len, lines[:start["line"]])) + start["character"]
        to = sum(map(len, lines[:end["line"]])) + end["character"]
        text = text[:at] + edit["newText"] + text[to:]
    return text
