//===- GenerateStmt.cpp - Statements --------------------------------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "dialects/Tile/IR/TileShareOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

mlir::Type Generator::getValueType(Variable *variable) {
  if (parallel && parallel->findWrite(variable))
    return getElementType(variable->type.getElement());
  return getType(variable->type);
}

Value Generator::getValue(Variable *variable) {
  if (Value value = values.lookup(variable))
    return value;
  if (Value element = initialElements.lookup(variable))
    return element;
  Location location = getLocation(*variable);
  const checked::ParallelStmt::Write *write =
      parallel ? parallel->findWrite(variable) : nullptr;
  Value initial = write ? initialFragments.lookup(variable) : Value();
  if (!initial)
    // Nothing was written yet on the way here, and nothing reads what is in it
    // before something is.
    return createZero(location, getValueType(variable));
  // The element as it was before the loop.  It is read at the beginning of the
  // body, so that every later use may share it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parallelBody);
  llvm::SmallVector<Value> indices;
  for (const checked::AffineIndex &index : write->indices) {
    Value value = parallelBody->getArgument(index.variable);
    if (index.scale != 1)
      value = arith::MulIOp::create(
          builder, location, value,
          createIndex(location, static_cast<int64_t>(index.scale)));
    if (index.offset != 0)
      value = arith::AddIOp::create(
          builder, location, value,
          createIndex(location, static_cast<int64_t>(index.offset)));
    indices.push_back(value);
  }
  Value element = tile::ElementOp::create(
      builder, location, getValueType(variable), initial, indices);
  initialElements[variable] = element;
  return element;
}

llvm::SmallVector<Value>
Generator::getValues(llvm::ArrayRef<Variable *> variables) {
  llvm::SmallVector<Value> result;
  for (Variable *variable : variables)
    result.push_back(getValue(variable));
  return result;
}

