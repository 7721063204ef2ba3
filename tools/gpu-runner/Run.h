//===-- Run.h - Runs one job -----------------------------------*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_RUN_H
#define TILE_TOOLS_GPURUNNER_RUN_H

#include "compiler/Gpu/Device.h"
#include "tools/gpu-runner/Job.h"

namespace gpurunner {

using tilec::gpu::Device;

enum class Verdict { Passed, Failed, Skipped };

struct Outcome {
  Verdict verdict = Verdict::Passed;
  std::string summary; // goes on the line of the verdict
  std::string details; // further lines
};

/// Runs a job. Failures of any kind are outcomes.
Outcome runJob(const Job &job, const Device &device);

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_RUN_H
