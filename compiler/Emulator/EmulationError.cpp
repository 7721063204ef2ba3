//===- EmulationError.cpp - What the emulator found wrong -----------------===//
//
// Printing of emulation errors in the style of the compiler's diagnostics.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/EmulationError.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

char EmulationError::ID = 0;

std::string EmulationLocation::str() const {
  if (!isKnown())
    return "<no source location>";
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

llvm::StringRef tilec::nameOf(EmulationErrorKind kind) {
  switch (kind) {
  case EmulationErrorKind::Unsupported:
    return "unsupported";
  case EmulationErrorKind::BadLaunch:
    return "bad launch";
  case EmulationErrorKind::OutOfBounds:
    return "out of bounds";
  case EmulationErrorKind::Misaligned:
    return "misaligned";
  case EmulationErrorKind::ReadOnlyWrite:
    return "read-only write";
  case EmulationErrorKind::UninitialisedRead:
    return "uninitialised read";
  case EmulationErrorKind::InFlightAccess:
    return "in-flight access";
  case EmulationErrorKind::MissingFence:
    return "missing fence";
  case EmulationErrorKind::Race:
    return "race";
  case EmulationErrorKind::Deadlock:
    return "deadlock";
  case EmulationErrorKind::BarrierMisuse:
    return "barrier misuse";
  case EmulationErrorKind::BadDescriptor:
    return "bad descriptor";
  case EmulationErrorKind::DivergentCollective:
    return "divergent collective";
  case EmulationErrorKind::DivisionByZero:
    return "division by zero";
  case EmulationErrorKind::Trap:
    return "trap";
  case EmulationErrorKind::BudgetExceeded:
    return "budget exceeded";
  }
  llvm_unreachable("all kinds are named");
}

static void printLocation(llvm::raw_ostream &os,
                          const EmulationLocation &location) {
  if (!location.isKnown())
    return;
  if (!location.exact)
    os << "near ";
  os << location.str() << ": ";
}

static void printCallers(llvm::raw_ostream &os,
                         const EmulationLocation &location) {
  for (const EmulationLocation &caller : location.callers) {
    os << '\n';
    printLocation(os, caller);
    os << "note: called from here";
  }
}

void EmulationError::log(llvm::raw_ostream &os) const {
  printLocation(os, report.location);
  os << "error: " << report.message;
  if (report.block) {
    os << " (block " << *report.block;
    if (report.thread)
      os << ", thread " << *report.thread;
    os << ')';
  }
  printCallers(os, report.location);
  for (const EmulationReport::Note &note : report.notes) {
    os << '\n';
    printLocation(os, note.location);
    os << "note: " << note.message;
    printCallers(os, note.location);
  }
}

std::error_code EmulationError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error tilec::makeEmulationError(EmulationErrorKind kind,
                                      const llvm::Twine &message,
                                      EmulationLocation location) {
  EmulationReport report;
  report.kind = kind;
  report.message = message.str();
  report.location = std::move(location);
  return llvm::make_error<EmulationError>(std::move(report));
}
