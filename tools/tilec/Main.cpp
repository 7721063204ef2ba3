//===- Main.cpp - The compiler of the tile language -----------------------===//
//
// All of it is in compiler/Driver.
//
//===----------------------------------------------------------------------===//
#include "compiler/Driver/Driver.h"

int main(int argc, char **argv) {
  return tilec::runDriver(llvm::ArrayRef<const char *>(argv, argc));
}
