//===- RandomData.cpp - Data for arrays that the user did not give --------===//
#include "compiler/Driver/Run/RandomData.h"

#include "compiler/Numerics/RandomElements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace tilec;

uint64_t tilec::getRandomStream(llvm::StringRef name) {
  return llvm::xxh3_64bits(name);
}

void tilec::fillRandom(HostTensor &tensor, uint64_t seed,
                       llvm::StringRef name) {
  const TensorShape &shape = tensor.getShape();
  llvm::MutableArrayRef<uint8_t> bytes = tensor.getBytes();
  fillRandomElements(
      {shape.format, shape.sizes, shape.packDim, bytes.data(), bytes.size()},
      seed, getRandomStream(name));
}

void tilec::fillUnwritten(HostTensor &tensor) {
  llvm::fill(tensor.getBytes(), uint8_t(0xFF));
}
