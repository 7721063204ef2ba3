//===- Checker.h - The semantic checker -----------------------------------===//
//
// Checks one kernel, for one set of compile-time constants, and builds its
// checked tree.  The class is one; its functions are split by subject over the
// Check*.cpp files.  Functions that give an expression never give null: after
// an error, which has been reported, they give an InvalidExpr, and whatever
// meets one is silent.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_CHECKER_H
#define TILEC_FRONTEND_SEMA_CHECKER_H

#include "compiler/Frontend/Sema/Sema.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tilec {

/// What a file declares for all its kernels.
struct Program {
  llvm::StringMap<const ast::FunctionDecl *> functions;
  llvm::StringMap<const ast::ConstDecl *> constants;
  /// Values of `constants`, filled in by `Checker::checkConstant`.
  llvm::StringMap<checked::Variable> values;
  /// Constants whose value is being computed.
  llvm::StringSet<> pending;
};

class Checker {
public:
  Checker(Program &program, llvm::ArrayRef<Define> defines,
          llvm::StringSet<> &usedDefines, DiagnosticEngine &diagnostics)
      : program(program), defines(defines), usedDefines(usedDefines),
        diagnostics(diagnostics) {}

  checked::Kernel checkKernel(const ast::KernelDecl &decl);
  /// Checks a function by itself, with parameters of no particular value.
  void checkFunctionAlone(const ast::FunctionDecl &decl);
  /// Value of a file-level constant; null if its name is unknown.
  checked::Variable *checkConstant(llvm::StringRef name);

private:
  using Variable = checked::Variable;
  using Expr = checked::Expr;
  using ExprPtr = checked::ExprPtr;
  using Place = checked::Place;
  using ConversionHelp = llvm::function_ref<std::string()>;

  // CheckKernel.cpp: clauses.
  void checkConfig(const ast::KernelDecl &decl);
  std::optional<Constant> getOverride(const ast::Name &name,
                                      const Constant &value, Type &type);
  void checkChoices(const ast::ConfigConstant &constant,
                    checked::ConfigValue &value);
  const Define *findDefine(llvm::StringRef name);
  ExprPtr evaluateDefine(const Define &define);
  void checkGrid(const ast::KernelDecl &decl);
  void checkThreads(const ast::KernelDecl &decl);

  // CheckParameters.cpp: parameters and symbols.
  void checkParameters(const ast::KernelDecl &decl);
  void checkScalarParameter(const ast::KernelParameter &parameter);
  void checkTensorParameter(const ast::KernelParameter &parameter);
  bool checkPack(const ast::KernelParameter &parameter, Variable *variable,
                 llvm::ArrayRef<const ast::Expr *> dims);
  /// Takes the branch of each compile-time `if` around a dimension.
  const ast::Expr *foldDimension(const ast::Expr *dim);
  void collectSymbols(const ast::Expr *expr, const ast::KernelParameter &user);
  void declareSymbol(const ast::NameExpr *name,
                     const ast::KernelParameter &user);
  void bindSymbols(const ast::KernelDecl &decl);
  void checkFacts(const ast::KernelDecl &decl);
  std::string listValues(const ast::Expr &fact);
  void fixSymbol(Variable *symbol, int64_t value, SourceRange range);
  bool checkDimensionNames(const ast::Expr &dim);
  void finishParameters();
  void reportUnboundSymbol(Variable *symbol);

  // LaunchExpr.cpp: expressions evaluated before a launch.
  std::optional<checked::LaunchExpr> makeLaunchExpr(const Expr &expr,
                                                    llvm::StringRef what);
  /// The same without an error.
  std::optional<checked::LaunchExpr> findLaunchExpr(const Expr &expr);
  /// `culprit` is what cannot be evaluated.
  std::optional<checked::LaunchExpr>
  findLaunchExpr(const Expr &expr, unsigned &budget, const Expr **culprit);
  static constexpr unsigned mostLaunchSteps = 1000;
  /// Remembers what a name stands for before a launch, if it is known.
  void recordLaunchValue(const Variable *variable, const Expr &value);

