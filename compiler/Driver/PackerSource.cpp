//===- PackerSource.cpp - The kernels that pack a tensor, as source -------===//
//
// For int4[N, K] in tiles of 128x64, with e0 and e1 for N and K:
//
//     kernel w4a16__pack_B(e0: int64, e1: int64, plain: uint8[e0, (e1 + 1) /
//     2],
//                           packed: out uint8[ceildiv(e0, 128), ceildiv(e1,
//                           64), 4096])
//         grid(part in 4, t1 in ceildiv(e1, 64), t0 in ceildiv(e0, 128))
//         threads(256)
//     {
//         for i in parallel(1024) {
//             let p0 = (part * 1024 + i) * 2;
//             let r0 = t0 * 128 + p0 / 8 % 8 * 8 + ...;
//             let c0 = ...;
//             var x0: uint8 = 0;
//             if r0 < e0 && c0 < e1 { x0 = plain[r0, c0 / 2] >> ... & 15; }
//             ...
//             packed[t0, t1, part * 1024 + i] = x0 | x1 << 4;
//
// The unpacker runs over the bytes of the plain tensor in the same tiles.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/PackerSource.h"

#include "compiler/CodeGen/KernelManifest.h"
#include "compiler/Driver/Failure.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace tilec;
using llvm::Twine;
using mlir::tile::KernelOp;

namespace {

/// Writes one of the two kernels.
class PackerWriter {
public:
  explicit PackerWriter(const PackedTensor &tensor)
      : tensor(tensor), tile(tensor.order.shape()),
        leading(tensor.rank - int(tile.size())),
        isNarrow(tensor.order.elementBits() < 8) {}

  std::string writePacker();
  std::string writeUnpacker();

private:
  void writeHead(const std::string &name, const std::string &parameters);
  void writeGrid(int64_t elements);
  std::string getPlainType() const;
  std::string getPackedType() const;
  std::string getElementType() const {
    return "uint" + std::to_string(std::max(tensor.order.elementBits(), 8));
  }
  /// "t0, t1, " of leading extents and tiles.
  std::string getTileIndices() const;
  std::string writeCoordinate(int dim, const std::string &position) const;
  std::string writePosition(const std::vector<std::string> &coords) const;
  void add(const Twine &line) { text += (line + "\n").str(); }

  /// Extents of the tensor along the dimensions of a tile come last.
  int getDim(int tileDim) const { return leading + tileDim; }
  /// The dimensions of a tile, the one along which tiles are neighbours last.
  llvm::SmallVector<int, 3> getTileOrder() const;
  /// Elements of a tile in one unit of memory along a dimension.
  int getUnit(int dim) const {
    return isNarrow && dim == tensor.packDim ? 2 : 1;
  }

  const PackedTensor &tensor;
  llvm::ArrayRef<int32_t> tile;
  int leading;
  bool isNarrow;
  std::string text;
};

} // namespace

static std::string str(int64_t number) { return std::to_string(number); }

std::string PackerWriter::getPlainType() const {
  std::string extents;
  for (int dim = 0; dim < tensor.rank; ++dim)
    extents +=
        (dim ? ", " : "") +
        (getUnit(dim) == 2 ? "(e" + str(dim) + " + 1) / 2" : "e" + str(dim));
  return getElementType() + "[" + extents + "]";
}

llvm::SmallVector<int, 3> PackerWriter::getTileOrder() const {
  llvm::SmallVector<int, 3> order;
  for (int dim = 0; dim < int(tile.size()); ++dim)
    if (dim != tensor.along)
      order.push_back(dim);
  order.push_back(tensor.along);
  return order;
}

std::string PackerWriter::getPackedType() const {
  std::string extents;
  for (int dim = 0; dim < leading; ++dim)
    extents += "e" + str(dim) + ", ";
  for (int dim : getTileOrder())
    extents += "ceildiv(e" + str(getDim(dim)) + ", " + str(tile[dim]) + "), ";
  return getElementType() + "[" + extents +
         str(tensor.order.elements() / (isNarrow ? 2 : 1)) + "]";
}

