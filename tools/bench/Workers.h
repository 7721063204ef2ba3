//===-- Workers.h - Measures rows in processes of their own ----*- C++ -*-===//
//
// A kernel that faults ruins the CUDA context of its process, and one that
// hangs never returns. So this process never touches the device: a child
// measures row after row and says through a pipe which contender is about to
// run. If the child dies, or says nothing for too long, that contender has
// failed, and a new child measures the row again without it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_BENCH_WORKERS_H
#define TILE_TOOLS_BENCH_WORKERS_H

#include "tools/bench/Options.h"
#include "tools/bench/Report.h"
#include "tools/bench/Table.h"

#include <functional>

namespace tilebench {

/// Measures the rows and adds "device" and the judged "rows" to the record;
/// `finish` hears of each row when it is done. Throws std::runtime_error if
/// there is no device, or no cuBLASLt where it is wanted.
void measureRows(const Options &options, const std::vector<Row> &rows,
                 uint64_t seed, Json &record,
                 const std::function<void(const Json &row)> &finish);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_WORKERS_H
