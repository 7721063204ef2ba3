//===- NpyFile.cpp - NumPy files ------------------------------------------===//
#include "compiler/Driver/Run/NpyFile.h"

#include "compiler/CodeGen/OutputFile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Npy/Npy.h"

using namespace tilec;

/// How the elements of a format are stored.
static npy::Array makeStoredType(NumberFormat format) {
  npy::Array array;
  array.itemBytes = isPacked(format) ? 1 : getStorageBits(format) / 8;
  switch (format) {
  case NumberFormat::Bool:
    array.kind = 'b';
    break;
  case NumberFormat::F16:
  case NumberFormat::F32:
  case NumberFormat::TF32:
  case NumberFormat::F64:
    array.kind = 'f';
    break;
  default:
    // Types that NumPy lacks are stored as their bits.
    array.kind = isSignedInteger(format) && !isPacked(format) ? 'i' : 'u';
  }
  return array;
}

llvm::Expected<NpyArray> tilec::readNpyFile(llvm::StringRef path,
                                            NumberFormat format,
                                            llvm::StringRef parameter) {
  npy::Array array;
  std::string error;
  if (!npy::readFile(path.str(), array, error))
    return makeFailure("cannot read the array of '" + parameter + "' from " +
                       error);
  npy::Array stored = makeStoredType(format);
  if (array.kind != stored.kind || array.itemBytes != stored.itemBytes)
    return makeFailure("'" + path + "' holds " + array.typeName() + ", but '" +
                           parameter + "' is " + getSpelling(format) +
                           ", which is stored as " + stored.typeName(),
                       isPacked(format)
                           ? "two elements share a byte along the packed "
                             "dimension, the lower index in the low nibble"
                           : "");
  return NpyArray{std::move(array.shape), std::move(array.bytes)};
}

llvm::Error tilec::writeNpyFile(llvm::StringRef path,
                                const HostTensor &tensor) {
  npy::Array array = makeStoredType(tensor.getShape().format);
  array.shape = tensor.getShape().getStoredSizes();
  array.bytes = tensor.getBytes().vec();
  return writeFileAtomically(path, npy::print(array));
}
