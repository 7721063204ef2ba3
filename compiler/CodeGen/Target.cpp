//===- Target.cpp - The table of architectures ----------------------------===//
//
// Figures are those of the CUDA programming guide, "technical specifications
// per compute capability", and of the PTX manual's target notes.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;

static constexpr Target targets[] = {
    {.name = "sm_80",
     .computeCapability = 80,
     .lowestPtx = {7, 0},
     .sharedBytesPerBlock = 163 * 1024},
    {.name = "sm_86",
     .computeCapability = 86,
     .lowestPtx = {7, 1},
     .sharedBytesPerBlock = 99 * 1024},
    {.name = "sm_89",
     .computeCapability = 89,
     .lowestPtx = {7, 8},
     .sharedBytesPerBlock = 99 * 1024},
    {.name = "sm_90a",
     .computeCapability = 90,
     .lowestPtx = {8, 0},
     .sharedBytesPerBlock = 227 * 1024},
    {.name = "sm_100a",
     .computeCapability = 100,
     .lowestPtx = {8, 6},
     .sharedBytesPerBlock = 227 * 1024},
    {.name = "sm_120a",
     .computeCapability = 120,
     .lowestPtx = {8, 7},
     .sharedBytesPerBlock = 99 * 1024},
};

llvm::ArrayRef<Target> tilec::getTargets() { return targets; }

/// An "a" target holds instructions of one architecture only.
static bool isArchitectureSpecific(const Target &target) {
  return target.name.ends_with("a");
}

llvm::Expected<const Target *> tilec::parseTarget(llvm::StringRef name) {
  for (const Target &target : targets)
    if (target.name == name)
      return &target;

  std::string message = "target '" + name.str() + "' is unknown";
  for (const Target &target : targets)
    if (target.name.drop_back() == name && isArchitectureSpecific(target))
      message += "; did you mean '" + target.name.str() +
                 "'? its instructions are those of that architecture alone";
  message += "; the choices are ";
  message += llvm::join(
      llvm::map_range(targets, [](const Target &t) { return t.name.str(); }),
      ", ");
  return llvm::createStringError(message);
}

const Target *tilec::findTargetForDevice(unsigned computeCapability) {
  const Target *best = nullptr;
  for (const Target &target : targets) {
    if (target.computeCapability == computeCapability)
      return &target;
    bool sameMajor = target.computeCapability / 10 == computeCapability / 10;
    if (sameMajor && !isArchitectureSpecific(target) &&
        target.computeCapability < computeCapability)
      best = &target;
  }
  return best;
}
