//===- Version.h - Name and version of the compiler -----------------------===//
#ifndef TILE_COMPILER_CODEGEN_VERSION_H
#define TILE_COMPILER_CODEGEN_VERSION_H

#include <string>

namespace tilec {

/// "tilec 0.1.0"
std::string getCompilerName();

} // namespace tilec

#endif // TILE_COMPILER_CODEGEN_VERSION_H
