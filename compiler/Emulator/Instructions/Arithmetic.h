//===- Arithmetic.h - Scalar arithmetic of both kinds -----------*- C++ -*-===//
//
// PTX names integer and float operations alike ("add.s32", "add.f32"); the
// type decides which family binds them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_ARITHMETIC_H

#include "compiler/Emulator/Instructions/Instruction.h"
#include "compiler/Emulator/Instructions/ScalarTypes.h"

namespace tilec::emulator {

std::optional<Operation> bindFloatArithmetic(const InstructionForm &form);
std::optional<Operation> bindIntegerArithmetic(const InstructionForm &form);

/// The type that the operands have: the overload of an intrinsic, or the last
/// word that is a type.
std::optional<ScalarType> findOperandType(const InstructionForm &form);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
