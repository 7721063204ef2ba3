//===- PtxasReport.cpp - What ptxas says about the kernels ----------------===//
//
// The text is a list of lines like
//   ptxas info    : Compiling entry function 'f' for 'sm_90a'
//   ptxas info    : Function properties for f
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 88 registers, used 1 barriers, 16384 bytes smem
// where "Used" belongs to the last "Compiling" and the bytes to the last
// "Function properties", which may be those of another function.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/PtxasReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tilec;

const KernelResources *PtxasReport::find(llvm::StringRef symbol) const {
  auto found = llvm::find_if(
      kernels, [&](const KernelResources &k) { return k.symbol == symbol; });
  return found == kernels.end() ? nullptr : &*found;
}

/// The number in `line` that stands directly before `unit`, or 0.
static unsigned readAmount(llvm::StringRef line, llvm::StringRef unit) {
  llvm::SmallVector<llvm::StringRef> parts;
  line.split(parts, ',');
  for (llvm::StringRef part : parts) {
    unsigned amount = 0;
    part = part.trim();
    part.consume_front("Used ");
    part.consume_front("used ");
    if (!part.consumeInteger(10, amount) && part.trim() == unit)
      return amount;
  }
  return 0;
}

PtxasReport tilec::parsePtxasReport(llvm::StringRef text) {
  PtxasReport report;
  std::string propertiesOf;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.contains("(C75")) {
      report.lostPerformance.push_back(line.str());
      continue;
    }
    if (line.contains("warning") && line.starts_with("ptxas")) {
      report.warnings.push_back(line.str());
      continue;
    }
    llvm::StringRef statement = line;
    if (statement.consume_front("ptxas info"))
      statement = statement.split(':').second.trim();
    if (statement.starts_with("Compiling entry function '")) {
      report.kernels.emplace_back();
      report.kernels.back().symbol =
          statement.split('\'').second.split('\'').first.str();
    } else if (statement.consume_front("Function properties for ")) {
      propertiesOf = statement.trim().str();
    } else if (report.kernels.empty()) {
      continue;
    } else if (statement.contains("bytes stack frame") &&
               propertiesOf == report.kernels.back().symbol) {
      KernelResources &kernel = report.kernels.back();
      kernel.stackBytes = readAmount(statement, "bytes stack frame");
      kernel.spillStoreBytes = readAmount(statement, "bytes spill stores");
      kernel.spillLoadBytes = readAmount(statement, "bytes spill loads");
    } else if (statement.starts_with("Used ")) {
      KernelResources &kernel = report.kernels.back();
      kernel.registers = readAmount(statement, "registers");
      kernel.sharedBytes = readAmount(statement, "bytes smem");
      kernel.barriers = readAmount(statement, "barriers");
    }
  }
  return report;
}
