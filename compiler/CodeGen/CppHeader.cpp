//===- CppHeader.cpp - Kernels as one C++ header --------------------------===//
//
// The header holds
//   namespace NAME {
//   namespace detail { the cubin's bytes, the manifest's text }
//   inline const tilert::Module &module();          // loaded at the first use
//   inline tilert::Tensor KERNEL_prepack_B(...);    // of prepacked tensors
//   inline void KERNEL(tilert_stream, const tilert::Tensor &A, float scale);
//   }
// Loading is thread-safe, being the initialisation of a local static.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/CppHeader.h"
#include "compiler/CodeGen/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

/// C++17's keywords that an identifier of the language may be, and the names
/// that the generated functions use themselves.
static bool isTaken(llvm::StringRef name) {
  static constexpr llvm::StringLiteral taken[] = {"alignas",
                                                  "alignof",
                                                  "and",
                                                  "and_eq",
                                                  "asm",
                                                  "auto",
                                                  "bitand",
                                                  "bitor",
                                                  "bool",
                                                  "case",
                                                  "catch",
                                                  "char",
                                                  "char16_t",
                                                  "char32_t",
                                                  "class",
                                                  "compl",
                                                  "constexpr",
                                                  "const_cast",
                                                  "decltype",
                                                  "default",
                                                  "delete",
                                                  "do",
                                                  "double",
                                                  "dynamic_cast",
                                                  "enum",
                                                  "explicit",
                                                  "export",
                                                  "extern",
                                                  "float",
                                                  "friend",
                                                  "goto",
                                                  "inline",
                                                  "int",
                                                  "long",
                                                  "mutable",
                                                  "namespace",
                                                  "new",
                                                  "noexcept",
                                                  "not",
                                                  "not_eq",
                                                  "nullptr",
                                                  "operator",
                                                  "or",
                                                  "or_eq",
                                                  "private",
                                                  "protected",
                                                  "public",
                                                  "register",
                                                  "reinterpret_cast",
                                                  "short",
                                                  "signed",
                                                  "sizeof",
                                                  "static",
                                                  "static_assert",
                                                  "static_cast",
                                                  "struct",
                                                  "switch",
                                                  "template",
                                                  "this",
                                                  "thread_local",
                                                  "throw",
                                                  "try",
                                                  "typedef",
                                                  "typeid",
                                                  "typename",
                                                  "union",
                                                  "unsigned",
                                                  "using",
                                                  "virtual",
                                                  "void",
                                                  "volatile",
                                                  "wchar_t",
                                                  "xor",
                                                  "xor_eq",
                                                  "stream",
                                                  "module",
                                                  "detail",
                                                  "tilert",
                                                  "int8_t",
                                                  "int64_t"};
  return llvm::is_contained(taken, name);
}

/// `name` as a C++ identifier.
static std::string makeIdentifier(llvm::StringRef name) {
  std::string identifier;
  for (char letter : name)
    identifier += llvm::isAlnum(letter) || letter == '_' ? letter : '_';
  if (identifier.empty() || llvm::isDigit(identifier.front()))
    identifier.insert(0, "_");
  if (isTaken(identifier))
    identifier += "_";
  return identifier;
}

namespace {
/// The functions of a header: kernels have the names of the source, and what
/// serves them gives way.
class FunctionNames {
public:
  /// `wanted`, with so many underscores that it and what it is with each of the
  /// endings are new.
  std::string claim(std::string wanted,
                    llvm::ArrayRef<llvm::StringRef> endings = {""}) {
    auto isKnown = [&](llvm::StringRef ending) {
      return known.contains(wanted + ending.str());
    };
    while (llvm::any_of(endings, isKnown))
      wanted += "_";
    for (llvm::StringRef ending : endings)
      known.insert(wanted + ending.str());
    return wanted;
  }

private:
  llvm::StringSet<> known;
};
} // namespace

/// The C++ type of a scalar parameter; tilert::Scalar, which holds bits, for
/// the types that C++17 does not have.
static llvm::StringRef getScalarType(llvm::StringRef dtype) {
  return llvm::StringSwitch<llvm::StringRef>(dtype)
      .Case("bool", "bool")
      .Case("int8", "std::int8_t")
      .Case("uint8", "std::uint8_t")
      .Case("int16", "std::int16_t")
      .Case("uint16", "std::uint16_t")
      .Case("int32", "std::int32_t")
      .Case("uint32", "std::uint32_t")
      .Case("int64", "std::int64_t")
      .Case("uint64", "std::uint64_t")
      .Case("f32", "float")
      .Case("f64", "double")
      .Default("const tilert::Scalar &");
}

/// "bf16[M, K]", for the comment of a function.
static std::string describe(const ManifestParameter &parameter) {
  std::string text = parameter.name + ": ";
  if (parameter.access == "out" || parameter.access == "inout")
    text += parameter.access + " ";
  text += parameter.dtype;
  if (!parameter.isTensor)
    return text;
  llvm::SmallVector<std::string> dims;
  for (const ManifestExpr &dim : parameter.dims)
    dims.push_back(dim.is_string() ? dim.get<std::string>() : dim.dump());
  text += "[" + llvm::join(dims, ", ") + "]";
  if (parameter.pack)
    text += " pack(" + std::to_string(*parameter.pack) + ")";
  if (parameter.packing)
    text += " prepack";
  return text;
}