  // CheckNames.cpp: scopes and names.
  struct Scope {
    explicit Scope(Checker &checker) : checker(checker) {
      checker.scopes.emplace_back();
    }
    ~Scope() { checker.scopes.pop_back(); }
    Checker &checker;
  };
  /// Adds a name to the innermost scope.  Gives the variable even if the name
  /// is taken, which it reports.
  Variable *declare(const ast::Name &name, Variable::Role role, Type type);
  Variable *createVariable(llvm::StringRef name, SourceRange range,
                           Variable::Role role, Type type);
  bool checkNewName(const ast::Name &name);
  Variable *lookup(llvm::StringRef name);
  ExprPtr reportUndeclared(llvm::StringRef name, SourceRange range,
                           bool isCall);
  ExprPtr checkName(const ast::NameExpr &name);
  /// The element type an expression names, in a type or a cast.
  std::optional<ElementType> resolveType(const ast::Expr &syntax);
  /// `T[n, m]` where a tile is allocated or filled.
  std::optional<Type> resolveTileType(const ast::Expr &syntax,
                                      llvm::StringRef user);
  std::optional<Type> resolveWrittenType(const ast::TypeSyntax &syntax);

  // CheckExpr.cpp: expressions.
  /// Any expression; memory is not read yet, untyped constants stay untyped.
  ExprPtr check(const ast::Expr &syntax);
  /// A number or bool, or a tile of them; memory is read.
  ExprPtr checkValue(const ast::Expr &syntax);
  ExprPtr toValue(ExprPtr expr);
  ExprPtr checkScalar(const ast::Expr &syntax, llvm::StringRef what);
  /// A scalar of type int64.
  ExprPtr checkIndexValue(const ast::Expr &syntax, llvm::StringRef what);
  ExprPtr checkCondition(const ast::Expr &syntax, llvm::StringRef what);
  /// The value of a compile-time integer; `what` begins the message ("a tile
  /// extent").
  std::optional<Integer> checkConstantInteger(const ast::Expr &syntax,
                                              llvm::StringRef what);
  std::optional<int64_t> checkExtent(const ast::Expr &syntax,
                                     llvm::StringRef what = "a tile extent");
  bool checkTileSize(llvm::ArrayRef<int64_t> extents, SourceRange range);
  std::optional<bool> checkConstantBool(const ast::Expr &syntax,
                                        llvm::StringRef what);
  void reportNotConstant(const ast::Expr &syntax, llvm::StringRef what);
  ExprPtr checkUnary(const ast::UnaryExpr &unary);
  ExprPtr checkBinary(const ast::BinaryExpr &binary);
  ExprPtr checkLogical(const ast::BinaryExpr &binary);
  ExprPtr checkIf(const ast::IfExpr &branch);
  ExprPtr checkCast(const ast::CastExpr &cast);
  ExprPtr checkReinterpret(const ast::CastExpr &cast);
  /// The bits of `operand` as another type, neither of them tf32.
  ExprPtr makeReinterpret(ExprPtr operand, ElementType element,
                          SourceRange range);
  /// `op` on two values that have been checked.
  ExprPtr makeBinary(ast::BinaryOp op, SourceRange range, ExprPtr left,
                     ExprPtr right);
  ExprPtr makeShift(ast::BinaryOp op, SourceRange range, ExprPtr left,
                    ExprPtr right);
  bool checkDivisor(llvm::StringRef op, const Expr &divisor);

