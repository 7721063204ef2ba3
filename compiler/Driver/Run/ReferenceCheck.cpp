//===- ReferenceCheck.cpp - Comparing a run with the interpreter ----------===//
#include "compiler/Driver/Run/ReferenceCheck.h"

#include "compiler/Driver/Run/BlockSample.h"
#include "compiler/Driver/Run/Comparison.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

static constexpr double largestSample = 256;

/// How long a check without `full` may take.
static double getSecondsToCheck() {
  std::optional<std::string> text =
      llvm::sys::Process::GetEnv("TILE_CHECK_SECONDS");
  double seconds;
  if (!text || StringRef(*text).getAsDouble(seconds) || !(seconds >= 0))
    return 20;
  return seconds;
}

llvm::Error ReferenceCheck::copyOutputs() {
  for (const RunArgument &argument : run.arguments.get()) {
    if (!argument.isWritten())
      continue;
    llvm::Expected<HostTensor> copy = argument.tensor->clone();
    if (!copy)
      return copy.takeError();
    size_t elements = copy->getShape().getElementCount();
    outputs.push_back(
        {&argument, std::move(*copy), std::vector<uint8_t>(elements)});
  }
  return llvm::Error::success();
}

llvm::Error ReferenceCheck::interpretBlocks(KernelOp kernel,
                                            std::vector<int64_t> blocks) {
  InterpreterArguments arguments = makeInterpreterArguments(run);
  for (Output &output : outputs)
    for (TensorArgument &tensor : arguments.tensors)
      if (tensor.name == output.argument->name) {
        tensor.storage = output.want.getBytes().data();
        tensor.written = output.written.data();
      }
  InterpreterOptions options;
  options.blocks = std::move(blocks);
  return interpretKernel(kernel, arguments, options).takeError();
}

/// Blocks that add to the same element give its value only together.
static bool combinesBlocks(KernelOp kernel) {
  return kernel
      ->walk([](mlir::Operation *op) {
        return op->getName().stripDialect().starts_with("atomic")
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::Error ReferenceCheck::interpret(KernelOp kernel, CheckExtent extent,
                                      uint64_t seed) {
  llvm::SmallVector<int64_t> extents;
  // The blocks of the source: the variant may launch fewer, which do the work
  // of several each.
  blockCount = 1;
  for (size_t axis = 0; axis < tilert_plan_axis_count(&run.plan); ++axis) {
    extents.push_back(tilert_plan_axis_extent(&run.plan, axis));
    blockCount *= extents.back();
  }
  if (blockCount == 0)
    return llvm::Error::success();

  // The corners first: they show what the others will cost.
  std::vector<int64_t> corners = pickCornerBlocks(extents);
  auto begin = std::chrono::steady_clock::now();
  if (llvm::Error error = interpretBlocks(kernel, corners))
    return error;
  std::chrono::duration<double> duration =
      std::chrono::steady_clock::now() - begin;
  double perBlock = std::max(duration.count() / corners.size(), 1e-9);

  double secondsToCheck = getSecondsToCheck();
  double secondsLeft = perBlock * (blockCount - corners.size());
  if (extent == CheckExtent::Full || secondsLeft <= secondsToCheck ||
      combinesBlocks(kernel)) {
    std::vector<int64_t> others = pickOtherBlocks(extents, corners);
    return others.empty() ? llvm::Error::success()
                          : interpretBlocks(kernel, std::move(others));
  }
  double count = std::min(largestSample, secondsToCheck / 4 / perBlock);
  std::vector<int64_t> more =
      pickBlocks(extents, static_cast<size_t>(count), corners, seed);
  sample = corners;
  sample.insert(sample.end(), more.begin(), more.end());
  llvm::sort(sample);
  return more.empty() ? llvm::Error::success()
                      : interpretBlocks(kernel, std::move(more));
}

llvm::Expected<ReferenceCheck> ReferenceCheck::create(KernelOp kernel,
                                                      const PlannedRun &run,
                                                      CheckExtent extent,
                                                      uint64_t seed) {
  ReferenceCheck check(run);
  if (llvm::Error error = check.copyOutputs())
    return error;
  if (llvm::Error error = check.interpret(kernel, extent, seed))
    return error;
  return check;
}

bool ReferenceCheck::compare(llvm::raw_ostream &os,
                             const std::optional<Tolerance> &tolerance) const {
  if (!sample.empty())
    os << "check: " << sample.size() << " of " << blockCount
       << " blocks (corners, edges, random ones); --check=full compares all\n";
  bool passed = true;
  for (const Output &output : outputs) {
    const HostTensor &got = *output.argument->tensor;
    const TensorShape &shape = got.getShape();
    llvm::BitVector selection(sample.empty() ? 0 : output.written.size());
    for (unsigned i = 0; i < selection.size(); ++i)
      selection[i] = output.written[i] != 0;
    ComparisonResult result = compareByScale(
        got, output.want, tolerance.value_or(getDefaultTolerance(shape.format)),
        sample.empty() ? nullptr : &selection);
    printComparison(os, "check " + output.argument->name, shape, result);
    passed &= result.passed();
  }
  return passed;
}
