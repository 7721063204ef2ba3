"""Prints the examples of the dialect's .td files as one module for tile-opt.

usage: td-examples.py FOLDER

An example may use values that it does not define; OPERANDS says what they are.
Ends with status 1 if an op, type or attribute has no example, or if OPERANDS
names one that no longer exists.
"""

import pathlib
import re
import sys

# The values that the example of an op takes for granted.
OPERANDS = {
    "annotate_layout": {"x": "tensor<16x8xf32>"},
    "arrive": {"free": "!tile.barrier<3>", "s": "i64"},
    "assert": {"ok": "i1"},
    "async_copy": {"A": "!tile.global<?x?xbf16>", "i": "i64", "k": "i64", "s": "!tile.shared<128x64xbf16>"},
    "async_copy_elements": {"A": "!tile.global<?x?xf16>", "i": "i64", "k": "i64", "s": "!tile.shared<128x64xf16>", "r": "i64", "c": "i64", "p": "i1"},
    "atomic": {"acc": "tensor<64x128xf32>", "C": "!tile.global<?x?xf32>", "i": "i64", "j": "i64"},
    "atomic_element": {"one": "i32", "counters": "!tile.global<?xi32>", "i": "i64"},
    "broadcast": {"x": "f32"},
    "bytes": {"B": "!tile.global<?x?xi4, pack = 0>"},
    "cast": {"x": "tensor<128x128xf32>"},
    "copy": {"A": "!tile.global<?x?xbf16>", "i": "i64", "k": "i64", "as": "!tile.shared<128x64xbf16>"},
    "cluster_wait": {"sums": "!tile.shared<16x128xf32>"},
    "dequant": {"bs": "!tile.shared<128x64xi4, pack = 1>", "ss": "!tile.shared<128x2xbf16>"},
    "element": {"acc": "tensor<128x128xf32>", "i": "i64", "j": "i64"},
    "gemm": {"as": "!tile.shared<128x64xbf16>", "bs": "!tile.shared<64x128xi4, pack = 0>", "acc": "tensor<128x128xf32>"},
    "expect": {"ready": "!tile.barrier<3>", "s": "i64", "bytes": "i64"},
    "gemm_scaled": {"as": "!tile.shared<64x128xf8E4M3FN>", "bs": "!tile.shared<128x128xf8E4M3FN>", "acc": "tensor<64x128xf32>", "sa": "!tile.shared<64x1xf32>", "sb": "!tile.shared<1x1xf32>"},
    "join": {"p": "tensor<128x32xf32>", "q": "tensor<128x32xf32>"},
    "load": {"bias": "!tile.global<?xf32>", "j": "i64"},
    "load_element": {"Sa": "!tile.global<?xf32>", "i": "i64"},
    "mma_carry": {"acc": "tensor<64x64xf32>"},
    "mma_wait": {"sums": "!tile.in_flight<tensor<64x64xf32>>"},
    "operand": {"bs": "!tile.shared<128x64xi4, pack = 1>", "ss": "!tile.shared<128x2xbf16>"},
    "parallel": {"acc": "tensor<16x8xf32>"},
    "part": {"x": "tensor<128x64xf32>"},
    "peer": {"s": "!tile.shared<16x128xf32>"},
    "persistent": {"gx": "i64", "gy": "i64"},
    "print": {"x": "f32", "t": "tensor<8xf32>"},
    "reduce": {"s": "tensor<128x64xf32>"},
    "reinterpret": {"b": "tensor<8x32xi8>"},
    "reshape": {"x": "tensor<8x16xf32>"},
    "scan": {"x": "tensor<128xi32>"},
    "send": {"sums": "tensor<16x128xf32>", "inbox": "!tile.shared<1x8x128xf32>", "there": "!tile.barrier<1>"},
    "slice": {"ring": "!tile.shared<3x128x32xf16>", "s": "i64", "zero": "i64"},
    "tma_copy": {"A": "!tile.global<?x?xbf16>", "i": "i64", "k": "i64", "as": "!tile.shared<128x64xbf16>", "ready": "!tile.barrier<3>", "s": "i64"},
    "view": {"X": "!tile.global<?x?xf32>", "i": "i64", "lo": "i64", "n": "i64"},
    "wait": {"ready": "!tile.barrier<3>", "s": "i64", "parity": "i64"},
    "pipelined": {"lo": "i64", "hi": "i64", "init": "tensor<16x8xf32>"},
    "relabel": {"p": 'tensor<2x32xi8, #tile.layout<"2x32 registers=[[1,0]] lanes=[[0,1],[0,2],[0,4],[0,8],[0,16]] warps=[]">>'},
    "unpacked": {"p": "!tile.shared<2x16xi8>"},
    "reindex": {"b": "tensor<128xf32>"},
    "stage": {"as": "!tile.shared<3x128x64xbf16>", "i": "i64"},
    "store": {"c": "tensor<128x128xbf16>", "C": "!tile.global<?x?xbf16>", "i": "i64", "j": "i64"},
    "store_through": {"v": "tensor<64x64xbf16>", "C": "!tile.global<?x?xbf16>", "staging": "!tile.shared<2x64x64xbf16>", "i": "i64", "j": "i64"},
    "store_pair": {"x": "i4", "p": "i1", "y": "i4", "q": "i1", "C": "!tile.global<?x?xi4, pack = 1>", "i": "i64", "j": "i64"},
    "store_element": {"x": "f32", "C": "!tile.global<?x?xf32>", "i": "i64", "j": "i64"},
}