  // CheckConversions.cpp: conversion, promotion and broadcasting.
  /// Implicit conversion to `element`.  `help` may give better advice than to
  /// write a cast.
  ExprPtr convertTo(ExprPtr expr, ElementType element,
                    ConversionHelp help = nullptr);
  ExprPtr makeConvert(ExprPtr expr, ElementType element,
                      CastMode mode = CastMode::Default);
  /// An untyped constant as int64 or f32; others as they are.
  ExprPtr giveType(ExprPtr expr);
  ExprPtr promote(ExprPtr expr);
  /// Brings two values to one element type.  Untyped constants take the other's
  /// type; two of them stay untyped.
  void reportMixedTypes(llvm::StringRef op, const Expr &left,
                        const Expr &right);
  bool unifyElements(llvm::StringRef op, ExprPtr &left, ExprPtr &right);
  bool unifyShapes(llvm::StringRef op, ExprPtr &left, ExprPtr &right);
  ExprPtr broadcastTo(ExprPtr expr, llvm::ArrayRef<int64_t> extents);
  /// Reads memory; values stay as they are.
  ExprPtr readMemory(ExprPtr expr);
  ExprPtr makeLoad(Place place, SourceRange range, ExprPtr pad);
  bool checkReadable(const Place &place, SourceRange range);
  bool checkWritable(const Place &place, SourceRange range);
  /// What lies outside a tensor of this element type, where it is not zero.
  ExprPtr makeDefaultPad(ElementType element, SourceRange range);

  // CheckIndex.cpp: indexing.
  ExprPtr checkIndex(const ast::IndexExpr &indexed);
  ExprPtr indexMemory(const ast::IndexExpr &indexed, Place place,
                      SourceRange baseRange);
  bool applyIndex(const ast::Index &index, unsigned dim, Place::Dim &entry,
                  int64_t whole, llvm::StringRef name, bool isTensor);
  bool applyBounds(const ast::Index &index, Place::Dim &entry);
  ExprPtr indexFragment(const ast::IndexExpr &indexed, ExprPtr base);
  ExprPtr indexElement(const ast::IndexExpr &indexed, ExprPtr base);
  ExprPtr addAxes(const ast::IndexExpr &indexed, ExprPtr base);
  bool checkIndexCount(const ast::IndexExpr &indexed, llvm::StringRef name,
                       unsigned rank);
  bool checkPart(SourceRange range, Integer low, Integer count, unsigned dim,
                 int64_t extent, llvm::StringRef name);
  /// A place for parts of a view with bounds.
  Place makePlaceIn(Place view);
  bool checkElementBounds(const Expr &index, SourceRange range, unsigned dim,
                          int64_t extent, llvm::StringRef name);
  Place makePlace(Variable *root);
  /// Gives an anchor the extents of the other side.
  bool resolveAnchor(Place &place, SourceRange range,
                     llvm::ArrayRef<int64_t> extents);

  // CheckCalls.cpp, CheckFunctions.cpp: calls that give a value.
  ExprPtr checkCall(const ast::CallExpr &call);
  ExprPtr checkMath(const ast::CallExpr &call, Builtin builtin);
  ExprPtr checkArithmetic(const ast::CallExpr &call, Builtin builtin);
  ExprPtr makeCall(Builtin builtin, Type type, SourceRange range,
                   std::vector<ExprPtr> operands);
  ExprPtr checkSelect(const ast::CallExpr &call);
  ExprPtr makeSelect(SourceRange range, ExprPtr condition, ExprPtr left,
                     ExprPtr right);
  ExprPtr checkShapeCall(const ast::CallExpr &call, Builtin builtin);
  ExprPtr checkLoad(const ast::CallExpr &call);
  ExprPtr checkFull(const ast::CallExpr &call);
  ExprPtr checkTranspose(const ast::CallExpr &call);
  ExprPtr checkSizeBytes(const ast::CallExpr &call);
  ExprPtr checkIota(const ast::CallExpr &call);
  ExprPtr checkReshape(const ast::CallExpr &call);
  ExprPtr checkFunctionCall(const ast::CallExpr &call,
                            const ast::FunctionDecl &function);
  bool checkReturns(const ast::FunctionDecl &function);
  ExprPtr inlineFunction(const ast::FunctionDecl &function, SourceRange call,
                         llvm::SmallVector<ExprPtr> arguments);

  /// The arguments of a builtin: `count` positional ones, then options.
  struct Arguments {
    std::vector<const ast::Expr *> positional;
    llvm::StringMap<const ast::Expr *> options;
    const ast::Expr *getOption(llvm::StringRef name) const {
      return options.lookup(name);
    }
  };
  std::optional<Arguments>
  matchArguments(const ast::CallExpr &call, unsigned count,
                 llvm::StringRef signature,
                 std::initializer_list<llvm::StringRef> options = {});
  std::optional<Arguments>
  matchOptions(llvm::StringRef callee,
               const std::vector<ast::Argument> &arguments,
               llvm::ArrayRef<llvm::StringRef> options);

