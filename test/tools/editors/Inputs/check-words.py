"""Prints where the words of the Vim syntax are not those of the language; status 1 if there are any.

usage: check-words.py ROOT
"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
keywords = re.search(r"- Keywords: `([^`]*)`", (root / "docs/language.md").read_text()).group(1).split()
constants = re.search(r"Predeclared constants `([^`]*)`", (root / "docs/language.md").read_text()).group(1).split()
types = re.findall(r'^    \{"(\w+)", Kind::', (root / "compiler/Frontend/ElementType.cpp").read_text(), re.MULTILINE)
builtins = re.findall(r'BUILTIN\(\w+, "(\w+)"', (root / "compiler/Frontend/Sema/Builtins.def").read_text())

groups = {}
for line in (root / "tools/editors/vim/syntax/tile.vim").read_text().splitlines():
    if line.startswith("syntax keyword "):
        group, *words = line.split()[2:]
        groups.setdefault(group, []).extend(words)

faults = []
known = {"tileConstant": constants, "tileType": types, "tileBuiltin": builtins}
shown = [word for group, words in groups.items() if group not in known for word in words]
for name, wanted, given in [("keywords", keywords, shown), *((group, words, groups[group]) for group, words in known.items())]:
    if not wanted:
        faults.append(f"{name}: none were found in the sources")
    faults += [f"{name}: '{word}' is missing" for word in wanted if word not in given]
    faults += [f"{name}: '{word}' is no word of the language" for word in given if word not in wanted]
print("\n".join(faults))
sys.exit(1 if faults else 0)
