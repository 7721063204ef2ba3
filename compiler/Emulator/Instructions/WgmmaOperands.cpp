//===- WgmmaOperands.cpp - Operands of wgmma ------------------------------===//
//
// Layouts of matrices in shared memory, in units of 16 bytes.  With K
// innermost, eight rows make a group: without swizzle they follow one another
// and the two halves of the 32 bytes of K are the leading offset apart; with
// swizzle their pitch is the swizzled line, and both halves lie in the line.
// With rows innermost, eight k make a group in the same way.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/WgmmaOperands.h"

#include "compiler/Emulator/Machine/Swizzle.h"

using namespace tilec::emulator;

static constexpr unsigned chunkBytes = 16;

static uint32_t takeBits(uint64_t word, unsigned first, unsigned count) {
  return static_cast<uint32_t>(word >> first & ((uint64_t(1) << count) - 1));
}

MatrixDescriptor::MatrixDescriptor(uint64_t word)
    : start(takeBits(word, 0, 14) * 16),
      leadingOffset(takeBits(word, 16, 14) * 16),
      strideOffset(takeBits(word, 32, 14) * 16) {
  constexpr unsigned lines[] = {0, 128, 64, 32};
  swizzle = lines[takeBits(word, 62, 2)];
}

const char *MatrixDescriptor::findFault(uint64_t word) {
  if (takeBits(word, 14, 2) || takeBits(word, 30, 2) || takeBits(word, 46, 3) ||
      takeBits(word, 52, 10))
    return "sets bits that must be zero";
  if (takeBits(word, 49, 3))
    return "has a base offset, which the emulator does not implement";
  return nullptr;
}

uint32_t MatrixDescriptor::locate(unsigned row, unsigned k,
                                  unsigned elementBytes,
                                  bool isTransposed) const {
  // The other dimension runs across the lines.
  unsigned inner = (isTransposed ? row : k) * elementBytes;
  unsigned outer = isTransposed ? k : row;
  uint32_t offset = start;
  if (swizzle == 0) {
    bool leadsInner = !isTransposed;
    offset += inner / chunkBytes * (leadsInner ? leadingOffset : strideOffset) +
              outer / 8 * (leadsInner ? strideOffset : leadingOffset) +
              outer % 8 * chunkBytes;
    return offset;
  }
  // Only rows innermost can be wider than a line.
  offset += inner / swizzle * leadingOffset + inner % swizzle +
            outer / 8 * strideOffset + outer % 8 * swizzle;
  return swizzleAddress(offset, swizzle);
}

template <Element element, typename Number>
static unsigned decodeElements(const uint8_t *bytes, Number *numbers) {
  constexpr unsigned size =
      element == Element::TF32                              ? 4
      : element == Element::F16 || element == Element::BF16 ? 2
                                                            : 1;
  for (unsigned i = 0; i < chunkBytes / size; ++i) {
    uint32_t field = 0;
    std::memcpy(&field, bytes + i * size, size);
    if constexpr (element == Element::S8 || element == Element::U8)
      numbers[i] = decodeInteger(element, field);
    else
      numbers[i] = static_cast<Number>(decodeElement<element>(field));
  }
  return chunkBytes / size;
}

unsigned tilec::emulator::decodeChunk(Element element, const uint8_t *bytes,
                                      double *numbers) {
  switch (element) {
  case Element::F16:
    return decodeElements<Element::F16>(bytes, numbers);
  case Element::BF16:
    return decodeElements<Element::BF16>(bytes, numbers);
  case Element::TF32:
    return decodeElements<Element::TF32>(bytes, numbers);
  case Element::E4M3:
    return decodeElements<Element::E4M3>(bytes, numbers);
  case Element::E5M2:
    return decodeElements<Element::E5M2>(bytes, numbers);
  default:
    llvm_unreachable("not a float operand of wgmma");
  }
}

unsigned tilec::emulator::decodeChunk(Element element, const uint8_t *bytes,
                                      int32_t *numbers) {
  return element == Element::S8 ? decodeElements<Element::S8>(bytes, numbers)
                                : decodeElements<Element::U8>(bytes, numbers);
}
