//===- LaunchData.h - What every candidate is launched with -----*- C++ -*-===//
#ifndef TILE_COMPILER_DRIVER_TUNE_LAUNCHDATA_H
#define TILE_COMPILER_DRIVER_TUNE_LAUNCHDATA_H

#include "compiler/Driver/CommandLine.h"
#include "compiler/Driver/RuntimeObjects.h"
#include "compiler/Tune/Bundle.h"

namespace tilec {

class Compilation;

/// Makes the data of a launch as `tilec run` would, interprets the kernel as it
/// is without tuning, and puts arguments, sizes and what the results should be
/// into the bundle and its folder.  `source` has made its tile module.
llvm::Error describeLaunch(const RunOptions &options, Compilation &source,
                           const std::string &folder, tune::Bundle &bundle);

/// The arguments of a bundle for a plan: addresses that nobody may use.  They
/// refer to the bundle.
std::vector<tilert_argument> makePlanArguments(const tune::Bundle &bundle);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_TUNE_LAUNCHDATA_H