std::string PackerWriter::getTileIndices() const {
  std::string indices;
  for (int dim = 0; dim < leading; ++dim)
    indices += "t" + str(dim) + ", ";
  for (int dim : getTileOrder())
    indices += "t" + str(getDim(dim)) + ", ";
  return indices;
}

void PackerWriter::writeHead(const std::string &name,
                             const std::string &parameters) {
  text = "kernel " + name + "(";
  for (int dim = 0; dim < tensor.rank; ++dim)
    text += "e" + str(dim) + ": int64, ";
  text += parameters + ")\n";
}

/// A block for each piece of each tile, of `elements` that are written.
void PackerWriter::writeGrid(int64_t elements) {
  int64_t piece = std::gcd(elements, int64_t(1024));
  text += "    grid(part in " + str(elements / piece);
  for (int dim = tensor.rank - 1; dim >= 0; --dim)
    text += ", t" + str(dim) + " in " +
            (dim < leading ? "e" + str(dim)
                           : "ceildiv(e" + str(dim) + ", " +
                                 str(tile[dim - leading]) + ")");
  add(") threads(256)\n{");
  add("    for i in parallel(" + str(piece) + ") {");
  add("        let u = part * " + str(piece) + " + i;");
}

/// Where an element at a position in its tile lies along a dimension of the
/// tensor.
std::string PackerWriter::writeCoordinate(int dim,
                                          const std::string &position) const {
  std::string sum = "t" + str(dim);
  if (dim < leading)
    return sum;
  sum += " * " + str(tile[dim - leading]);
  int64_t weight = 1;
  for (const layout::PackedOrder::Digit &digit : tensor.order.digits()) {
    if (digit.dim == dim - leading)
      sum += " + " + position + " / " + str(weight) + " % " + str(digit.count) +
             " * " + str(digit.stride);
    weight *= digit.count;
  }
  return sum;
}

/// The position in its tile of an element at coordinates in the tile.
std::string
PackerWriter::writePosition(const std::vector<std::string> &coords) const {
  std::string sum;
  int64_t weight = 1;
  for (const layout::PackedOrder::Digit &digit : tensor.order.digits()) {
    sum += (sum.empty() ? "" : " + ") + coords[digit.dim] + " / " +
           str(digit.stride) + " % " + str(digit.count) + " * " + str(weight);
    weight *= digit.count;
  }
  return sum.empty() ? "0" : sum;
}

std::string PackerWriter::writePacker() {
  writeHead(tensor.packer,
            "plain: " + getPlainType() + ", packed: out " + getPackedType());
  int perUnit = isNarrow ? 2 : 1;
  writeGrid(tensor.order.elements() / perUnit);
  for (int i = 0; i < perUnit; ++i) {
    std::string n = str(i), indices, inside;
    add("        let p" + n + " = u * " + str(perUnit) + " + " + n + ";");
    for (int dim = 0; dim < tensor.rank; ++dim) {
      std::string name = "c" + str(dim) + "_" + n;
      add("        let " + name + " = " + writeCoordinate(dim, "p" + n) + ";");
      indices += (dim ? ", " : "") + name + (getUnit(dim) == 2 ? " / 2" : "");
      inside += (dim ? " && " : "") + name + " < e" + str(dim);
    }
    add("        var x" + n + ": " + getElementType() + " = " +
        str(tensor.padding) + ";");
    std::string element = "plain[" + indices + "]";
    if (isNarrow)
      element = "(" + element + " >> cast<uint8>(c" + str(tensor.packDim) +
                "_" + n + " % 2 * 4)) & 15";
    add("        if " + inside + " { x" + n + " = " + element + "; }");
  }
  add("        packed[" + getTileIndices() +
      "u] = " + (isNarrow ? "x0 | (x1 << 4)" : "x0") + ";");
  add("    }\n}");
  return text;
}