KERNEL = """tile.kernel @example(%tensor: !tile.global<?xf32> {{tile.name = "T", tile.dtype = "f32", tile.access = "in", tile.dims = ["M"]}})
    attributes {{symbols = [{{name = "M", param = 0 : i64, dim = 0 : i64}}], checks = [], grid = [1], axes = ["bx"], threads = 384 : i64}} {{
{body}
}}"""

# An op that can only stand in another one.
SURROUNDINGS = {
    "yield": """%zero = arith.constant 0 : i64
%init = "test.value"() : () -> tensor<128x128xf32>
%r = tile.pipelined %k = %zero to %zero step 1 iter_args(%acc = %init) -> (tensor<128x128xf32>) {{
{example}
}}
tile.return""",
    "persistent": "{example}\ntile.return",
    "return": "{example}",
    "set_max_registers": """tile.warpgroup [0, 1, 2] {{
{example}
}}
tile.return""",
}

DEFINITION = re.compile(
    r'^def Tile_\w+ : Tile_(?P<kind>Op|Type|Attr)<(?:"\w+", )?"(?P<name>\w+)".*?description = \[\{(?P<text>.*?)\}\];',
    re.MULTILINE | re.DOTALL,
)
EXAMPLE = re.compile(r"Example\b[^`]*?(?:```(?:mlir)?\n(?P<block>.*?)```|`(?P<line>[^`]+)`)", re.DOTALL)


def find_examples(folder):
    """Yields kind, name and example of each definition; None if it has none."""
    for path in sorted(pathlib.Path(folder).glob("*.td")):
        for match in DEFINITION.finditer(path.read_text()):
            if "Example: made by" in match["text"]:
                continue
            example = EXAMPLE.search(match["text"])
            yield match["kind"], match["name"], example and (example["block"] or example["line"])


def complete(kind, name, example):
    """The example with what it takes to be parsed."""
    if kind == "Type":
        return f'"test.use"() {{type = {example.strip()}}} : () -> ()'
    if kind == "Attr":
        return f'"test.use"() {{attribute = {example.strip().rstrip(",")}}} : () -> ()'
    if name == "kernel":
        return example
    values = "".join(
        f'%{value} = "test.value"() : () -> {type}\n' for value, type in OPERANDS.get(name, {}).items()
    )
    around = SURROUNDINGS.get(name, "{example}\ntile.return")
    return KERNEL.format(body=values + around.format(example=example))


def main():
    examples = list(find_examples(sys.argv[1]))
    bare = [f"{kind} {name}" for kind, name, example in examples if example is None]
    stale = set(OPERANDS) - {name for kind, name, _ in examples if kind == "Op"}
    if bare or stale or not examples:
        sys.exit(f"without example: {bare}; no longer an op: {sorted(stale)}")
    print("\n// -----\n".join(f"// {kind} {name}\n{complete(kind, name, example)}" for kind, name, example in examples))


main()
