//===- Interpreter.cpp - The meaning of a tile kernel ---------------------===//
//
// Blocks are independent, so a few threads take them one after another, in the
// order of their numbers.  Once a block has failed, no later one is started,
// and all earlier ones have been: which failure is told does not depend on
// timing.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/Interpreter.h"

#include "compiler/Interpreter/LaunchSetup.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// InterpreterError
//===----------------------------------------------------------------------===//

char InterpreterError::ID;

InterpreterError::InterpreterError(Location location, std::string text)
    : location(location), text(std::move(text)) {}

void InterpreterError::log(llvm::raw_ostream &os) const {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  os << "error: " << text;
}

std::error_code InterpreterError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Place along each axis of the block of this number, first axis fastest.
static std::vector<int64_t> getPosition(int64_t number,
                                        ArrayRef<int64_t> grid) {
  std::vector<int64_t> position;
  for (int64_t extent : grid) {
    position.push_back(number % extent);
    number /= extent;
  }
  return position;
}

/// "in block bx = 1, by = 0", or nothing for a kernel of one block.
static std::string describeBlock(const Launch &launch,
                                 ArrayRef<int64_t> position) {
  if (llvm::all_of(launch.grid, [](int64_t extent) { return extent == 1; }))
    return "";
  std::string text = " (in block ";
  tile::KernelOp kernel = launch.kernel;
  for (auto [index, place] : llvm::enumerate(position)) {
    auto axis = dyn_cast<StringAttr>(kernel.getAxes()[index]);
    text += (index ? ", " : "") + (axis ? axis.getValue().str() : "axis") +
            " = " + std::to_string(place);
  }
  return text + ")";
}

namespace {
/// Runs the blocks of a list on several threads.
class BlockRunner {
public:
  BlockRunner(const Launch &launch, const std::vector<int64_t> *list,
              int64_t count)
      : launch(launch), list(list), count(count) {}

  llvm::Error run(unsigned workers);

private:
  void runBlocks();
  void note(int64_t turn, std::string where, const Failure &failure);

  const Launch &launch;
  const std::vector<int64_t> *list; // null: all blocks
  int64_t count;
  std::atomic<int64_t> nextTurn = 0;
  std::mutex mutex;
  std::atomic<int64_t> failedTurn = INT64_MAX;
  std::optional<Failure> failure;
};
} // namespace

void BlockRunner::note(int64_t turn, std::string where, const Failure &found) {
  std::lock_guard<std::mutex> lock(mutex);
  if (turn >= failedTurn)
    return;
  failedTurn = turn;
  failure = Failure{found.location, found.text + where};
}

void BlockRunner::runBlocks() {
  for (;;) {
    int64_t turn = nextTurn++;
    if (turn >= count || turn > failedTurn)
      return;
    std::vector<int64_t> position =
        getPosition(list ? (*list)[turn] : turn, launch.grid);
    BlockInterpreter block(launch, position);
    if (failed(block.run()))
      note(turn, describeBlock(launch, position), *block.getFailure());
  }
}

llvm::Error BlockRunner::run(unsigned workers) {
  if (workers == 0)
    workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (int64_t i = 1; i < std::min<int64_t>(workers, count); ++i)
    others.emplace_back([this] { runBlocks(); });
  runBlocks();
  for (std::thread &other : others)
    other.join();
  if (failure)
    return llvm::make_error<InterpreterError>(failure->location, failure->text);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<int64_t>>
tilec::evaluateGrid(tile::KernelOp kernel,
                    const InterpreterArguments &arguments) {
  Launch launch;
  if (llvm::Error error = setUpLaunch(kernel, arguments, launch))
    return error;
  return launch.grid;
}

llvm::Expected<InterpreterReport>
tilec::interpretKernel(tile::KernelOp kernel,
                       const InterpreterArguments &arguments,
                       const InterpreterOptions &options) {
  Launch launch;
  if (llvm::Error error = setUpLaunch(kernel, arguments, launch))
    return error;
  int64_t blocks = llvm::product_of(launch.grid);
  if (options.blocks)
    for (int64_t number : *options.blocks)
      if (number < 0 || number >= blocks)
        return llvm::make_error<InterpreterError>(
            kernel.getLoc(), "block " + std::to_string(number) +
                                 " of a grid of " + std::to_string(blocks) +
                                 " blocks");
  int64_t count = options.blocks ? options.blocks->size() : blocks;
  BlockRunner runner(launch, options.blocks ? &*options.blocks : nullptr,
                     count);
  if (llvm::Error error = runner.run(options.workers))
    return error;
  return InterpreterReport{launch.grid, count};
}