  // InlineFunction.cpp: functions with statements, tiles and memory.
  /// What an argument gives to a parameter.
  struct BoundArgument {
    ExprPtr value;                // Of a parameter by value.
    Variable *variable = nullptr; // Of `inout`.
    std::optional<Place> place;   // Of `shared` and `global`,
    Variable *memory = nullptr;   // and the name it has got.
    SourceRange range;
    Extents extents;
  };
  ExprPtr inlineStatements(const ast::CallExpr &call,
                           const ast::FunctionDecl &function,
                           const Arguments &arguments);
  std::optional<BoundArgument>
  bindArgument(const ast::FunctionDecl &function,
               const ast::FunctionParameter &parameter,
               const ast::Expr &syntax);
  std::optional<BoundArgument>
  bindInout(const ast::FunctionParameter &parameter, const std::string &role,
            const ast::Expr &syntax);
  std::optional<BoundArgument>
  bindMemory(const ast::FunctionParameter &parameter, const std::string &role,
             const ast::Expr &syntax);
  void bindExtents(const ast::FunctionDecl &function,
                   llvm::ArrayRef<BoundArgument> arguments);
  void declareExtent(const ast::NameExpr &name, const BoundArgument &argument,
                     unsigned dim);
  bool checkExtents(const ast::FunctionDecl &function,
                    llvm::ArrayRef<BoundArgument> arguments);
  void declareParameter(const ast::FunctionParameter &parameter,
                        BoundArgument &argument);
  ExprPtr inlineBody(const ast::FunctionDecl &function, SourceRange call,
                     llvm::MutableArrayRef<BoundArgument> arguments);
  std::optional<ElementType> resolveParameterType(const ast::TypeSyntax &type);
  ExprPtr checkFunctionResult(const ast::FunctionDecl &function,
                              SourceRange call);
  ExprPtr makeExtentValue(const BoundArgument &argument, unsigned dim);

  // CheckControlFlow.cpp: jumps, persistent loops and teams.
  /// A loop, team or function around a statement.
  struct Nesting {
    enum class Kind : uint8_t {
      Range,
      While,
      Pipelined,
      Unrolled,
      Parallel,
      Persistent,
      Warpgroup,
      Function,
    };
    Kind kind;
    /// The word that says so, of loops.
    SourceRange range = {};
    bool hasBreak = false, hasContinue = false, hasReturn = false;
  };
  static llvm::StringRef getSpelling(Nesting::Kind kind);
  void checkStatements(llvm::ArrayRef<ast::StmtPtr> statements);
  void checkBreakOrContinue(const ast::Stmt &stmt);
  void checkReturn(const ast::ReturnStmt &stmt);
  void checkPersistent(const ast::ForStmt &loop);
  void addPersistentGrid(const ast::ForStmt &loop,
                         const checked::PersistentStmt &stmt);
  void checkWarpgroups(llvm::ArrayRef<const ast::WarpgroupStmt *> blocks);
  bool checkTeams(llvm::ArrayRef<const ast::WarpgroupStmt *> blocks,
                  checked::WarpgroupStmt &stmt);
  void checkRegisterTotal(llvm::ArrayRef<const ast::WarpgroupStmt *> blocks,
                          const checked::WarpgroupStmt &stmt);
  /// False, and an error, for a fragment of another team.
  bool checkVisible(const Variable &variable, SourceRange range);
  /// False, and an error, for a variable from outside of the team or of the
  /// `persistent` loop.
  bool checkAssignedHere(const Variable &variable, SourceRange range);
  bool isTopLevel() const {
    return branchDepth == 0 && nesting.empty() && inlining.empty();
  }

