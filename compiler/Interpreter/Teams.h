//===- Teams.h - Turns of teams, and the barriers between them ------------===//
#ifndef TILEC_INTERPRETER_TEAMS_H
#define TILEC_INTERPRETER_TEAMS_H

#include "compiler/Interpreter/BlockInterpreter.h"
#include <condition_variable>
#include <mutex>

namespace tilec {

/// Whose turn it is.  Teams are numbered from 0, which begins.
class TeamTurns {
public:
  explicit TeamTurns(size_t teams) : ended(teams, false) {}

  /// Blocks until it is the turn of `team`.
  void enter(size_t team);
  /// Gives the turn to the next team and blocks until it comes back; false if
  /// every team that is left has been waiting since something last happened.
  bool yield(size_t team);
  /// Ends `team`.
  void leave(size_t team);
  /// What a team waits for may have happened.
  void noteProgress() { waiting = 0; }

private:
  void passOn();

  std::mutex mutex;
  std::condition_variable changed;
  size_t running = 0;
  std::vector<bool> ended;
  /// Turns in a row that ended with waiting.
  size_t waiting = 0;
};

} // namespace tilec

#endif // TILEC_INTERPRETER_TEAMS_H
