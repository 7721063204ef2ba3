"""The kernel, in the tile language, of each golden case.

A gemm case says all that its kernel needs: types, dimensions, packing, group. Row kernels are in kernels/*.tile.
"""

import re
from pathlib import Path

KERNELS = Path(__file__).parent / "kernels"
TILE_M, TILE_N, TILE_K = 32, 32, 64
# Inputs of products that are declared `prepack`.
PREPACK = frozenset()


def gemm_accumulator(case):
    """int32 where both operands are integers and nothing scales them."""
    types = [case["inputs"][name]["dtype"] for name in "AB"]
    scaled = len(case["inputs"]) > 2
    return "int32" if all("int" in t for t in types) and not scaled else "f32"


def declare(name, entry, out, case):
    """A parameter; the scales' extent is written as the group count of K."""
    dims = []
    for dim in entry["dims"]:
        if dim == "KG" and "wide-scales" not in case["tags"]:
            dim = f"ceildiv(K, {case['group']})"
        elif dim == "NG":
            dim = "ceildiv(N, 128)"
        dims.append(dim)
    text = f"{name}: {'out ' if out else ''}{entry['dtype']}[{', '.join(dims)}]"
    if "pack" in entry:
        text += f" pack({entry['dims'].index(entry['pack'])})"
    if name in PREPACK and len(dims) > 1 and not out:
        text += " prepack"
    return text


class GemmKernel:
    """Writes the kernel of one gemm case: a tile of each input per step of K, one gemm, one store."""

    def __init__(self, case):
        self.case, self.inputs = case, case["inputs"]
        self.group = case.get("group")
        self.tile_k = max(TILE_K, self.group or 0)
        self.groups = self.tile_k // self.group if self.group else 0

    def tile(self, name):
        """The shared tile of an input and where it lies in the tensor."""
        extents = {"M": TILE_M, "N": TILE_N, "K": self.tile_k, "KG": self.groups, "NG": 1}
        origins = {"M": f"by * {TILE_M}", "N": f"bx * {TILE_N}", "K": f"k * {self.tile_k}", "KG": f"k * {self.groups}",
                   "NG": f"bx * {TILE_N} / 128"}
        dims = self.inputs[name]["dims"]
        return [extents[d] for d in dims], [origins[d] for d in dims]

    def allocations_and_copies(self):
        allocations, copies = [], []
        for name, entry in self.inputs.items():
            if name in ("Sa", "bias"):
                continue
            extents, origins = self.tile(name)
            allocations.append(f"let {name}s = alloc_shared({entry['dtype']}[{', '.join(map(str, extents))}]);")
            source = name
            if "wide-scales" in self.case["tags"] and "KG" in entry["dims"]:
                source = f"{name}[:, 0 : ceildiv(K, {self.group})]"
                allocations.append(f"let {name}v = {source};")
                source = f"{name}v"
            copies.append(f"copy({source}[{', '.join(origins)}], {name}s);")
        return allocations, copies

    def product(self):
        """The statement that multiplies one step."""
        transpose = ", transpose_b = true" if self.inputs["B"]["dims"] == ["N", "K"] else ""
        names = set(self.inputs)
        for sfa, sfb in (("SA", "SB"), ("SFA", "SFB")):
            if sfa in names:
                block = ", granularity_n = 128" if "NG" in self.inputs[sfb]["dims"] else ""
                return f"gemm_scaled(As, Bs, acc, {sfa}s, {sfb}s, granularity_k = {self.group}{block}{transpose});"
        scale = {"S": "Ss", "SF": "SFs"}
        operand = "Bs"
        for name, tile in scale.items():
            if name in names:
                zero = ", zero = Zs" if "Z" in names else ""
                operand = f"dequant(Bs, scale = {tile}{zero}, group = {self.group})"
        return f"gemm(As, {operand}, acc{transpose});"

    def result(self):
        (name, entry), = self.case["outputs"].items()
        value = "acc"
        if "Sa" in self.inputs:
            value = f"acc * Sa[by * {TILE_M} +: {TILE_M}][:, _] + bias[bx * {TILE_N} +: {TILE_N}][_, :]"
        at = f"by * {TILE_M}, bx * {TILE_N}"
        if entry["dims"] == ["N", "M"]:
            value, at = "transpose(acc)", f"bx * {TILE_N}, by * {TILE_M}"
        return f"copy({value}, {name}[{at}]);"

    def text(self):
        parameters = [declare(n, e, False, self.case) for n, e in self.inputs.items()]
        parameters += [declare(n, e, True, self.case) for n, e in self.case["outputs"].items()]
        allocations, copies = self.allocations_and_copies()
        lines = [f"kernel golden({', '.join(parameters)})",
                 f"    grid(bx in ceildiv(N, {TILE_N}), by in ceildiv(M, {TILE_M})) threads(128)", "{"]
        lines += [f"    {line}" for line in allocations]
        lines += [f"    var acc = alloc_fragment({gemm_accumulator(self.case)}[{TILE_M}, {TILE_N}]);", "    clear(acc);",
                  f"    for k in pipelined(ceildiv(K, {self.tile_k}), stages = 2) {{"]
        lines += [f"        {line}" for line in copies + [self.product()]]
        lines += ["    }", f"    {self.result()}", "}"]
        return "\n".join(lines) + "\n"


def row_kernel(case):
    """The file and the settings of an attention, softmax or rmsnorm case."""
    if case["family"] != "attention":
        scalars = {"eps": case["eps"]} if "eps" in case else {}
        return (KERNELS / f"{case['family']}.tile").read_text(), {}, scalars
    masks = {"none": 0, "top-left": 1, "bottom-right": 2}
    name = "attention_mask" if "mask" in case["inputs"] else "attention"
    return (KERNELS / f"{name}.tile").read_text(), {"D": case["sizes"]["D"], "MASK": masks[case["causal"]]}, {"scale": case["scale"]}


def kernel_of(case):
    """Text, -D settings and scalar arguments."""
    if re.search(r"sum_k", case["formula"]):
        return GemmKernel(case).text(), {}, {}
    return row_kernel(case)