void Generator::setValues(llvm::ArrayRef<Variable *> variables,
                          ValueRange newValues) {
  for (auto [variable, value] : llvm::zip_equal(variables, newValues))
    values[variable] = value;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Generator::generate(const checked::StmtList &list) {
  for (const checked::StmtPtr &stmt : list)
    generate(*stmt);
}

void Generator::generate(const checked::Stmt &stmt) {
  llvm::TypeSwitch<const checked::Stmt *>(&stmt)
      .Case<checked::DefineStmt>([&](const auto *define) {
        // Each iteration of a loop begins anew.
        values.erase(define->variable);
        if (define->value)
          values[define->variable] =
              annotate(*define->variable, generate(*define->value));
      })
      .Case<checked::AliasStmt>([&](const auto *alias) {
        memories[alias->variable] =
            evaluate(alias->place, getLocation(alias->range));
      })
      .Case<checked::AllocSharedStmt>(
          [&](const auto *alloc) { generateAlloc(*alloc); })
      .Case<checked::AssignStmt, checked::WriteElementStmt>(
          [&](const auto *assign) {
            values[assign->variable] =
                annotate(*assign->variable, generate(*assign->value));
          })
      .Case<checked::StoreElementStmt>([&](const auto *store) {
        Location location = getLocation(store->range);
        Memory memory = evaluate(store->place, location);
        Value value = generate(*store->value);
        tile::StoreElementOp::create(builder, location, value, memory.root,
                                     getIndices(memory, location));
      })
      .Case<checked::StoreTileStmt>([&](const auto *store) {
        Location location = getLocation(store->range);
        if (store->isPlaceFirst) {
          Memory memory = evaluate(store->place, location);
          storeTile(location, memory, generate(*store->value));
          return;
        }
        Value value = generate(*store->value);
        storeTile(location, evaluate(store->place, location), value);
      })
      .Case<checked::CopyStmt>([&](const auto *copy) { generateCopy(*copy); })
      .Case<checked::GemmStmt>([&](const auto *gemm) { generateGemm(*gemm); })
      .Case<checked::AtomicTileStmt>(
          [&](const auto *atomic) { generateAtomicTile(*atomic); })
      .Case<checked::EvaluateStmt>(
          [&](const auto *statement) { generate(*statement->value); })
      .Case<checked::AssertStmt>([&](const auto *check) {
        Value condition = generate(*check->condition);
        tile::AssertOp::create(builder, getLocation(check->range), condition,
                               check->text);
      })
      .Case<checked::PrintStmt>(
          [&](const auto *print) { generatePrint(*print); })
      .Case<checked::IfStmt>([&](const auto *branch) { generateIf(*branch); })
      .Case<checked::LoopStmt>([&](const auto *loop) { generateLoop(*loop); })
      .Case<checked::WhileStmt>([&](const auto *loop) { generateWhile(*loop); })
      .Case<checked::ParallelStmt>(
          [&](const auto *loop) { generateParallel(*loop); })
      .Case<checked::BlockStmt>(
          [&](const auto *block) { generate(block->body); })
      .Default([&](const auto *expert) { generateExpert(*expert); });
}

void Generator::generateAlloc(const checked::AllocSharedStmt &alloc) {
  const Variable &variable = *alloc.variable;
  Type type = variable.type;
  Location location = NameLoc::get(builder.getStringAttr(variable.name),
                                   getLocation(variable.allocated));
  auto shared =
      tile::SharedType::get(builder.getContext(), type.getExtents(),
                            getElementType(type.getElement()), variable.packDim,
                            tile::SharedLayoutAttr());
  Memory memory;
  memory.root = tile::AllocSharedOp::create(
      builder, location, shared, builder.getStringAttr(variable.name),
      IntegerAttr(), getAnnotation(variable));
  for (auto [dim, extent] : llvm::enumerate(type.getExtents())) {
    memory.indices.push_back(Value());
    memory.kept.push_back(dim);
    memory.extents.push_back(extent);
  }
  memories[&variable] = memory;
}

void Generator::generateIf(const checked::IfStmt &branch) {
  Location location = getLocation(branch.range);
  Value condition = generate(*branch.condition);
  llvm::ArrayRef<Variable *> merged = branch.merged;
  llvm::SmallVector<mlir::Type> types;
  for (Variable *variable : merged)
    types.push_back(getValueType(variable));
  bool hasElse = !branch.elseBody.empty() || !merged.empty();
  auto op = scf::IfOp::create(builder, location, types, condition, hasElse);

  // Each side begins with the values from before; what it assigns and nobody
  // reads afterwards must not leak out of it.
  auto before = values;
  auto generateSide = [&](Block *block, const checked::StmtList &body) {
    OpBuilder::InsertionGuard guard(builder);
    values = before;
    if (merged.empty()) {
      builder.setInsertionPoint(block->getTerminator());
      return generate(body);
    }
    builder.setInsertionPointToEnd(block);
    generate(body);
    scf::YieldOp::create(builder, location, getValues(merged));
  };
  generateSide(op.thenBlock(), branch.thenBody);
  if (hasElse)
    generateSide(op.elseBlock(), branch.elseBody);
  values = std::move(before);
  setValues(merged, op.getResults());
}

void Generator::generateLoop(const checked::LoopStmt &loop) {
  Location location = getLocation(loop.range);
  Value lower = generate(*loop.lower), upper = generate(*loop.upper);
  llvm::ArrayRef<Variable *> carried = loop.carried;
  llvm::SmallVector<Value> inits = getValues(carried);
  auto before = values;
  auto generateBody = [&](Block *body, Value variable, ValueRange arguments) {
    variable.setLoc(getLocation(*loop.variable));
    values[loop.variable] = variable;
    setValues(carried, arguments);
    generate(loop.body);
    return getValues(carried);
  };

  OpBuilder::InsertionGuard guard(builder);
  ValueRange results;
  if (loop.isPipelined) {
    IntegerAttr stages =
        loop.stages ? builder.getI64IntegerAttr(*loop.stages) : IntegerAttr();
    auto pipelined =
        tile::PipelinedOp::create(builder, location, lower, upper, loop.step,
                                  inits, stages, loop.areStagesFixed);
    // One that is written is the author's word that there is nothing to choose.
    if (loop.splitRange.isValid())
      pipelined->setAttr(tile::splitAttrName,
                         builder.getI64IntegerAttr(loop.split));
    Block *body = pipelined.getBodyBlock();
    if (carried.empty())
      builder.setInsertionPoint(body->getTerminator());
    else
      builder.setInsertionPointToEnd(body);
    llvm::SmallVector<Value> yielded = generateBody(
        body, pipelined.getInductionVar(), body->getArguments().drop_front());
    if (!carried.empty())
      tile::YieldOp::create(builder, location, yielded);
    results = pipelined.getResults();
  } else {
    Value step = createIndex(location, loop.step);
    auto range =
        scf::ForOp::create(builder, location, lower, upper, step, inits);
    Block *body = range.getBody();
    if (carried.empty())
      builder.setInsertionPoint(body->getTerminator());
    else
      builder.setInsertionPointToEnd(body);
    llvm::SmallVector<Value> yielded =
        generateBody(body, range.getInductionVar(), range.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(builder, location, yielded);
    results = range.getResults();
  }
  for (auto [variable, result] : llvm::zip_equal(carried, results))
    before[variable] = result;
  values = std::move(before);
}

void Generator::generateWhile(const checked::WhileStmt &loop) {
  Location location = getLocation(loop.range);
  llvm::ArrayRef<Variable *> carried = loop.carried;
  llvm::SmallVector<Value> inits = getValues(carried);
  llvm::SmallVector<mlir::Type> types(ValueRange(inits).getTypes());
  llvm::SmallVector<Location> locations(inits.size(), location);
  auto op = scf::WhileOp::create(builder, location, types, inits);
  auto before = values;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *head = builder.createBlock(&op.getBefore(), {}, types, locations);
    setValues(carried, head->getArguments());
    Value condition = generate(*loop.condition);
    // The condition may call a function that assigns.
    scf::ConditionOp::create(builder, location, condition, getValues(carried));
    Block *body = builder.createBlock(&op.getAfter(), {}, types, locations);
    setValues(carried, body->getArguments());
    generate(loop.body);
    scf::YieldOp::create(builder, location, getValues(carried));
  }
  values = std::move(before);
  setValues(carried, op.getResults());
}

//===----------------------------------------------------------------------===//
// parallel
//===----------------------------------------------------------------------===//

/// Where each written fragment is written; null if that is at the indices.
ArrayAttr Generator::getWriteMaps(const checked::ParallelStmt &loop) {
  llvm::SmallVector<Attribute> maps;
  bool areIdentities = true;
  for (const checked::ParallelStmt::Write &write : loop.writes) {
    llvm::SmallVector<AffineExpr> results;
    for (const checked::AffineIndex &index : write.indices)
      results.push_back(builder.getAffineDimExpr(index.variable) *
                            static_cast<int64_t>(index.scale) +
                        static_cast<int64_t>(index.offset));
    AffineMap map =
        AffineMap::get(loop.extents.size(), 0, results, builder.getContext());
    areIdentities &= map.isIdentity();
    maps.push_back(AffineMapAttr::get(map));
  }
  return areIdentities ? ArrayAttr() : builder.getArrayAttr(maps);
}

void Generator::generateParallel(const checked::ParallelStmt &loop) {
  Location location = getLocation(loop.range);
  llvm::SmallVector<Variable *> written;
  for (const checked::ParallelStmt::Write &write : loop.writes)
    written.push_back(write.variable);
  llvm::SmallVector<Value> inits = getValues(written);
  auto op = tile::ParallelOp::create(builder, location, loop.extents, inits,
                                     getWriteMaps(loop));
  auto before = values;
  parallel = &loop;
  parallelBody = op.getBodyBlock();
  for (auto [variable, init] : llvm::zip_equal(written, inits)) {
    initialFragments[variable] = init;
    values.erase(variable);
  }
  for (auto [variable, argument] :
       llvm::zip_equal(loop.variables, parallelBody->getArguments())) {
    argument.setLoc(getLocation(*variable));
    values[variable] = argument;
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    if (written.empty())
      builder.setInsertionPoint(parallelBody->getTerminator());
    else
      builder.setInsertionPointToEnd(parallelBody);
    generate(loop.body);
    if (!written.empty())
      tile::YieldOp::create(builder, location, getValues(written));
  }
  parallel = nullptr;
  parallelBody = nullptr;
  initialFragments.clear();
  initialElements.clear();
  values = std::move(before);
  for (auto [variable, result] : llvm::zip_equal(written, op.getResults()))
    values[variable] = annotate(*variable, result);
}
