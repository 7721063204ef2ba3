//===-- Main.cpp - tile-gpu-runner: runs compiled kernels on a GPU --------===//

#include "tools/gpu-runner/Batch.h"

#include <cstdio>
#include <stdexcept>

int main(int count, char **words) {
  try {
    gpurunner::CommandLine line = gpurunner::parseCommandLine(count, words);
    if (line.isHelp) {
      std::fputs(gpurunner::help, stdout);
      return 0;
    }
    return gpurunner::runBatch(line);
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "tile-gpu-runner: error: %s\n", error.what());
    return 2;
  }
}
