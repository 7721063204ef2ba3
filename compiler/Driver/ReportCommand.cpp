//===- ReportCommand.cpp - tilec report -----------------------------------===//
//
// For each kernel: what holds for all its variants, then each variant with what
// it assumes and costs.  Remarks come last, as diagnostics.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/KernelManifest.h"
#include "compiler/Driver/Commands.h"
#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Report/AccessTables.h"
#include "compiler/Driver/Report/ChoiceTable.h"
#include "compiler/Driver/Report/KernelTables.h"
#include "compiler/Driver/Report/LayoutDrawing.h"
#include "compiler/Driver/Report/Traffic.h"
#include "compiler/Driver/Report/Words.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;
using mlir::tile::KernelOp;

namespace {

class ReportPrinter {
public:
  ReportPrinter(llvm::raw_ostream &os, Compilation &compilation)
      : os(os), compilation(compilation) {}

  void printKernel(const ManifestKernel &kernel);

private:
  void printVariant(const ManifestVariant &variant);
  void printLayouts(KernelOp kernel);
  void printChoices(const ManifestKernel &kernel,
                    llvm::ArrayRef<ManifestVariant> variants);
  void printClass(const ManifestKernel &kernel,
                  llvm::ArrayRef<ManifestVariant> variants);
  void printTable(const llvm::Twine &title, const TextTable &table);
  /// The function of that symbol as a pass left it; null if there is none.
  KernelOp find(StringRef pass, StringRef symbol) const;
  /// That of a kernel, for a class of sizes.
  KernelOp findSource(StringRef pass, StringRef name,
                      const std::optional<ManifestSizeClass> &sizeClass) const;
  /// What the tune file says of a kernel; null if nothing.
  const TunedKernel *findTuned(StringRef kernel) const;

  llvm::raw_ostream &os;
  Compilation &compilation;
};

} // namespace

static KernelOp findIn(llvm::ArrayRef<PassSnapshot> snapshots, StringRef pass,
                       llvm::function_ref<bool(KernelOp)> isWanted) {
  for (const PassSnapshot &snapshot : llvm::reverse(snapshots)) {
    if (snapshot.pass != pass)
      continue;
    for (KernelOp kernel :
         mlir::ModuleOp(snapshot.module.get()).getOps<KernelOp>())
      if (isWanted(kernel))
        return kernel;
  }
  return {};
}

KernelOp ReportPrinter::find(StringRef pass, StringRef symbol) const {
  return findIn(compilation.getSnapshots(), pass,
                [&](KernelOp kernel) { return kernel.getSymName() == symbol; });
}

KernelOp ReportPrinter::findSource(
    StringRef pass, StringRef name,
    const std::optional<ManifestSizeClass> &sizeClass) const {
  return findIn(compilation.getSnapshots(), pass, [&](KernelOp kernel) {
    return kernel.getSourceName() == name &&
           describeSizeClass(kernel) == sizeClass;
  });
}

const TunedKernel *ReportPrinter::findTuned(StringRef kernel) const {
  for (const TunedKernel &tuned : compilation.getTunedKernels())
    if (tuned.kernel == kernel)
      return &tuned;
  return nullptr;
}

void ReportPrinter::printTable(const llvm::Twine &title,
                               const TextTable &table) {
  if (table.isEmpty())
    return;
  os << '\n' << title << '\n';
  table.print(os, 2);
}

void ReportPrinter::printVariant(const ManifestVariant &variant) {
  os << "\nvariant " << variant.name << ": " << variant.threads << " threads, "
     << formatCount(variant.sharedBytes) << " bytes of shared memory";
  if (variant.registers) {
    os << ", " << *variant.registers << " registers a thread, ";
    if (variant.spillBytes.value_or(0) == 0)
      os << "no spills";
    else
      os << formatCount(*variant.spillBytes) << " bytes a thread spilled";
  }
  os << '\n';
  if (variant.guards.empty())
    os << "  runs with any arguments\n";
  for (const ManifestFact &guard : variant.guards)
    os << "  runs if " << guard.text << '\n';
  if (KernelOp kernel = find("insert-barriers", variant.symbol))
    os << "  " << countBarriers(kernel) << " barriers in its text\n";
  if (KernelOp kernel = find("lower-copies", variant.symbol))
    printTable("copies of " + variant.name, makeCopyTable(kernel));
  if (KernelOp kernel = find("allocate-shared", variant.symbol))
    printTable("shared memory of " + variant.name, makeBufferTable(kernel));
  if (KernelOp kernel = find("insert-barriers", variant.symbol)) {
    printTable("shared accesses of " + variant.name,
               makeSharedAccessTable(kernel));
    printTable("fragments and tensors of " + variant.name,
               makeGlobalAccessTable(kernel));
  }
}

/// Draws each layout once.
void ReportPrinter::printLayouts(KernelOp kernel) {
  llvm::DenseSet<mlir::Attribute> drawn;
  kernel->walk([&](mlir::tile::GemmOp gemm) {
    auto type = mlir::cast<mlir::RankedTensorType>(gemm.getResult().getType());
    auto layout =
        mlir::dyn_cast_or_null<mlir::tile::LayoutAttr>(type.getEncoding());
    if (layout && drawn.insert(layout).second)
      printTable("lane.register of " + spellTile(type) + ", line " +
                     nameLine(gemm),
                 drawFragment(layout.getLayout()));
  });
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (mlir::DictionaryAttr packing = kernel.getArgPacking(i))
      printTable(
          "positions in a tile of " + kernel.getArgName(i).str(),
          drawPackedOrder(
              packing.getAs<mlir::tile::PackedOrderAttr>("order").getOrder()));
  llvm::StringSet<> seen;
  kernel->walk([&](mlir::tile::AllocSharedOp alloc) {
    layout::SharedLayout storage = alloc.getType().getStorage();
    if (findUnpacked(alloc))
      return;
    if (seen.insert(nameMemory(alloc)).second)
      printTable("bank of each 16 bytes of " + nameMemory(alloc) + ", line " +
                     nameLine(alloc),
                 drawBanks(storage));
  });
}

