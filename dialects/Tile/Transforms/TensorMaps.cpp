//===- TensorMaps.cpp - What TMA is told of tensors -----------------------===//

#include "dialects/Tile/Transforms/TensorMaps.h"

using namespace mlir;
using namespace mlir::tile;

TensorMaps::TensorMaps(KernelOp kernel) : builder(kernel.getContext()) {
  if (ArrayAttr known = kernel.getTensorMaps().value_or(ArrayAttr()))
    maps.assign(known.begin(), known.end());
}

int64_t TensorMaps::add(unsigned argument, ArrayRef<int64_t> box,
                        int64_t swizzleBytes) {
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  Attribute map = builder.getDictionaryAttr(
      {number("param", argument),
       builder.getNamedAttr("box", builder.getI64ArrayAttr(box)),
       number("swizzle", swizzleBytes)});
  int64_t place = llvm::find(maps, map) - maps.begin();
  if (place == int64_t(maps.size()))
    maps.push_back(map);
  return place;
}

int64_t TensorMaps::add(unsigned argument, ArrayRef<int64_t> box,
                        const layout::SharedLayout &storage) {
  layout::Swizzle swizzle = storage.swizzle();
  return add(argument, box,
             swizzle.isIdentity() ? 0 : int64_t(16) << swizzle.bits);
}
