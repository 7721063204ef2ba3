//===- ElementDecoder.h - Elements as doubles -----------------------------===//
#ifndef TILEC_NUMERICS_ELEMENTDECODER_H
#define TILEC_NUMERICS_ELEMENTDECODER_H

#include "compiler/Numerics/NumberFormat.h"
#include <vector>

namespace tilec {

/// Gives the value of an element's code as a double (integers beyond 2^53 are
/// rounded).  Makes a table for formats of up to 16 bits, so keep one for many
/// elements.
class ElementDecoder {
public:
  explicit ElementDecoder(NumberFormat format);
  double decode(uint64_t code) const;

private:
  NumberFormat format;
  std::vector<double> table;
};

} // namespace tilec

#endif // TILEC_NUMERICS_ELEMENTDECODER_H
