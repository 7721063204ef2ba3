//===-- Entrant.h - A contender and what is known of it --------*- C++ -*-===//

#ifndef TILE_TOOLS_BENCH_ENTRANT_H
#define TILE_TOOLS_BENCH_ENTRANT_H

#include "compiler/Gpu/Stopwatch.h"
#include "tools/bench/Contender.h"
#include "tools/bench/Statistics.h"

namespace tilebench {

struct Entrant {
  Contender contender;
  std::string failure;
  double error = -1; // relative; below 0 if not checked yet
  size_t resultHash = 0;
  double estimate = 0;       // microseconds of a launch
  std::vector<double> brief; // the same, of brief series
  Samples choosing[stateCount], timing[stateCount];

  bool isRight() const { return failure.empty(); }
};

/// Its part of the record.
Json describe(const Entrant &entrant);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_ENTRANT_H
