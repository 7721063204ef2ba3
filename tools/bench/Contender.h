//===-- Contender.h - What can compute a product ---------------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_CONTENDER_H
#define TILE_TOOLS_BENCH_CONTENDER_H

#include "tools/bench/CublasLt.h"
#include "tools/bench/Problem.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilebench {

using Json = nlohmann::ordered_json;

/// One way to compute a product: a compiled kernel, or an algorithm of
/// cuBLASLt.
struct Contender {
  std::string name; // as "cuBLASLt #3"
  std::string note; // the variant of a kernel, the tile of an algorithm
  bool isPeer = false;
  Json facts; // for the record
  /// Launches on the device's stream for a set of buffers.
  std::function<void(size_t set)> launch;
};

/// Binds a compiled kernel to a product: its parameters A, B, C, SFA and SFB
/// (scales of blocks) and scale. Nothing if the kernel was compiled for other
/// sizes. Throws tilert::Error or std::runtime_error if it does not fit.
std::optional<Contender> bindKernel(const std::string &name,
                                    const std::string &folder,
                                    const Problem &problem);

/// cuBLASLt on one device, with its workspace.
class Peers {
public:
  Peers(const Device &device, const std::string &chosenLibrary);
  Peers(const Peers &) = delete;
  ~Peers();

  const CublasLt &library() const { return lt; }

  /// The algorithms that cuBLASLt recommends for a product, as many as it
  /// knows; the one expected to be fastest first. Throws std::runtime_error if
  /// there is none.
  std::vector<Contender> list(const Problem &problem) const;

private:
  CublasLt lt;
  Buffer workspace;
  lt::Handle handle = nullptr;
};

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_CONTENDER_H
