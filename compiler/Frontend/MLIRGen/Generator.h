//===- Generator.h - Generation of one kernel -----------------------------===//
//
// Walks the checked tree and emits operations.  `var` variables become SSA
// values: `values` holds what each has now; loops and branches carry what
// `findCarried` found.  Inside `parallel`, a fragment that the loop writes
// stands for the one element that the iteration writes.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_MLIRGEN_GENERATOR_H
#define TILEC_FRONTEND_MLIRGEN_GENERATOR_H

#include "compiler/Frontend/Sema/CheckedModule.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tilec {

class Generator {
public:
  Generator(mlir::OpBuilder builder, const llvm::SourceMgr &sources,
            const checked::Kernel &kernel)
      : builder(builder), sources(sources), kernel(kernel) {}

  /// Emits the kernel at the builder's insertion point.
  void run();

private:
  using Variable = checked::Variable;
  using Place = checked::Place;
  using Expr = checked::Expr;

  // GenerateKernel.cpp
  mlir::tile::KernelOp createKernel();
  mlir::DictionaryAttr getArgumentAttrs(const checked::Parameter &parameter);
  mlir::Attribute getLaunchAttr(const checked::LaunchExpr &expr);
  mlir::ArrayAttr getSymbolsAttr();
  mlir::DictionaryAttr getConfigAttr();

  // Types and constants.
  mlir::Location getLocation(SourceRange range);
  mlir::Location getLocation(const Variable &variable);
  mlir::Type getElementType(ElementType element);
  mlir::Type getType(const Type &type);
  mlir::TypedAttr getScalarAttr(const Constant &value, ElementType element);
  mlir::Value createConstant(mlir::Location location, const Constant &value,
                             const Type &type);
  /// A constant of an integer or float type, or a fragment of them.
  mlir::Value createNumber(mlir::Location location, mlir::Type type,
                           int64_t value);
  mlir::Value createZero(mlir::Location location, mlir::Type type) {
    return createNumber(location, type, 0);
  }
  mlir::Value createIndex(mlir::Location location, int64_t value) {
    return createNumber(location, builder.getI64Type(), value);
  }

  // GenerateExpr.cpp
  mlir::Value generate(const Expr &expr);
  mlir::Value generateRead(const checked::ReadExpr &read);
  mlir::Value generateElement(const checked::ElementExpr &element);
  mlir::Value generateUnary(const checked::UnaryExpr &unary);
  mlir::Value generateIf(const checked::IfExpr &branch);
  mlir::Value generateSplat(const checked::SplatExpr &splat);
  mlir::Value generateReindex(const checked::ReindexExpr &reindex);
  mlir::Value generateBlock(const checked::BlockExpr &block);
  /// A value that depends on a condition; each side is evaluated in its branch.
  /// `assigned`: what either side assigns.
  mlir::Value generateLazily(mlir::Location location, mlir::Value condition,
                             mlir::Type type,
                             llvm::ArrayRef<Variable *> assigned,
                             llvm::function_ref<mlir::Value()> thenValue,
                             llvm::function_ref<mlir::Value()> elseValue);

  // GenerateArithmetic.cpp
  /// `isInSum`: a product that is an operand of a sum of the same expression.
  mlir::Value generateBinary(const checked::BinaryExpr &binary,
                             bool isInSum = false);
  mlir::Value generateLogical(const checked::BinaryExpr &binary);
  mlir::Value generateFloat(const checked::BinaryExpr &binary, mlir::Value left,
                            mlir::Value right, bool contracts);
  mlir::Value generateInteger(const checked::BinaryExpr &binary,
                              mlir::Value left, mlir::Value right);
  mlir::Value generateDivision(const checked::BinaryExpr &binary,
                               mlir::Value left, mlir::Value right);
  mlir::Value generateShift(const checked::BinaryExpr &binary, mlir::Value left,
                            mlir::Value right);
  mlir::Value generateComparison(const checked::BinaryExpr &binary,
                                 mlir::Value left, mlir::Value right);
  mlir::Value generateCall(const checked::CallExpr &call);
  mlir::Value generateMath(const checked::CallExpr &call, mlir::Value operand);
  mlir::Value generateCeilDiv(const checked::CallExpr &call, mlir::Value left,
                              mlir::Value right);

  // GenerateConversions.cpp
  mlir::Value generateConvert(const checked::ConvertExpr &convert);
  mlir::Value generateReinterpret(const checked::ReinterpretExpr &reinterpret);
  mlir::Value createCast(mlir::Location location, mlir::Value value,
                         ElementType from, ElementType to, CastMode mode);