std::string PackerWriter::writeUnpacker() {
  writeHead(tensor.unpacker,
            "packed: " + getPackedType() + ", plain: out " + getPlainType());
  int64_t units = 1;
  for (size_t dim = 0; dim < tile.size(); ++dim)
    units *= llvm::divideCeil(tile[dim], getUnit(getDim(dim)));
  writeGrid(units);
  // The unit's place in the tile, row-major.
  std::string storedIndices, inside;
  for (int dim = 0; dim < leading; ++dim) {
    storedIndices += "t" + str(dim) + ", ";
  }
  int64_t weight = units;
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    int unit = getUnit(getDim(dim));
    int64_t extent = llvm::divideCeil(tile[dim], unit);
    weight /= extent;
    std::string d = str(getDim(dim));
    add("        let a" + d + " = u / " + str(weight) + " % " + str(extent) +
        " * " + str(unit) + ";");
    add("        let c" + d + " = t" + d + " * " + str(tile[dim]) + " + a" + d +
        ";");
    storedIndices += (dim ? ", c" : "c") + d + (unit == 2 ? " / 2" : "");
    inside += (dim ? " && c" : "c") + d + " < e" + d;
  }
  add("        if " + inside + " {");
  int perUnit = isNarrow ? 2 : 1;
  for (int i = 0; i < perUnit; ++i) {
    std::vector<std::string> coords;
    for (size_t dim = 0; dim < tile.size(); ++dim) {
      std::string name = "a" + str(getDim(dim));
      coords.push_back(i && getUnit(getDim(dim)) == 2 ? "(" + name + " + 1)"
                                                      : name);
    }
    std::string n = str(i);
    add("            let p" + n + " = " + writePosition(coords) + ";");
  }
  if (isNarrow) {
    std::string pack = str(tensor.packDim);
    for (const char *n : {"0", "1"})
      add("            var x" + Twine(n) + ": uint8 = " +
          (*n == '0' ? ""
                     : "0;\n            if c" + pack + " + 1 < e" + pack +
                           " { x1 = ") +
          "(packed[" + getTileIndices() + "p" + n + " / 2] >> cast<uint8>(p" +
          n + " % 2 * 4)) & 15;" + (*n == '0' ? "" : " }"));
    add("            plain[" + storedIndices + "] = x0 | (x1 << 4);");
  } else {
    add("            plain[" + storedIndices + "] = packed[" +
        getTileIndices() + "p0];");
  }
  add("        }\n    }\n}");
  return text;
}

std::string tilec::writePackers(const PackedTensor &tensor) {
  return PackerWriter(tensor).writePacker() +
         PackerWriter(tensor).writeUnpacker();
}

llvm::Expected<std::vector<PackedTensor>>
tilec::findPackedTensors(mlir::ModuleOp module) {
  std::vector<PackedTensor> tensors;
  for (KernelOp kernel : module.getOps<KernelOp>())
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      mlir::DictionaryAttr packing = kernel.getArgPacking(i);
      if (!packing)
        continue;
      llvm::StringRef name = kernel.getSourceName(),
                      tensor = kernel.getArgName(i);
      std::string packer = getPackerName(name, tensor);
      const layout::PackedOrder &order =
          packing.getAs<mlir::tile::PackedOrderAttr>("order").getOrder();
      int along = int(packing.getAs<mlir::IntegerAttr>("along").getInt());
      int64_t row =
          mlir::cast<mlir::tile::GlobalType>(kernel.getArgumentTypes()[i])
              .getShape()
              .back();
      auto known = llvm::find_if(tensors, [&](const PackedTensor &one) {
        return one.packer == packer;
      });
      if (known != tensors.end() &&
          (known->order != order || known->along != along || known->row != row))
        return makeFailure("the classes of sizes of kernel '" + name +
                               "' take prepacked '" + tensor +
                               "' in different orders",
                           "give the constants that decide on the order "
                           "with -D");
      if (known != tensors.end())
        continue;
      // 1 in e8m0, which has no 0; see runtime/lib/Packing.cpp.
      unsigned padding = kernel.getArgDtype(i) == "e8m0" ? 127 : 0;
      tensors.push_back({packer, getUnpackerName(name, tensor),
                         int(packing.getAs<mlir::ArrayAttr>("dims").size()),
                         int(packing.getAs<mlir::IntegerAttr>("pack").getInt()),
                         order, along, padding, row});
    }
  return tensors;
}
