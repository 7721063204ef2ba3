"""Runs a golden test of the frontend: a source and the exact text that tilec
prints for it, in one file.

    // RUN: %python %S/../golden.py %s
    // Tests that ...
    // ARGUMENTS: -D BM=64            more arguments of tilec, if any
    // DOCUMENTED: language.md        the text stands there word for word, too
    --- k.tile
    the source; `--- k.tile (escaped)` if it has escapes such as \\x00
    --- folder/lib.tile            more files that the source imports, if any
    --- expected
    what tilec prints on standard error

`golden.py --update FILE...` writes what tilec prints now into the files; read
the diff afterwards.  The exit status must be 1 if an error is expected, else 0.
tilec is taken from the PATH, or from the variable TILEC.
"""
import codecs
import difflib
import os
import re
import subprocess
import sys
import tempfile

SECTION = re.compile(rb"^--- (\S+)( \(escaped\))?\n", re.MULTILINE)


class GoldenTest:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.text = file.read()
        marks = list(SECTION.finditer(self.text))
        if len(marks) < 2 or marks[-1].group(1) != b"expected":
            sys.exit(f"{path}: needs a section with the source and, last, one called 'expected'")
        self.header = self.text[: marks[0].start()].decode()
        self.name = marks[0].group(1).decode()
        self.files = {}
        for mark, after in zip(marks, marks[1:]):
            content = self.text[mark.end() : after.start()]
            if mark.group(2):
                # The newline before the next section is not part of the file.
                content = codecs.escape_decode(content[:-1])[0]
            self.files[mark.group(1).decode()] = content
        self.expected_at = marks[-1].end()
        self.expected = self.text[self.expected_at :].decode()

    def get_directive(self, name):
        found = re.search(rf"^// {name}: (.*)$", self.header, re.MULTILINE)
        return found.group(1).split() if found else []

    def run(self):
        """Gives what tilec prints, and its exit status."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in self.files.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(content)
            command = [os.environ.get("TILEC", "tilec"), "check", self.name]
            done = subprocess.run(command + self.get_directive("ARGUMENTS"), cwd=folder, timeout=60,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        return done.stderr.decode(errors="backslashreplace"), done.returncode

    def check(self):
        """Gives a list of complaints."""
        printed, status = self.run()
        complaints = []
        if printed != self.expected:
            complaints.append("".join(difflib.unified_diff(
                self.expected.splitlines(keepends=True), printed.splitlines(keepends=True),
                "expected", "printed")))
        wanted = 1 if "error:" in self.expected else 0
        if status != wanted:
            complaints.append(f"exit status {status}, expected {wanted}")
        for document in self.get_directive("DOCUMENTED"):
            if not is_documented(self.expected, document):
                complaints.append(f"the expected text is not in docs/{document}")
        return complaints

    def update(self):
        printed, _ = self.run()
        with open(self.path, "wb") as file:
            file.write(self.text[: self.expected_at] + printed.encode())


def is_documented(text, document):
    """True if the lines stand in a document, behind the number of a listing."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "..", "..", "..", "docs", document)
    with open(path, encoding="utf-8") as file:
        lines = [line[4:].rstrip() for line in file]
    wanted = [line.rstrip() for line in text.splitlines()]
    return any(lines[i : i + len(wanted)] == wanted for i in range(len(lines)))


def main(arguments):
    updates = arguments[:1] == ["--update"]
    failed = False
    for path in arguments[1:] if updates else arguments:
        test = GoldenTest(path)
        if updates:
            test.update()
            continue
        for complaint in test.check():
            failed = True
            print(f"{path}: {complaint}")
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