  // StructureJumps.cpp: `break`, `continue` and `return` as flags.
  struct Jumps;
  void emitLoop(std::unique_ptr<checked::LoopStmt> loop, const Nesting &jumps);
  void emitLoop(std::unique_ptr<checked::WhileStmt> loop, const Nesting &jumps);
  void structureReturns();
  /// False, and an error, if statements nest too deep for the phases to come.
  bool checkDepth(const checked::StmtList &list, unsigned depth = 0);
  bool checkDepth(const Expr &expr, unsigned depth);
  void structureJumps(checked::StmtList &list, Jumps &jumps, unsigned depth);
  Variable *createFlag(llvm::StringRef name, SourceRange range);
  ExprPtr makeRead(Variable *variable, SourceRange range) {
    return std::make_unique<checked::ReadExpr>(range, variable);
  }
  checked::StmtPtr makeFlagAssign(Variable *flag, bool value,
                                  SourceRange range);

  // CheckBarriers.cpp: barriers.
  void checkAllocBarrier(const ast::LetStmt &let, const ast::CallExpr &call);
  std::optional<checked::BarrierPlace> checkBarrier(const ast::Expr &syntax,
                                                    llvm::StringRef callee);
  void checkBarrierCall(const ast::CallExpr &call, Builtin builtin);

  // CheckAnnotate.cpp: decisions made in the source.
  void checkAnnotate(const ast::CallExpr &call);
  void annotateKernel(const ast::CallExpr &call);
  void annotateTile(const ast::CallExpr &call, const ast::NameExpr &name);
  void annotateShared(Variable &variable, llvm::StringRef option,
                      const ast::Expr &value);
  void annotateLayout(Variable &variable, const ast::Expr &value);

  // CheckStmt.cpp: statements.
  void checkStmt(const ast::Stmt &stmt);
  void checkBlock(const ast::BlockStmt &block);
  /// Checks statements into a list of their own, in a scope of their own.
  checked::StmtList checkBody(const ast::BlockStmt &block);
  void checkIfStmt(const ast::IfStmt &branch);
  void checkWhile(const ast::WhileStmt &loop);
  Nesting checkLoopBody(const ast::BlockStmt &body, Nesting around,
                        checked::StmtList &list);
  void checkCallStmt(const ast::CallExpr &call);

  // CheckLet.cpp: let, var and allocations.
  void checkLet(const ast::LetStmt &let);
  void bindValue(const ast::LetStmt &let, ExprPtr value);
  /// A second name for a part of memory.
  Variable *emitAlias(const ast::Name &name, Place place, SourceRange range);
  void checkAllocShared(const ast::LetStmt &let, const ast::CallExpr &call);
  void checkAllocFragment(const ast::LetStmt &let, const ast::CallExpr &call);
  std::optional<Type> checkAllocation(const ast::LetStmt &let,
                                      const ast::CallExpr &call,
                                      llvm::StringRef word);
  void recordAllocation(Variable *variable, const ast::CallExpr &call);
  ExprPtr convertToWritten(ExprPtr value, const Type &written);

  // CheckAssign.cpp: assignment.
  void checkAssign(const ast::AssignStmt &assign);
  void assignVariable(const ast::AssignStmt &assign,
                      const ast::NameExpr &target);
  void reportNoVariable(const ast::NameExpr &name);
  ExprPtr shareValue(ExprPtr &expr);
  Place sharePlace(Place &place);
  void assignElement(const ast::AssignStmt &assign,
                     const ast::IndexExpr &target);
  bool checkAssignable(Variable *variable, const ast::NameExpr &target);

  // CheckLoops.cpp: loops.
  void checkFor(const ast::ForStmt &loop);
  struct Bounds {
    ExprPtr lower, upper;
    int64_t step = 1;
  };
  std::optional<Bounds> checkBounds(const ast::ForStmt &loop,
                                    const Arguments &arguments);
  void checkSequential(const ast::ForStmt &loop);
  bool checkPipelineOptions(const Arguments &arguments,
                            checked::LoopStmt &stmt);
  void checkUnrolled(const ast::ForStmt &loop);
  bool usesConfigDefault(const ast::Expr &syntax);