/// A function that hands its arguments on to `method` of the kernel.
static void writeCall(llvm::raw_ostream &os, const ManifestKernel &kernel,
                      llvm::StringRef function, llvm::StringRef method) {
  os << "inline void " << function << "(tilert_stream stream";
  for (const ManifestParameter &parameter : kernel.parameters) {
    llvm::StringRef type = parameter.isTensor ? "const tilert::Tensor &"
                                              : getScalarType(parameter.dtype);
    os << ", " << type << (type.ends_with("&") ? "" : " ")
       << makeIdentifier(parameter.name);
  }
  os << ") {\n"
     << "  static const tilert::Kernel kernel = module().kernel(\""
     << kernel.name << "\");\n"
     << "  kernel." << method << "(stream";
  for (const ManifestParameter &parameter : kernel.parameters)
    os << ", " << makeIdentifier(parameter.name);
  os << ");\n}\n\n";
}

/// "M <= 16, M <= 64"; empty if all sizes run the same.
static std::string listSizeClasses(const ManifestKernel &kernel) {
  std::string text;
  std::optional<ManifestSizeClass> last;
  for (const ManifestVariant &variant : kernel.variants) {
    if (variant.sizeClass && variant.sizeClass != last)
      text += (text.empty() ? "" : ", ") + variant.sizeClass->symbol +
              " <= " + std::to_string(variant.sizeClass->most);
    last = variant.sizeClass;
  }
  return text;
}

static void writeFunction(llvm::raw_ostream &os, const ManifestKernel &kernel,
                          llvm::StringRef function, FunctionNames &names) {
  auto hasWorkspace = [](const ManifestVariant &variant) {
    return !variant.workspace.is_null();
  };
  if (llvm::any_of(kernel.variants, hasWorkspace)) {
    os << "/// Makes the device memory that `" << kernel.name
       << "` needs for such arguments ahead, once for\n/// each stream.\n";
    writeCall(os, kernel, names.claim(function.str() + "_reserve"), "reserve");
  }
  os << "/// Launches `" << kernel.name << "` on a CUstream or cudaStream_t.\n";
  for (const ManifestParameter &parameter : kernel.parameters)
    os << "///   " << describe(parameter) << "\n";
  for (const ManifestFact &check : kernel.checks)
    os << "/// Needs " << check.text << ".\n";
  if (std::string sizes = listSizeClasses(kernel); !sizes.empty())
    os << "/// Has code of its own for " << sizes << ".\n";
  os << "/// Throws tilert::Error; nothing was launched then.\n";
  writeCall(os, kernel, function, "launch");
}

/// What brings a plain tensor into the order that a parameter takes.
static void writePackers(llvm::raw_ostream &os, const ManifestKernel &kernel,
                         const ManifestParameter &parameter,
                         llvm::StringRef stem) {
  std::string call = "  static const tilert::Kernel kernel = "
                     "module().kernel(\"" +
                     kernel.name + "\");\n  return kernel.";
  std::string name = "\"" + parameter.name + "\"";
  os << "/// Bytes of memory for packed `" << parameter.name << "` of `"
     << kernel.name << "`.\n"
     << "inline std::size_t " << stem
     << "_size(const tilert::Tensor &plain) {\n"
     << call << "prepackSize(" << name << ", plain);\n}\n\n"
     << "/// Packs on the device of a stream; gives the argument for `"
     << parameter.name << "`.\n"
     << "inline tilert::Tensor " << stem
     << "(tilert_stream stream, const tilert::Tensor &plain, void *packed) {\n"
     << call << "prepack(" << name << ", plain, packed, stream);\n}\n\n"
     << "/// Packs in host memory.\n"
     << "inline tilert::Tensor " << stem
     << "_host(const tilert::Tensor &plain, void *packed) {\n"
     << call << "prepackOnHost(" << name << ", plain, packed);\n}\n\n";
}

/// Numbers compile faster than one long string literal, and have no limit on
/// their count.
static void writeBytes(llvm::raw_ostream &os, llvm::StringRef bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    os << static_cast<unsigned>(static_cast<unsigned char>(bytes[i])) << ",";
    if (i % 24 == 23)
      os << "\n";
  }
}

std::string tilec::writeCppHeader(const ManifestModel &model,
                                  llvm::StringRef cubin, llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string space = makeIdentifier(name);
  std::string guard = "TILE_KERNELS_" + llvm::StringRef(space).upper() + "_HPP";
  os << "// Kernels for " << model.target << ", written by "
     << getCompilerName() << ".  Needs C++17 and libtilert.\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"tilert/tilert.hpp\"\n\n#include <cstddef>\n#include "
        "<cstdint>\n\n"
     << "namespace " << space << " {\nnamespace detail {\n\n"
     << "inline constexpr unsigned char cubin[] = {\n";
  writeBytes(os, cubin);
  os << "};\n\ninline constexpr unsigned char manifest[] = {\n";
  writeBytes(os, writeManifest(model));
  os << "};\n\n} // namespace detail\n\n"
     << "/// The kernels of this header, loaded when first asked for.\n"
     << "inline const tilert::Module &module() {\n"
     << "  static const tilert::Module loaded(\n"
     << "      std::string(reinterpret_cast<const char *>(detail::manifest),\n"
     << "                  sizeof detail::manifest),\n"
     << "      detail::cubin, sizeof detail::cubin);\n"
     << "  return loaded;\n}\n\n";
  FunctionNames names;
  llvm::SmallVector<std::string> functions;
  for (const ManifestKernel &kernel : model.kernels)
    functions.push_back(names.claim(makeIdentifier(kernel.name)));
  for (auto [kernel, function] : llvm::zip_equal(model.kernels, functions)) {
    for (const ManifestParameter &parameter : kernel.parameters)
      if (parameter.packing)
        writePackers(os, kernel, parameter,
                     names.claim(function + "_prepack_" + parameter.name,
                                 {"", "_size", "_host"}));
    writeFunction(os, kernel, function, names);
  }
  os << "} // namespace " << space << "\n\n#endif // " << guard << "\n";
  return text;
}
