//===-- Batch.h - Runs jobs in worker processes ----------------*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_BATCH_H
#define TILE_TOOLS_GPURUNNER_BATCH_H

#include "tools/gpu-runner/Job.h"

namespace gpurunner {

/// Runs all jobs and prints a line each, and "N passed, N failed, N skipped" at
/// the end. Returns the exit status of the program.
///
/// A fault in a kernel ruins the CUDA context of its process, and a kernel may
/// never end. So the jobs run in a child: when it dies or takes too long, the
/// job at hand has failed, and a new child goes on with the next.
int runBatch(const CommandLine &line);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_BATCH_H