  // CheckParallel.cpp: element loops.
  struct ParallelContext {
    checked::ParallelStmt *stmt = nullptr;
    const ast::ForStmt *syntax = nullptr;
    /// Enclosing conditions inside the loop; under one, an access may never
    /// happen.
    unsigned conditions = 0;
    struct Read {
      Variable *variable;
      std::vector<std::optional<checked::AffineIndex>> indices;
      SourceRange range;
    };
    std::vector<Read> reads;
    /// An element of a shared tile that every iteration reads or writes.
    struct SharedAccess {
      Variable *tile;
      std::vector<checked::AffineIndex> indices;
      SourceRange range;
      bool isWrite;
    };
    std::vector<SharedAccess> sharedAccesses;
  };
  void checkParallel(const ast::ForStmt &loop);
  void writeFragmentElement(const ast::IndexExpr &target, Variable *variable,
                            ExprPtr value, SourceRange range);
  void checkElementReads();
  void recordSharedAccess(const Place &place, SourceRange range, bool isWrite);
  void checkSharedAccesses();
  void checkDistinctElements(llvm::ArrayRef<const Expr *> indices,
                             const ast::IndexExpr &target, const Expr &value);
  void reportSameElement(const ast::IndexExpr &target, const Expr &value,
                         unsigned unused);
  /// True, and an error, inside `parallel`.
  bool refuseInParallel(const ast::CallExpr &call);
  std::optional<checked::AffineIndex> getAffine(const Expr &expr);
  std::optional<checked::IntegerRange> getRange(const Expr &expr);
  uint32_t getDependence(const Expr &expr);

  // CheckCopy.cpp, CheckGemm.cpp: statement builtins.
  void checkCopy(const ast::CallExpr &call);
  struct CopySide {
    ExprPtr value;                // A fragment, or a MemoryExpr.
    Variable *variable = nullptr; // A destination fragment.
    Extents extents;
    bool isAnchor = false;
    SourceRange range;
    const Place *getPlace() const;
  };
  /// `callee` is what messages call the copy.
  std::optional<CopySide> checkCopySource(const ast::Expr &syntax,
                                          llvm::StringRef callee = "copy");
  std::optional<CopySide> checkCopyDestination(const ast::Expr &syntax,
                                               llvm::StringRef callee = "copy");
  bool matchCopyShapes(CopySide &source, CopySide &destination,
                       llvm::StringRef callee = "copy");
  bool checkCopyTypes(llvm::StringRef callee, SourceRange source,
                      ElementType from, ElementType to);
  void emitCopy(const ast::CallExpr &call, CopySide source,
                CopySide destination, ExprPtr pad);
  void checkFill(const ast::CallExpr &call, bool isClear);
  void checkGemm(const ast::CallExpr &call);
  void checkGemmScaled(const ast::CallExpr &call);
  ExprPtr checkGemmOperand(const ast::CallExpr &call, unsigned index);
  /// A shared tile as it lies there, or a value.
  ExprPtr checkTileOrValue(const ast::Expr &syntax);
  Variable *checkAccumulator(const ast::CallExpr &call, unsigned index);
  /// The value of a compile-time option of type bool; `fallback` if it is not
  /// given.
  std::optional<bool> checkFlag(const Arguments &arguments,
                                llvm::StringRef name, bool fallback = false);
  bool checkAccumulatorUnread(const ast::CallExpr &call,
                              const checked::GemmStmt &stmt);
  bool checkGemmTypes(const ast::CallExpr &call, const Expr &a, const Expr &b,
                      const Variable &accumulator);
  bool checkGemmShapes(const ast::CallExpr &call,
                       const checked::GemmStmt &stmt);

  // CheckScaledGemm.cpp
  bool checkScaledTypes(const ast::CallExpr &call,
                        const checked::GemmStmt &stmt);
  bool checkScale(const checked::GemmStmt &stmt, bool isA);