void ReportPrinter::printChoices(const ManifestKernel &kernel,
                                 llvm::ArrayRef<ManifestVariant> variants) {
  llvm::SmallVector<KernelOp> lowered;
  for (const ManifestVariant &variant : variants)
    if (KernelOp op = find("insert-barriers", variant.symbol))
      lowered.push_back(op);
  const TunedKernel *tuned = findTuned(kernel.name);
  std::vector<NamedText> settings;
  const std::optional<ManifestSizeClass> &own = variants.front().sizeClass;
  for (const TunedClass &one :
       tuned ? tuned->classes : std::vector<TunedClass>())
    if (own ? one.most && one.most->value == own->most : !one.most)
      settings = one.settings;
  printTable("decisions",
             makeChoiceTable(lowered, settings,
                             tuned && tuned->isFitted ? "fitted by the model"
                                                      : "from the tune file"));
}

/// "BM = 128, BN = 64"
static std::string describeConfig(const nlohmann::ordered_json &config) {
  std::string text;
  for (const auto &[name, value] : config.items())
    text += (text.empty() ? "" : ", ") + name + " = " +
            (value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

/// What each of several sizes costs by the model: in its class, and compiled
/// for it alone.
static TextTable makeFittedSizeTable(const TunedKernel &tuned) {
  TextTable table(
      {tuned.sizeName, "class ", "microseconds", "alone", "the default"});
  auto format = [](double time) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.1f", time);
    return time == 0 ? "-" : text;
  };
  for (const FittedSize &size : tuned.sizes) {
    const TunedClass &own = tuned.classes[size.sizeClass];
    table.addRow({std::to_string(size.value),
                  own.most ? "<= " + std::to_string(own.most->value) : "else",
                  format(size.estimate), format(size.alone),
                  format(size.before)});
  }
  return table;
}

/// The variants of a kernel that are meant for the same sizes.
void ReportPrinter::printClass(const ManifestKernel &kernel,
                               llvm::ArrayRef<ManifestVariant> variants) {
  const std::optional<ManifestSizeClass> &own = variants.front().sizeClass;
  if (variants.size() != kernel.variants.size()) {
    os << "\nfor "
       << (own ? own->symbol + " <= " + std::to_string(own->most)
               : "all other sizes")
       << '\n';
    const auto &config = variants.front().config;
    os << "  " << describeConfig(config.is_null() ? kernel.config : config)
       << '\n';
  }
  printChoices(kernel, variants);
  if (KernelOp op = findSource("select-mma", kernel.name, own)) {
    printTable("matrix products", makeProductTable(op));
    printTable("costs of the products, one execution", makeCandidateTable(op));
  }
  if (KernelOp op = findSource("infer-layouts", kernel.name, own)) {
    printTable("shared tiles", makeSharedLayoutTable(op));
    printTable("packed tensors", makePackedTensorTable(op));
    printTable("fragments", makeFragmentTable(op));
    printLayouts(op);
    printTable("tensors, for each block", makeTrafficTable(op));
    std::string floor =
        describeBandwidthFloor(op, compilation.getTarget().name);
    if (!floor.empty())
      os << "  " << floor << '\n';
  }
  for (const ManifestVariant &variant : variants)
    printVariant(variant);
}

void ReportPrinter::printKernel(const ManifestKernel &kernel) {
  os << "kernel " << kernel.name << " for " << compilation.getTarget().name
     << '\n';
  bool hasClasses = kernel.variants.front().sizeClass.has_value();
  if (!kernel.config.empty() && !hasClasses)
    os << "  " << describeConfig(kernel.config) << '\n';
  const TunedKernel *tuned = findTuned(kernel.name);
  if (tuned && !tuned->summary.empty())
    os << "  tuned: " << tuned->summary << '\n';
  if (tuned)
    printTable("sizes by the model", makeFittedSizeTable(*tuned));
  llvm::ArrayRef<ManifestVariant> rest = kernel.variants;
  while (!rest.empty()) {
    llvm::ArrayRef<ManifestVariant> own =
        rest.take_while([&](const ManifestVariant &variant) {
          return variant.sizeClass == rest.front().sizeClass;
        });
    printClass(kernel, own);
    rest = rest.drop_front(own.size());
  }
  os << '\n';
}

llvm::Error tilec::runReportCommand(const Invocation &invocation) {
  Compilation compilation(invocation.compile);
  compilation.keepSnapshots();
  // Without ptxas all but registers and spills is known.
  llvm::Expected<Ptxas> ptxas = findPtxas();
  std::string whyNoPtxas;
  if (!ptxas)
    whyNoPtxas = llvm::toString(ptxas.takeError());
  Stage stage = whyNoPtxas.empty() ? Stage::Cubin : Stage::Ptx;
  if (llvm::Error error = compileAndReport(compilation, stage))
    return error;
  if (llvm::Error error = checkLaunchSizes(invocation.compile,
                                           compilation.getManifest().kernels))
    return error;

  ReportPrinter printer(llvm::outs(), compilation);
  for (const ManifestKernel &kernel : compilation.getManifest().kernels)
    printer.printKernel(kernel);
  if (!whyNoPtxas.empty())
    llvm::outs() << "registers and spills are not known: " << whyNoPtxas
                 << '\n';
  return llvm::Error::success();
}