  // GenerateMemory.cpp
  /// A place with its offsets evaluated.
  struct Memory {
    mlir::Value root;
    llvm::SmallVector<mlir::Value> indices; // One for each dimension of root.
    llvm::SmallVector<unsigned> kept;       // The dimensions that stay.
    Extents extents;                        // Their extents.
    bool isWhole = false;                   // A whole shared tile.
    /// Where the extents of `root` come from if it is a tensor: numbers, for a
    /// view with bounds, or the parameter that it is.
    llvm::SmallVector<mlir::Value> rootExtents;
    const checked::Parameter *parameter = nullptr;
    unsigned getRank() const { return indices.size(); }
    /// The dimensions that stay are the last ones, so that operations on tiles
    /// apply.
    bool isTrailing() const;
  };
  Memory evaluate(const Place &place, mlir::Location location);
  Memory narrow(const Place &place, Memory memory,
                llvm::ArrayRef<mlir::Value> ends, mlir::Location location);
  /// Extent of a dimension of a tensor or view, an i64.
  mlir::Value getExtent(const Memory &memory, unsigned dim,
                        mlir::Location location);
  /// One index for each dimension of the root.
  llvm::SmallVector<mlir::Value> getIndices(const Memory &memory,
                                            mlir::Location location);
  mlir::Value generateLoad(const checked::LoadExpr &load);
  mlir::Value generateLoadElement(const checked::LoadElementExpr &load);
  mlir::Value loadTile(mlir::Location location, const Memory &memory,
                       mlir::Type elementType, mlir::Value pad);
  void storeTile(mlir::Location location, const Memory &memory,
                 mlir::Value value);
  /// Calls `store` for each element of a fragment, in a loop over them.
  void
  storeElements(mlir::Location location, const Memory &memory,
                mlir::Value value,
                llvm::function_ref<void(mlir::Value, mlir::ValueRange)> store);
  void generateCopy(const checked::CopyStmt &copy);
  void generateGemm(const checked::GemmStmt &gemm);
  /// A value, or a shared tile as it lies there.
  mlir::Value generateTileOperand(const Expr &operand);

  // GenerateTileOps.cpp
  mlir::Value generateReduce(const checked::ReduceExpr &reduce);
  mlir::Value generateScan(const checked::ScanExpr &scan);
  mlir::Value generateReshape(const checked::ReshapeExpr &reshape);
  mlir::Value generateIota(const checked::IotaExpr &iota);
  mlir::Value generatePart(const checked::PartExpr &part);
  mlir::Value generateDequant(const checked::DequantExpr &dequant);
  void generateGemmScaled(const checked::GemmStmt &gemm);
  mlir::Value generateAtomic(const checked::AtomicExpr &atomic);
  void generateAtomicTile(const checked::AtomicTileStmt &atomic);
  void generatePrint(const checked::PrintStmt &print);

  // GenerateExpert.cpp
  /// A sub-tile that can be named by itself.
  bool isSliceable(const Memory &memory);
  /// A sub-tile that lies as a tile of its own would, whatever the swizzle.
  bool isTileOfRing(const Memory &memory);
  /// A shared tile or sub-tile as a value.
  mlir::Value getSharedTile(mlir::Location location, const Memory &memory);
  Memory makeTrailing(mlir::Location location, Memory memory);
  Memory evaluateElement(const Place &place, mlir::Location location);
  void generateExpert(const checked::Stmt &stmt);
  void generateAsyncCopy(const checked::AsyncCopyStmt &copy);
  void generateAsyncElements(const checked::AsyncCopyElementsStmt &copy);
  void generateTmaCopy(const checked::TmaCopyStmt &copy);
  void generateAllocBarrier(const checked::AllocBarrierStmt &alloc);
  void generateBarrier(const checked::BarrierStmt &stmt);
  /// The barriers and the index, null for a single one.
  std::pair<mlir::Value, mlir::Value>
  generateBarrierPlace(const checked::BarrierPlace &place);
  /// What `annotate` says of a shared tile; null for nothing.
  mlir::tile::SharedLayoutAttr getAnnotation(const Variable &variable);
  /// A new value of a variable, in the layout that `annotate` gives it.
  mlir::Value annotate(const Variable &variable, mlir::Value value);
  mlir::DictionaryAttr getDecisionsAttr();

  // GenerateControlFlow.cpp
  void generatePersistent(const checked::PersistentStmt &loop);
  void generateWarpgroup(const checked::WarpgroupStmt &stmt);
  /// Variables from outside that functions called in these expressions assign,
  /// by way of `inout`.
  llvm::SmallVector<Variable *> getAssigned(llvm::ArrayRef<const Expr *> exprs);

  // GenerateStmt.cpp
  void generate(const checked::StmtList &list);
  void generate(const checked::Stmt &stmt);
  void generateAlloc(const checked::AllocSharedStmt &alloc);
  void generateIf(const checked::IfStmt &branch);
  void generateLoop(const checked::LoopStmt &loop);
  void generateWhile(const checked::WhileStmt &loop);
  void generateParallel(const checked::ParallelStmt &loop);
  mlir::ArrayAttr getWriteMaps(const checked::ParallelStmt &loop);
  /// What a variable has now; zeros where the program has written nothing.
  mlir::Value getValue(Variable *variable);
  llvm::SmallVector<mlir::Value>
  getValues(llvm::ArrayRef<Variable *> variables);
  void setValues(llvm::ArrayRef<Variable *> variables,
                 mlir::ValueRange newValues);
  /// The type a variable's value has here: an element's, for a fragment that
  /// the enclosing `parallel` loop writes.
  mlir::Type getValueType(Variable *variable);
  /// An element loop that computes a fragment of this type.
  mlir::Value createElementLoop(
      mlir::Location location, mlir::RankedTensorType type,
      llvm::function_ref<mlir::Value(mlir::ValueRange)> getElement);

  mlir::OpBuilder builder;
  const llvm::SourceMgr &sources;
  const checked::Kernel &kernel;

  llvm::DenseMap<const Variable *, mlir::Value> values;
  llvm::DenseMap<const Variable *, Memory> memories;
  /// The enclosing `parallel` loop, and what its fragments were before it.
  const checked::ParallelStmt *parallel = nullptr;
  llvm::DenseMap<const Variable *, mlir::Value> initialFragments;
  llvm::DenseMap<const Variable *, mlir::Value> initialElements;
  mlir::Block *parallelBody = nullptr;
};

} // namespace tilec

#endif // TILEC_FRONTEND_MLIRGEN_GENERATOR_H
