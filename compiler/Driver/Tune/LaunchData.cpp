//===- LaunchData.cpp - What every candidate is launched with -------------===//
#include "compiler/Driver/Tune/LaunchData.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/Run/Comparison.h"
#include "compiler/Driver/Run/Faults.h"
#include "compiler/Driver/Run/RandomData.h"
#include "compiler/Driver/Run/ReferenceCheck.h"
#include "compiler/Driver/Run/Throughput.h"
#include "compiler/Tune/ResultCheck.h"

using namespace tilec;
using mlir::tile::KernelOp;

/// Elements of a result that a bundle holds at most: a folder of candidates is
/// carried about.
static constexpr int64_t mostReferenceElements = 1 << 20;

/// A kernel with fewer operations for each byte than this is bound by memory,
/// and finds little of its data in the L2 cache in a program.
static constexpr double computeBound = 200;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static tune::BundleArgument describe(const RunArgument &argument) {
  tune::BundleArgument result;
  result.name = argument.name;
  result.dtype =
      std::string(getSpelling(getFormat(argument.declaration.dtype)));
  if (!argument.isTensor()) {
    result.access = "scalar";
    result.scalar = argument.scalarCode;
    return result;
  }
  result.access = argument.declaration.access == TILERT_IN    ? "in"
                  : argument.declaration.access == TILERT_OUT ? "out"
                                                              : "inout";
  result.sizes = argument.tensor->getShape().sizes;
  result.pack = argument.tensor->getShape().packDim;
  result.stream = getRandomStream(argument.name);
  return result;
}

std::vector<tilert_argument>
tilec::makePlanArguments(const tune::Bundle &bundle) {
  std::vector<tilert_argument> result;
  // Apart from each other, and aligned to everything.
  uintptr_t address = uintptr_t(1) << 40;
  for (const tune::BundleArgument &argument : bundle.arguments) {
    tilert_dtype dtype;
    tilert_dtype_from_name(argument.dtype.c_str(), &dtype);
    if (!argument.isTensor()) {
      tilert_argument scalar = {};
      scalar.kind = TILERT_SCALAR;
      scalar.value.scalar = {dtype, argument.scalar};
      result.push_back(scalar);
      continue;
    }
    tilert_tensor tensor = {};
    tensor.data = reinterpret_cast<void *>(address);
    tensor.dtype = dtype;
    tensor.rank = static_cast<int32_t>(argument.sizes.size());
    tensor.sizes = argument.sizes.data();
    tensor.device = TILERT_DEVICE_HOST;
    result.push_back(tilert_tensor_argument(tensor));
    address += uintptr_t(1) << 44;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The elements that were written, in rows.
static std::vector<tune::ElementRange>
listRanges(llvm::ArrayRef<uint8_t> written, bool isSample) {
  std::vector<tune::ElementRange> ranges;
  int64_t count = static_cast<int64_t>(written.size());
  if (!isSample)
    ranges.push_back({0, count});
  for (int64_t i = 0; isSample && i < count; ++i) {
    if (!written[i])
      continue;
    if (ranges.empty() || ranges.back().first + ranges.back().count != i)
      ranges.push_back({i, 0});
    ++ranges.back().count;
  }
  return ranges;
}

/// Every so many of the ranges, cut where they are long, such that what is left
/// is not too much.
static std::vector<tune::ElementRange>
thinOut(llvm::ArrayRef<tune::ElementRange> ranges) {
  constexpr int64_t longest = 4096;
  std::vector<tune::ElementRange> parts;
  int64_t count = 0;
  for (const tune::ElementRange &range : ranges) {
    count += range.count;
    for (int64_t done = 0; done < range.count; done += longest)
      parts.push_back(
          {range.first + done, std::min(longest, range.count - done)});
  }
  int64_t step = count / mostReferenceElements + 1;
  if (step == 1)
    return ranges.vec();
  std::vector<tune::ElementRange> kept;
  for (size_t i = 0; i < parts.size(); ++i)
    if (i % step == 0 || i + 1 == parts.size())
      kept.push_back(parts[i]);
  return kept;
}

/// Writes what an output should be.
static llvm::Error addReference(const ReferenceCheck::Output &output,
                                bool isSample, const std::string &folder,
                                tune::Bundle &bundle) {
  const TensorShape &shape = output.want.getShape();
  tune::Reference reference;
  reference.argument = output.argument->name;
  reference.file = "want-" + output.argument->name + ".bin";
  reference.tolerance = getDefaultTolerance(shape.format).relative;
  if (shape.getElementCount() == 0)
    return llvm::Error::success();
  reference.ranges = thinOut(listRanges(output.written, isSample));
  llvm::ArrayRef<uint8_t> bytes = output.want.getBytes();
  StoredArray array{shape.format, shape.sizes, shape.packDim,
                    const_cast<uint8_t *>(bytes.data()), bytes.size()};
  std::string error = tune::writeReferenceFile(folder + "/" + reference.file,
                                               array, reference.ranges);
  if (!error.empty())
    return makeFailure(error);
  bundle.references.push_back(std::move(reference));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

llvm::Error tilec::describeLaunch(const RunOptions &options,
                                  Compilation &source,
                                  const std::string &folder,
                                  tune::Bundle &bundle) {
  std::string manifest = writeManifest(source.getManifest());
  llvm::Expected<RuntimeModule> module = loadRuntimeModule(manifest);
  if (!module)
    return module.takeError();
  const tilert_kernel *kernel = tilert_module_kernel(module->get(), 0);
  KernelOp op = *source.getTileModule().getOps<KernelOp>().begin();

  llvm::Expected<RunArguments> arguments =
      RunArguments::create(*kernel, options);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<tilert_device_facts> facts =
      getTargetFacts(source.getTarget().name);
  if (!facts)
    return facts.takeError();
  llvm::Expected<RuntimePlan> plan =
      planLaunch(kernel, arguments->getRuntimeArguments(), *facts);
  if (!plan)
    return plan.takeError();
  if (tilert_plan_grid(plan->get()) == 0)
    return makeFailure("there is nothing to measure: the grid is empty");

  std::vector<llvm::SmallVector<int64_t>> sizes;
  for (const RunArgument &argument : arguments->get()) {
    bundle.arguments.push_back(describe(argument));
    sizes.emplace_back(bundle.arguments.back().sizes.begin(),
                       bundle.arguments.back().sizes.end());
  }
  for (size_t i = 0; i < tilert_kernel_symbol_count(kernel); ++i)
    bundle.sizes[tilert_kernel_symbol_name(kernel, i)] =
        tilert_plan_symbols(plan->get())[i];
  Work work = countWork(op, sizes);
  bundle.flushesCache =
      !work.operations || *work.operations < computeBound * work.bytes;

  llvm::Expected<ReferenceCheck> reference =
      ReferenceCheck::create(op, {*kernel, **plan, *arguments, facts->sm_count},
                             CheckExtent::Sample, options.seed);
  if (!reference)
    return reportFaults(source.getSources(), reference.takeError());
  for (const ReferenceCheck::Output &output : reference->getOutputs())
    if (llvm::Error error =
            addReference(output, reference->isSample(), folder, bundle))
      return error;
  return llvm::Error::success();
}