  // CheckDequant.cpp
  /// A `dequant` without its type, which depends on where it stands; null after
  /// an error.  `contraction` is the dimension of q that `gemm` contracts.
  std::unique_ptr<checked::DequantExpr>
  checkDequant(const ast::CallExpr &call, std::optional<unsigned> contraction);
  ExprPtr checkDequantCall(const ast::CallExpr &call);
  ExprPtr checkDequantOperand(const ast::CallExpr &call, unsigned contraction);
  struct DequantTile;
  bool checkDequantTile(const checked::DequantExpr &dequant,
                        const DequantTile &tile);
  bool checkDequantShape(const checked::DequantExpr &dequant,
                         const DequantTile &tile);
  /// Gives the `dequant` operands of a `gemm` their types.
  bool settleDequants(ExprPtr &a, ExprPtr &b);
  bool settleDequant(ExprPtr &operand, ElementType other,
                     SourceRange otherRange);

  // CheckReductions.cpp
  ExprPtr checkReduction(const ast::CallExpr &call, Builtin builtin);
  ExprPtr checkScan(const ast::CallExpr &call);
  /// A tile of numbers.
  ExprPtr checkTileOperand(const ast::CallExpr &call, const ast::Expr &syntax);
  std::optional<unsigned> checkDim(const ast::Expr &syntax, const Expr &tile);

  // CheckAtomics.cpp
  ExprPtr checkAtomic(const ast::CallExpr &call, Builtin builtin,
                      bool isStatement);
  ExprPtr convertForAtomic(const ast::CallExpr &call, ExprPtr value,
                           ElementType element);
  void checkAtomicTile(const ast::CallExpr &call, Builtin builtin, Place place,
                       SourceRange placeRange, ExprPtr value, bool isAcqRel);

  // CheckDebug.cpp
  void checkAssert(const ast::CallExpr &call);
  void checkPrint(const ast::CallExpr &call);

  // CheckPrepack.cpp
  bool checkPrepackQualifier(const ast::KernelParameter &parameter);
  /// Reports a use of a prepacked tensor other than a copy of a tile.
  bool checkNotPrepacked(const Place &place, SourceRange range);
  bool checkPrepackedCopy(const CopySide &source, const CopySide &destination,
                          const ast::Expr *pad);
  void recordGemmTiles(const Expr &operand);
  void reportUnfedTiles();

  // CheckExpert.cpp: asynchronous copies.
  void checkAsyncCopy(const ast::CallExpr &call);
  /// Takes the guards off `if g { x } else { 0 }`, outermost first.
  const ast::Expr *checkGuards(const ast::Expr &source, ExprPtr &predicate);
  void addGuard(ExprPtr &predicate, ExprPtr guard);
  void checkAsyncTile(const ast::CallExpr &call, const ast::Expr &source,
                      const ast::Expr &destination, ExprPtr predicate);
  void checkAsyncElements(const ast::CallExpr &call, const ast::Expr &source,
                          const ast::Expr &destination,
                          const ast::Expr *countSyntax, ExprPtr predicate);
  bool checkElementStart(const Place &place, const ast::Expr &syntax,
                         int64_t count);
  bool checkElementCount(SourceRange range, int64_t count, ElementType element);
  void reportNotGlobalToShared(llvm::StringRef callee, SourceRange wrong,
                               llvm::StringRef what);
  bool checkGlobalToShared(llvm::StringRef callee, const CopySide &source,
                           const CopySide &destination);
  bool checkSameElement(llvm::StringRef callee, const CopySide &source,
                        const CopySide &destination);
  void checkCommitGroup(const ast::CallExpr &call);
  void checkWaitGroup(const ast::CallExpr &call);
  void checkTmaCopy(const ast::CallExpr &call);
  void checkSetMaxRegisters(const ast::CallExpr &call);

  // Flow of definite assignment.
  using VariableSet = llvm::SmallPtrSet<Variable *, 8>;
  bool checkDefined(Variable *variable, SourceRange range,
                    llvm::StringRef reader);

