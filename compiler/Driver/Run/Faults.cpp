//===- Faults.cpp - What a run finds wrong with a kernel ------------------===//
#include "compiler/Driver/Run/Faults.h"

#include "compiler/Driver/Failure.h"
#include "compiler/Driver/PassDiagnostics.h"
#include "compiler/Emulator/Emulator.h"
#include "compiler/Interpreter/Interpreter.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

llvm::Error tilec::reportFaults(llvm::SourceMgr &sources, llvm::Error error) {
  DiagnosticEngine found;
  llvm::Error rest = llvm::handleErrors(
      std::move(error),
      [&](const InterpreterError &error) {
        found.error(findRange(sources, error.getLocation()), error.getText());
      },
      [&](const EmulationError &error) {
        const EmulationReport &report = error.getReport();
        auto find = [&](const EmulationLocation &place) {
          return findRange(sources, place.file, place.line, place.column);
        };
        std::string message = report.message;
        if (report.block)
          message +=
              " (block " + std::to_string(*report.block) +
              (report.thread ? ", thread " + std::to_string(*report.thread)
                             : "") +
              ")";
        Diagnostic &diagnostic = found.error(find(report.location), message);
        for (const EmulationReport::Note &note : report.notes)
          diagnostic.note(find(note.location).Start, note.message);
      });
  if (!found.hasErrors())
    return rest;
  printDiagnostics(llvm::errs(), sources, found);
  return llvm::joinErrors(std::move(rest), makeReportedFailure());
}
