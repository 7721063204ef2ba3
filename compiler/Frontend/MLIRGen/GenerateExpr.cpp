//===- GenerateExpr.cpp - Expressions -------------------------------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tilec;
using namespace mlir;
using checked::ExprKind;

Value Generator::generate(const Expr &expr) {
  // Whatever it is made of, only its value counts.
  if (expr.constant)
    return createConstant(getLocation(expr.range), *expr.constant, expr.type);
  switch (expr.getKind()) {
  case ExprKind::Invalid:
  case ExprKind::Constant:
  case ExprKind::Memory:
    break;
  case ExprKind::Read:
    return generateRead(cast<checked::ReadExpr>(expr));
  case ExprKind::Load:
    return generateLoad(cast<checked::LoadExpr>(expr));
  case ExprKind::LoadElement:
    return generateLoadElement(cast<checked::LoadElementExpr>(expr));
  case ExprKind::Element:
    return generateElement(cast<checked::ElementExpr>(expr));
  case ExprKind::Unary:
    return generateUnary(cast<checked::UnaryExpr>(expr));
  case ExprKind::Binary:
    return generateBinary(cast<checked::BinaryExpr>(expr));
  case ExprKind::Call:
    return generateCall(cast<checked::CallExpr>(expr));
  case ExprKind::If:
    return generateIf(cast<checked::IfExpr>(expr));
  case ExprKind::Convert:
    return generateConvert(cast<checked::ConvertExpr>(expr));
  case ExprKind::Reinterpret:
    return generateReinterpret(cast<checked::ReinterpretExpr>(expr));
  case ExprKind::Splat:
    return generateSplat(cast<checked::SplatExpr>(expr));
  case ExprKind::Reindex:
    return generateReindex(cast<checked::ReindexExpr>(expr));
  case ExprKind::Part:
    return generatePart(cast<checked::PartExpr>(expr));
  case ExprKind::Reshape:
    return generateReshape(cast<checked::ReshapeExpr>(expr));
  case ExprKind::Iota:
    return generateIota(cast<checked::IotaExpr>(expr));
  case ExprKind::Reduce:
    return generateReduce(cast<checked::ReduceExpr>(expr));
  case ExprKind::Scan:
    return generateScan(cast<checked::ScanExpr>(expr));
  case ExprKind::Dequant:
    return generateDequant(cast<checked::DequantExpr>(expr));
  case ExprKind::Atomic:
    return generateAtomic(cast<checked::AtomicExpr>(expr));
  case ExprKind::Block:
    return generateBlock(cast<checked::BlockExpr>(expr));
  case ExprKind::Extent: {
    const auto &extent = cast<checked::ExtentExpr>(expr);
    const Memory &memory = memories[extent.variable];
    return getExtent(memory, memory.kept[extent.dim], getLocation(expr.range));
  }
  }
  llvm_unreachable("the checker leaves values only");
}

Value Generator::generateRead(const checked::ReadExpr &read) {
  Variable *variable = read.variable;
  Location location = getLocation(read.range);
  switch (variable->role) {
  case Variable::Role::Symbol:
    return tile::SymbolOp::create(builder, location, builder.getI64Type(),
                                  variable->name);
  case Variable::Role::Axis:
    return tile::BlockIdOp::create(builder, location, builder.getI64Type(),
                                   variable->index);
  default:
    return getValue(variable);
  }
}

Value Generator::generateElement(const checked::ElementExpr &element) {
  // What this iteration writes it also reads back.
  if (parallel && parallel->findWrite(element.variable))
    return getValue(element.variable);
  llvm::SmallVector<Value> indices;
  for (const checked::ExprPtr &index : element.operands)
    indices.push_back(generate(*index));
  Value fragment = getValue(element.variable);
  return tile::ElementOp::create(builder, getLocation(element.range),
                                 getType(element.type), fragment, indices);
}

Value Generator::generateUnary(const checked::UnaryExpr &unary) {
  Location location = getLocation(unary.range);
  Value operand = generate(*unary.operands[0]);
  mlir::Type type = operand.getType();
  ElementType element = unary.type.getElement();
  switch (unary.op) {
  case ast::UnaryOp::Negate:
    if (isFloat(element))
      return arith::NegFOp::create(builder, location, operand);
    return arith::SubIOp::create(builder, location, createZero(location, type),
                                 operand);
  case ast::UnaryOp::Not:
  case ast::UnaryOp::Complement:
    return arith::XOrIOp::create(builder, location, operand,
                                 createNumber(location, type, -1));
  }
  llvm_unreachable("every operator is generated");
}

