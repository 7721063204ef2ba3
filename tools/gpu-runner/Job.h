//===-- Job.h - One run of a kernel, as the command line says --*- C++ -*-===//

#ifndef TILE_TOOLS_GPURUNNER_JOB_H
#define TILE_TOOLS_GPURUNNER_JOB_H

#include "tools/gpu-runner/Compare.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpurunner {

/// Where a tensor lies that shares the memory of another.
struct Alias {
  std::string of;
  int64_t bytes = 0;
};

struct Job {
  std::string name; // for messages
  std::string artifact;
  std::string kernel;  // empty: the only one
  std::string variant; // empty: chosen by the guards
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::string> inputs; // a file or, for scalars, a number
  std::map<std::string, std::string> outputs;
  std::map<std::string, std::string> expected;
  std::map<std::string, int64_t> offsets; // bytes added to an aligned address
  std::map<std::string, std::vector<int64_t>> strides; // of the array stored
  std::map<std::string, Alias> aliases;
  std::optional<std::string> expectedError;
  Tolerance tolerance;
  uint64_t seed = 0;
  int repeat = 1;
  bool usesGraph = false;
  bool isBench = false;
  bool flushesCache = true;
};

struct CommandLine {
  bool isHelp = false;
  int device = 0;
  double timeoutSeconds = 60; // a job
  std::vector<Job> jobs;
};

/// Throws std::runtime_error with a message for the user.
CommandLine parseCommandLine(int count, const char *const *words);

/// The help text.
extern const char help[];

} // namespace gpurunner

#endif // TILE_TOOLS_GPURUNNER_JOB_H
