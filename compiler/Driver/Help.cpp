//===- Help.cpp - The help pages ------------------------------------------===//
#include "compiler/Driver/Help.h"

#include "compiler/Driver/OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

static constexpr unsigned pageWidth = 80;

/// Prints `text` broken between words, each line after the first indented.
static void printWrapped(llvm::raw_ostream &os, StringRef text, unsigned indent,
                         unsigned column) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  bool isLineStart = true;
  for (StringRef word : words) {
    if (!isLineStart && column + 1 + word.size() > pageWidth) {
      os << '\n';
      os.indent(indent);
      column = indent;
      isLineStart = true;
    }
    if (!isLineStart) {
      os << ' ';
      ++column;
    }
    os << word;
    column += word.size();
    isLineStart = false;
  }
  os << '\n';
}

static void printOption(llvm::raw_ostream &os, StringRef head, StringRef help) {
  constexpr unsigned helpColumn = 24;
  os << "  " << head;
  unsigned column = 2 + head.size();
  if (column + 2 > helpColumn) {
    os << '\n';
    column = 0;
  }
  os.indent(helpColumn - column);
  printWrapped(os, help, helpColumn, helpColumn);
}

static std::string getOptionHead(const OptionSpec &option) {
  std::string head = option.name.str();
  switch (option.valueKind) {
  case ValueKind::None:
    break;
  case ValueKind::Optional:
    head += ("[=" + option.valueName + "]").str();
    break;
  case ValueKind::Required:
    // NAME=VALUE reads better after a space than after another '='.
    head +=
        option.valueName.contains('=') || option.name.size() == 2 ? " " : "=";
    head += option.valueName.str();
    break;
  }
  return head;
}

namespace {
/// The fixed parts of a command's page.
struct Page {
  StringRef usage;
  StringRef text;
  llvm::ArrayRef<StringRef> examples;
};
} // namespace

static Page getPage(Command command) {
  static constexpr StringRef compileExamples[] = {
      "tilec gemm.tile -o gemm.cubin --target=sm_90a -D BM=128",
      "tilec gemm.tile --emit=ptx -o -",
  };
  static constexpr StringRef checkExamples[] = {
      "tilec check gemm.tile --target=sm_80",
  };
  static constexpr StringRef runExamples[] = {
      "tilec run gemm.tile --size M=256 --size N=256 --size K=512 --check",
      "tilec run gemm.tile --in A=a.npy --in B=b.npy --out C=c.npy",
      "tilec run gemm.tile -D M=8192 -D N=8192 -D K=8192 --device=cuda --bench",
  };
  static constexpr StringRef reportExamples[] = {
      "tilec report gemm.tile --target=sm_90a -D STAGES=3",
  };
  static constexpr StringRef tuneExamples[] = {
      "tilec tune gemm.tile -D M=8192 -D N=8192 -D K=8192",
      "tilec tune gemm.tile --size M=16 -D N=8192 -D K=8192 --set warps=1x4",
      "tilec tune gemm.tile -D M=8192 --compile-only=candidates",
      "tilec tune gemm.tile --from=candidates",
  };
  switch (command) {
  case Command::Compile:
    return {"tilec FILE [options]",
            "Compiles the kernels of a .tile file (or of a .mlir file in the "
            "tile dialect) to a cubin, the code that an NVIDIA GPU loads, and "
            "a manifest, the JSON file that tells the runtime how to launch "
            "it. --emit stops earlier and shows any stage on the way.",
            compileExamples};
  case Command::Check:
    return {"tilec check FILE [options]",
            "Reads a file as the compiler would, down to the decisions that "
            "depend on the target, and prints what is wrong with it. Nothing "
            "is written. The exit status is 1 if there are errors.",
            checkExamples};
  case Command::Run:
    return {
        "tilec run FILE [options]",
        "Compiles a kernel and launches it once on arrays from NumPy files "
        "or on random data. The arguments are checked as in any launch, "
        "whatever the device, and the output says which variant of the "
        "kernel ran and why others did not. Random floats are uniform in "
        "[-1, 1), rounded to their type; 4-bit floats and integers of up to "
        "8 bits take all their values, wider integers -128 to 127 or 0 to "
        "255; e8m0 scales are 1/4 to 4. Each output is filled with 0xFF "
        "bytes before the run, so that what the kernel does not write "
        "shows. Without a GPU, 'persistent' fills as many multiprocessors as "
        "a typical device of the target has: 132 for sm_90a.",
        runExamples};
  case Command::Report:
    return {"tilec report FILE [options]",
            "Compiles the kernels and prints what was decided for each: matrix "
            "instructions, layouts, stages, how each copy moves its bytes, "
            "shared memory by buffer, registers and spills, variants and what "
            "they assume, and remarks on what could not be done.",
            reportExamples};
  case Command::Tune:
    return {
        "tilec tune FILE [options]",
        "Finds the fastest way to compile a kernel for the sizes that -D and "
        "--size give, and writes it into a file beside the source, which "
        "later compilations read. It tries the values of each config constant "
        "that has a set (BM = 128 in {64, 128}) and the answers to decisions "
        "that --set overrides; what -D and --set give stays as it is. "
        "Candidates are compiled in parallel and run in child processes, so "
        "that one that fails or hangs costs no other; their results are "
        "compared with the interpreter's before they count. "
        "docs/tuning.md tells how times are measured.",
        tuneExamples};
  case Command::Help:
  case Command::Version:
    break;
  }
  llvm_unreachable("a command without a page of its own");
}

void tilec::printCommandHelp(llvm::raw_ostream &os, Command command) {
  Page page = getPage(command);
  os << "usage: " << page.usage << "\n\n";
  printWrapped(os, page.text, 0, 0);
  os << "\noptions:\n";
  for (const OptionSpec &option : getOptions())
    if (option.belongsTo(command) && !option.help.empty())
      printOption(os, getOptionHead(option), option.help);
  if (command == Command::Compile)
    printOption(os, "--version", "Print the version of tilec and of LLVM.");
  printOption(os, "--help", "Print this page.");
  if (page.examples.empty())
    return;
  os << "\nexamples:\n";
  for (StringRef example : page.examples)
    os << "  " << example << '\n';
}

void tilec::printGeneralHelp(llvm::raw_ostream &os) {
  printWrapped(os,
               "tilec compiles kernels over tiles of low-precision tensors, "
               "written in .tile files, to NVIDIA cubins, and runs them on a "
               "GPU or on the CPU.",
               0, 0);
  os << "\ncommands:\n";
  printOption(os, "tilec FILE", "Compile a file to a cubin and its manifest.");
  printOption(os, "tilec check FILE", "Print what is wrong with a file.");
  printOption(os, "tilec run FILE", "Run a kernel on given or random data.");
  printOption(os, "tilec report FILE", "Show what the compiler decided.");
  printOption(os, "tilec tune FILE",
              "Find the fastest way to compile a kernel.");
  printOption(os, "tilec help COMMAND",
              "Explain a command and its options ('tilec help compile' for "
              "the first); the same as 'tilec COMMAND --help'.");
  printOption(os, "tilec --version", "Print the version of tilec and of LLVM.");
  os << "\nThe exit status is 0 for success, 1 if the source or the run has "
        "errors, and 2\nif the command line was not understood.\n";
}