Value Generator::generateLazily(Location location, Value condition,
                                mlir::Type type,
                                llvm::ArrayRef<Variable *> assigned,
                                llvm::function_ref<Value()> thenValue,
                                llvm::function_ref<Value()> elseValue) {
  llvm::SmallVector<mlir::Type> types = {type};
  for (Variable *variable : assigned)
    types.push_back(getValueType(variable));
  auto op = scf::IfOp::create(builder, location, types, condition,
                              /*withElseRegion=*/true);
  auto before = values;
  auto generateSide = [&](Block *block, llvm::function_ref<Value()> getSide) {
    OpBuilder::InsertionGuard guard(builder);
    values = before;
    builder.setInsertionPointToEnd(block);
    llvm::SmallVector<Value> results = {getSide()};
    llvm::append_range(results, getValues(assigned));
    scf::YieldOp::create(builder, location, results);
  };
  generateSide(op.thenBlock(), thenValue);
  generateSide(op.elseBlock(), elseValue);
  values = std::move(before);
  setValues(assigned, op.getResults().drop_front());
  return op.getResult(0);
}

/// True if an expression may be evaluated although the program does not: it
/// reads no memory (a shared tile may be read outside), changes nothing and is
/// cheap.
static bool isSpeculatable(const checked::Expr &expr) {
  if (expr.constant)
    return true;
  switch (expr.getKind()) {
  case ExprKind::Load:
  case ExprKind::LoadElement:
  case ExprKind::Element:
  case ExprKind::Reduce:
  case ExprKind::Scan:
  case ExprKind::Dequant:
  case ExprKind::Atomic:
  case ExprKind::Block:
  case ExprKind::If:
    return false;
  default:
    break;
  }
  bool result = true;
  checked::forEachOperand(expr, [&](const checked::Expr &operand) {
    result &= isSpeculatable(operand);
  });
  return result;
}

Value Generator::generateIf(const checked::IfExpr &branch) {
  Location location = getLocation(branch.range);
  Value condition = generate(*branch.operands[0]);
  const Expr &left = *branch.operands[1], &right = *branch.operands[2];
  if (isSpeculatable(left) && isSpeculatable(right)) {
    Value thenValue = generate(left), elseValue = generate(right);
    return arith::SelectOp::create(builder, location, condition, thenValue,
                                   elseValue);
  }
  return generateLazily(
      location, condition, getType(branch.type), getAssigned({&left, &right}),
      [&] { return generate(left); }, [&] { return generate(right); });
}

Value Generator::generateLogical(const checked::BinaryExpr &binary) {
  Location location = getLocation(binary.range);
  const Expr &right = *binary.operands[1];
  bool isAnd = binary.op == ast::BinaryOp::LogicalAnd;
  Value left = generate(*binary.operands[0]);
  if (binary.type.isFragment() || isSpeculatable(right)) {
    Value rightValue = generate(right);
    if (isAnd)
      return arith::AndIOp::create(builder, location, left, rightValue);
    return arith::OrIOp::create(builder, location, left, rightValue);
  }
  auto decided = [&]() -> Value {
    return createNumber(location, builder.getI1Type(), isAnd ? 0 : 1);
  };
  auto undecided = [&] { return generate(right); };
  llvm::SmallVector<Variable *> assigned = getAssigned({&right});
  if (isAnd)
    return generateLazily(location, left, builder.getI1Type(), assigned,
                          undecided, decided);
  return generateLazily(location, left, builder.getI1Type(), assigned, decided,
                        undecided);
}

Value Generator::generateSplat(const checked::SplatExpr &splat) {
  const Expr &scalar = *splat.operands[0];
  if (scalar.constant)
    return createConstant(getLocation(splat.range), *scalar.constant,
                          splat.type);
  Value value = generate(scalar);
  return tile::BroadcastOp::create(builder, getLocation(splat.range),
                                   getType(splat.type), value);
}

Value Generator::generateReindex(const checked::ReindexExpr &reindex) {
  Value source = generate(*reindex.operands[0]);
  llvm::SmallVector<AffineExpr> results;
  for (int dim : reindex.sourceDims)
    results.push_back(dim < 0 ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(dim));
  AffineMap map =
      AffineMap::get(reindex.type.getRank(), 0, results, builder.getContext());
  return tile::ReindexOp::create(builder, getLocation(reindex.range),
                                 getType(reindex.type), source, map);
}

Value Generator::createElementLoop(
    Location location, RankedTensorType type,
    llvm::function_ref<Value(ValueRange)> getElement) {
  Value init = createZero(location, type);
  auto loop =
      tile::ParallelOp::create(builder, location, type.getShape(), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBodyBlock());
  Value element = getElement(loop.getBodyBlock()->getArguments());
  tile::YieldOp::create(builder, location, element);
  return loop.getResult(0);
}

Value Generator::generateBlock(const checked::BlockExpr &block) {
  generate(block.statements);
  return generate(*block.operands[0]);
}
