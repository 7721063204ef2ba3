//===- Version.cpp - Name and version of the compiler ---------------------===//
//
// The number is that of the CMake project.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/Version.h"

std::string tilec::getCompilerName() { return "tilec " TILE_VERSION; }