  // Errors.
  Diagnostic &error(SourceRange range, const llvm::Twine &message);
  ExprPtr makeInvalid(SourceRange range) {
    return std::make_unique<checked::InvalidExpr>(range);
  }
  ExprPtr makeConstant(Type type, SourceRange range, Constant value) {
    return std::make_unique<checked::ConstantExpr>(std::move(type), range,
                                                   std::move(value));
  }
  void reportUnsupported(SourceRange range, llvm::StringRef what);
  /// Counts one step of work; false, and an error, when a kernel grows beyond
  /// all measure.
  bool spend(SourceRange range);

  void emit(checked::StmtPtr stmt) { output->push_back(std::move(stmt)); }

  Program &program;
  llvm::ArrayRef<Define> defines;
  llvm::StringSet<> &usedDefines;
  DiagnosticEngine &diagnostics;

  checked::Kernel kernel;
  checked::StmtList *output = &kernel.body;

  std::vector<llvm::StringMap<Variable *>> scopes;
  /// Inside a function only the scopes from here on are visible.
  unsigned firstVisibleScope = 0;

  /// Fragments that some path to here leaves unwritten.
  VariableSet undefined;
  /// Those whose use has been reported.
  VariableSet reported;
  ParallelContext *parallel = nullptr;
  /// What is around the statement that is being checked, innermost last.
  std::vector<Nesting> nesting;
  /// No path leads here: a jump stands before.
  bool isUnreachable = false;
  /// Set once an early return inside a loop needs it.
  Variable *returned = nullptr;
  bool hasReturn = false, hasPersistent = false;
  /// Clauses that are written, or that something else has decided.
  bool hasGrid = false, hasThreads = false;
  /// Number of the body around, as in `Variable::region`, of the team around
  /// (0: none), and of bodies so far.
  unsigned region = 0, team = 0, regionCount = 0;
  /// The statement that may be `set_max_registers`.
  const ast::Stmt *firstOfTeam = nullptr;
  /// Names that something refers to, for annotations that come too late.
  llvm::SmallPtrSet<const Variable *, 8> used;
  /// Values of names that are known at launch.
  llvm::DenseMap<const Variable *, const Expr *> launchValues;
  unsigned loopDepth = 0;
  /// Enclosing conditions that are known at run time only.
  unsigned branchDepth = 0;
  unsigned depth = 0;

  struct Inlining {
    const ast::FunctionDecl *function;
    SourceRange call;
    /// Set where a scalar function is applied to tiles of this shape.
    Extents extents;
  };
  std::vector<Inlining> inlining;

  struct ParameterSyntax {
    const ast::KernelParameter *syntax;
    std::vector<const ast::Expr *> dims;
  };
  std::vector<ParameterSyntax> tensorSyntax;
  std::vector<Variable *> symbols;
  llvm::StringSet<> configDefaults;
  /// Extents of allocated tiles as the program spells them.
  llvm::DenseMap<const Variable *, std::vector<std::string>> allocationExtents;

  /// Tiles that hold prepacked elements, with the copies that put them there,
  /// and tiles that are operands of `gemm`.
  llvm::MapVector<Variable *, SourceRange> prepackedTiles;
  llvm::SmallPtrSet<const Variable *, 8> gemmTiles;

  /// Statements and operations checked so far, and how many there may be.
  unsigned work = 0;
  unsigned maxWork = 1000000;
  /// A function is checked without a call of it.
  bool isAlone = false;
  static constexpr unsigned maxDepth = 1500;
};

/// Text of a source range on one line, shortened, as a message quotes it.
std::string getQuotedText(SourceRange range);
/// The same in full length, for what outlives the compilation.
std::string getOneLineText(SourceRange range);
/// The element type of an operand of `gemm`; of `dequant` that of q.
ElementType getStoredElement(const checked::Expr &operand);
/// The name of the memory an expression begins with: `A` of `A[i, j]`.
SourceRange getBaseRange(const ast::Expr &syntax);
/// "A[0, 0]".
std::string writeAnchor(SourceRange range, unsigned rank);
/// The names an expression is made of, from left to right.
void collectNames(const ast::Expr *syntax,
                  llvm::SmallVectorImpl<const ast::NameExpr *> &names);
/// The name most like `name`, if one is like enough.
std::optional<std::string>
findSimilar(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_CHECKER_H
