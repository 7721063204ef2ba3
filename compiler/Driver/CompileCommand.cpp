//===- CompileCommand.cpp - tilec FILE ------------------------------------===//
#include "compiler/CodeGen/CppHeader.h"
#include "compiler/CodeGen/OutputFile.h"
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Driver/OutputPath.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
namespace path = llvm::sys::path;

static std::string replaceExtension(llvm::StringRef file,
                                    llvm::StringRef extension) {
  llvm::SmallString<128> result(file);
  path::replace_extension(result, extension);
  return std::string(result);
}

/// Where the result goes: -o, else for a cubin the current folder, under the
/// source's name, and for text the standard output.
static std::string getOutputPath(const Invocation &invocation) {
  if (invocation.outputFile)
    return *invocation.outputFile;
  if (invocation.emit != Stage::Cubin)
    return "-";
  return (path::stem(invocation.compile.inputFile) + ".cubin").str();
}

/// The file name of the cubin that a manifest belongs to.
static std::string getCubinName(const Invocation &invocation,
                                llvm::StringRef output) {
  llvm::StringRef name = path::filename(output);
  if (output == "-")
    name = path::filename(invocation.compile.inputFile);
  else if (invocation.emit == Stage::Cubin)
    return name.str();
  return replaceExtension(name, "cubin");
}

/// Refuses before the work what could not be written after it.
static llvm::Error checkOutput(const Invocation &invocation,
                               llvm::StringRef output) {
  bool isBinary = invocation.emit == Stage::Cubin;
  if (output == "-")
    return isBinary && llvm::sys::Process::StandardOutIsDisplayed()
               ? makeUsageError("a cubin is binary, and the standard output is "
                                "a terminal",
                                "use -o FILE")
               : llvm::Error::success();
  if (isBinary && path::extension(output) == ".json")
    return makeUsageError("'-o " + output +
                              "' is the name of the cubin's manifest",
                          "write -o " + replaceExtension(output, "cubin"));
  return checkOutputPath(output);
}

static std::string printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}

/// The stage's result as the bytes of a file.
static std::string getResult(Compilation &compilation, Stage stage) {
  switch (stage) {
  case Stage::Ast:
    return compilation.getAst();
  case Stage::Tile:
    return printModule(compilation.getTileModule());
  case Stage::Nvvm:
    return printModule(compilation.getLoweredModule());
  case Stage::LLVM: {
    std::string text;
    llvm::raw_string_ostream os(text);
    compilation.getLLVMModule().print(os, /*AAW=*/nullptr);
    return text;
  }
  case Stage::Ptx:
    return compilation.getPtx();
  case Stage::Cubin:
    return compilation.getCubin().bytes;
  case Stage::Manifest:
    return writeManifest(compilation.getManifest());
  case Stage::CppHeader:
    return writeCppHeader(compilation.getManifest(),
                          compilation.getCubin().bytes,
                          path::stem(compilation.getOptions().inputFile));
  }
  llvm_unreachable("every stage has a result");
}

llvm::Error tilec::runCompileCommand(const Invocation &invocation) {
  std::string output = getOutputPath(invocation);
  if (llvm::Error error = checkOutput(invocation, output))
    return error;

  Compilation compilation(invocation.compile);
  if (llvm::Error error = compileAndReport(compilation, invocation.emit))
    return error;
  if (llvm::Error error = checkLaunchSizes(invocation.compile,
                                           compilation.getManifest().kernels))
    return error;

  // The manifest comes last: where it is, its cubin is.
  compilation.getManifest().module = getCubinName(invocation, output);
  if (llvm::Error error =
          writeFileAtomically(output, getResult(compilation, invocation.emit)))
    return error;
  bool hasManifest = invocation.emit == Stage::Cubin || invocation.withManifest;
  if (!hasManifest || output == "-")
    return llvm::Error::success();
  return writeFileAtomically(replaceExtension(output, "json"),
                             writeManifest(compilation.getManifest()));
}
