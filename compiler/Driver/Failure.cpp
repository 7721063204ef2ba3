//===- Failure.cpp - What ends a command ----------------------------------===//
#include "compiler/Driver/Failure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

char Failure::ID;

llvm::Error tilec::makeUsageError(const llvm::Twine &message,
                                  const llvm::Twine &help) {
  return llvm::make_error<Failure>(message.str(), help.str(), exitUsage);
}

llvm::Error tilec::makeFailure(const llvm::Twine &message,
                               const llvm::Twine &help) {
  return llvm::make_error<Failure>(message.str(), help.str(), exitFailure);
}

llvm::Error tilec::makeReportedFailure() {
  return llvm::make_error<Failure>("", "", exitFailure);
}

int tilec::reportError(llvm::Error error, llvm::raw_ostream &os) {
  int exitStatus = exitSuccess;
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        exitStatus = std::max(exitStatus, failure.exitStatus);
        if (!failure.message.empty())
          os << "tilec: error: " << failure.message << '\n';
        if (!failure.help.empty())
          os << "help: " << failure.help << '\n';
      },
      [&](const llvm::ErrorInfoBase &other) {
        exitStatus = std::max(exitStatus, exitFailure);
        os << "tilec: error: " << other.message() << '\n';
      });
  return exitStatus;
}

llvm::StringRef tilec::findClosest(llvm::StringRef word,
                                   llvm::ArrayRef<llvm::StringRef> choices) {
  // A third of the letters may be wrong; more than that is another word, and so
  // is another letter.
  unsigned limit = word.size() < 2 ? 0 : std::max<unsigned>(1, word.size() / 3);
  llvm::StringRef closest;
  unsigned closestDistance = limit + 1;
  for (llvm::StringRef choice : choices) {
    unsigned distance = word.lower() == choice.lower()
                            ? 0
                            : word.edit_distance(choice, true, limit);
    if (distance < closestDistance) {
      closest = choice;
      closestDistance = distance;
    }
  }
  return closest;
}

std::string tilec::suggestFrom(llvm::StringRef word,
                               llvm::ArrayRef<llvm::StringRef> choices) {
  llvm::StringRef closest = findClosest(word, choices);
  if (!closest.empty())
    return ("did you mean '" + closest + "'?").str();
  if (choices.empty())
    return "";
  return "choose one of " + llvm::join(choices, ", ");
}
