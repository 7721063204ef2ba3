//===- PtxProgram.h - Inline assembly as a program --------------*- C++ -*-===//
//
// The text of an inline assembly call, parsed and bound to the instructions
// that the emulator has.  Such texts are short: a single instruction, or a few
// with a local predicate and perhaps a loop around a wait.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_PTX_PTXPROGRAM_H
#define TILE_COMPILER_EMULATOR_PTX_PTXPROGRAM_H

#include "compiler/Emulator/Instructions/Instruction.h"
#include "compiler/Emulator/Instructions/SpecialRegisters.h"

namespace tilec::emulator {

/// One register or constant of a statement.
struct PtxOperand {
  enum Kind : uint8_t {
    Slot,      ///< operand or local register: a slot of the program's frame
    Immediate, ///< constant
    Special,   ///< special register
    Discard,   ///< "_": a result that nobody wants
  };
  Kind kind = Slot;
  /// "!p"
  bool isNegated = false;
  /// Slot number or special register.
  uint32_t index = 0;
  /// The constant, or what is added to an address.
  uint64_t constant = 0;
};

struct PtxStatement {
  std::string text;
  /// The words of the mnemonic are cut from this string.
  std::string mnemonic;
  std::optional<PtxOperand> guard;
  std::vector<PtxOperand> results;
  std::vector<PtxOperand> arguments;
  /// Statement to go on with, for branches.
  std::optional<uint32_t> target;
  Operation operation;
  /// How many of the first results, and of the first arguments, are slots that
  /// follow one another; the many registers of wgmma are moved at once.
  unsigned resultRun = 0;
  unsigned argumentRun = 0;
};

/// The frame of a program is a row of slots: the operands of the call (results
/// first), the local registers, and room for the operands of one statement.
struct PtxProgram {
  std::vector<PtxStatement> statements;
  const Site *site = nullptr;
  unsigned resultSlots = 0;
  /// First slot of the room for one statement.
  unsigned scratchSlot = 0;
  unsigned frameSlots = 0;
  /// Inputs that share their register with a result, as pairs of slots.
  std::vector<std::pair<unsigned, unsigned>> tiedInputs;
  /// Registers tied through the program may be results of wgmma, which are
  /// there behind it.
  bool waitsForProducts = false;
  /// Results that may be registers of products: floats, where there are any.
  std::vector<unsigned> sumSlots;
};

/// Parses the text of an assembly call with `results` outputs and `inputs`
/// inputs, in LLVM's spelling ($0, $1, ...).  Returns an error in words when
/// the text is beyond this parser or an instruction is not implemented; sites
/// for the statements are made in `sites`, at the location of `site`.
llvm::Expected<std::unique_ptr<PtxProgram>>
buildPtxProgram(llvm::StringRef text, unsigned results, unsigned inputs,
                const Site &site, SiteTable &sites);

/// Parses only.
llvm::Expected<std::unique_ptr<PtxProgram>>
parsePtx(llvm::StringRef text, unsigned results, unsigned inputs);

/// Runs a program for the current thread on its frame.
void runPtxProgram(const PtxProgram &program, Slots frame);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_PTX_PTXPROGRAM_H
