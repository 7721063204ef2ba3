//===- CheckIndex.cpp - Indexing of memory and fragments ------------------===//
//
// Section 6 of the language reference.  Indexing memory gives a place: an
// element or anchor, a region, a sub-tile or a view; reading it is a second
// step.  Indexing a fragment gives a part, a value with more dimensions or,
// inside `parallel`, an element.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using ast::Index;
using llvm::StringRef;

Checker::Place Checker::makePlace(Variable *root) {
  Place place;
  place.root = root;
  for (int64_t extent : root->type.getExtents()) {
    Place::Dim dim;
    dim.extent = extent;
    place.dims.push_back(std::move(dim));
  }
  return place;
}

Checker::Place Checker::makePlaceIn(Place view) {
  Place place;
  place.root = view.root;
  for (const Place::Dim &entry : view.dims)
    if (!entry.isDropped) {
      place.dims.emplace_back();
      place.dims.back().extent = entry.extent;
    }
  place.isView = true;
  place.base = std::make_unique<Place>(std::move(view));
  return place;
}

bool Checker::checkIndexCount(const ast::IndexExpr &indexed, StringRef name,
                              unsigned rank) {
  unsigned count = llvm::count_if(indexed.indices, [](const Index &index) {
    return index.kind != Index::Kind::NewAxis;
  });
  if (count == rank)
    return true;
  error(indexed.getRange(), "'" + name + "' has rank " + llvm::Twine(rank) +
                                ", and " + llvm::Twine(count) +
                                (count == 1 ? " index is" : " indices are") +
                                " given");
  return false;
}

bool Checker::checkPart(SourceRange range, Integer low, Integer count,
                        unsigned dim, int64_t extent, StringRef name) {
  if (low >= 0 && low + count <= extent)
    return true;
  error(range, "part " + formatConstant(Constant(low)) + " to " +
                   formatConstant(Constant(low + count)) +
                   " lies outside dimension " + llvm::Twine(dim) + " of '" +
                   name + "', which has " + llvm::Twine(extent))
      .withHelp("shared tiles and fragments are not bounds-masked; only "
                "tensors are");
  return false;
}

/// An element of a shared tile or fragment: an error where it lies outside
/// whatever the loop variables are, or for some of them if nothing guards it.
bool Checker::checkElementBounds(const Expr &index, SourceRange range,
                                 unsigned dim, int64_t extent, StringRef name) {
  std::optional<checked::IntegerRange> values = getRange(index);
  if (!values)
    return true;
  bool isAlwaysOutside = values->high < 0 || values->low >= extent;
  bool isReached = index.constant ||
                   (getAffine(index) && parallel && parallel->conditions == 0);
  bool isSometimesOutside = values->low < 0 || values->high >= extent;
  if (!isAlwaysOutside && !(isReached && isSometimesOutside))
    return true;
  std::string where = values->low == values->high
                          ? "index " + formatConstant(Constant(values->low))
                          : "index '" + getQuotedText(index.range) +
                                "', which is " +
                                formatConstant(Constant(values->low)) + " to " +
                                formatConstant(Constant(values->high)) + ",";
  error(range, where + " lies outside dimension " + llvm::Twine(dim) + " of '" +
                   name + "', which has " + llvm::Twine(extent))
      .withHelp("shared tiles and fragments are not bounds-masked; only "
                "tensors are");
  return false;
}

Checker::ExprPtr Checker::checkIndex(const ast::IndexExpr &indexed) {
  SourceRange range = indexed.getRange();
  const auto *name = llvm::dyn_cast<ast::NameExpr>(indexed.base.get());
  Variable *variable = name ? lookup(name->name) : nullptr;
  if (llvm::isa<ast::TypeNameExpr>(indexed.base.get()) ||
      (variable && variable->type.getKind() == Type::Kind::TypeName)) {
    error(range, "'" + getQuotedText(range) +
                     "' is a type, and a value is needed here");
    return makeInvalid(range);
  }

  ExprPtr base = check(*indexed.base);
  if (base->type.isInvalid())
    return makeInvalid(range);
  bool hasNewAxis = llvm::any_of(indexed.indices, [](const Index &index) {
    return index.kind == Index::Kind::NewAxis;
  });
  if (auto *memory = llvm::dyn_cast<checked::MemoryExpr>(base.get())) {
    if (memory->place.isAnchor) {
      error(range, "an element has no dimensions to index");
      return makeInvalid(range);
    }
    // A region of a tensor is a value.
    const Place &place = memory->place;
    bool isRegion =
        place.root->type.isTensor() && !place.isView && !place.isWhole();
    if (!hasNewAxis && !isRegion)
      return indexMemory(indexed, std::move(memory->place), base->range);
    if (memory->type.isTensor() &&
        llvm::is_contained(memory->place.getExtents(), dynamicExtent)) {
      error(range, "'_' adds a dimension to a tile, and '" +
                       getQuotedText(base->range) + "' is a tensor")
          .withHelp("read a part first: " + getQuotedText(base->range) +
                    "[i +: 64][_, :]");
      return makeInvalid(range);
    }
    base = readMemory(std::move(base));
    if (base->type.isInvalid())
      return makeInvalid(range);
  }
  if (!base->type.isFragment()) {
    error(range, "'" + getQuotedText(base->range) + "' is " +
                     base->type.describe() + " and has no dimensions to index");
    return makeInvalid(range);
  }
  return indexFragment(indexed, std::move(base));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Sum of two offsets, either of which may be absent (0).
static checked::ExprPtr addOffsets(checked::ExprPtr left,
                                   checked::ExprPtr right) {
  if (!left || !right)
    return left ? std::move(left) : std::move(right);
  const auto *a = left->constant ? std::get_if<Integer>(&*left->constant) : 0;
  const auto *b = right->constant ? std::get_if<Integer>(&*right->constant) : 0;
  SourceRange range = right->range;
  if (a && b)
    return std::make_unique<checked::ConstantExpr>(
        Type::getIndex(), range, wrapInteger(*a + *b, ElementType::Int64));
  auto sum = std::make_unique<checked::BinaryExpr>(Type::getIndex(), range,
                                                   ast::BinaryOp::Add);
  sum->known = std::max(left->known, right->known);
  sum->operands.push_back(std::move(left));
  sum->operands.push_back(std::move(right));
  return sum;
}

/// `lo : hi` of a tensor: the elements from lo on, and none from hi on.
bool Checker::applyBounds(const Index &index, Place::Dim &entry) {
  ExprPtr low = checkIndexValue(*index.first, "the start of a view");
  ExprPtr high = checkIndexValue(*index.second, "the end of a view");
  if (low->type.isInvalid() || high->type.isInvalid())
    return false;
  entry.extent = dynamicExtent;
  if (low->constant && high->constant) {
    Integer count =
        std::get<Integer>(*high->constant) - std::get<Integer>(*low->constant);
    entry.extent =
        static_cast<int64_t>(std::clamp<Integer>(count, 0, Integer(INT64_MAX)));
  }
  entry.offset = std::move(low);
  entry.end = std::move(high);
  return true;
}

/// Applies one index to a dimension that stays; `whole` is its extent now.
bool Checker::applyIndex(const Index &index, unsigned dim, Place::Dim &entry,
                         int64_t whole, StringRef name, bool isTensor) {
  switch (index.kind) {
  case Index::Kind::NewAxis:
    return true;
  case Index::Kind::Full:
    return true;
  case Index::Kind::Plain: {
    ExprPtr offset = checkIndexValue(*index.first, "an index");
    if (offset->type.isInvalid())
      return false;
    if (!isTensor &&
        !checkElementBounds(*offset, index.range, dim, whole, name))
      return false;
    entry.isDropped = true;
    entry.offset = addOffsets(std::move(entry.offset), std::move(offset));
    return true;
  }
  case Index::Kind::Region: {
    ExprPtr offset = checkIndexValue(*index.first, "the start of a part");
    std::optional<int64_t> count =
        checkExtent(*index.second, "the extent of a part");
    if (offset->type.isInvalid() || !count)
      return false;
    const auto *low =
        offset->constant ? std::get_if<Integer>(&*offset->constant) : nullptr;
    // A part longer than the tile lies outside wherever it begins.
    if (!isTensor && (low || *count > whole) &&
        !checkPart(index.range, low ? *low : 0, *count, dim, whole, name))
      return false;
    entry.extent = *count;
    entry.offset = addOffsets(std::move(entry.offset), std::move(offset));
    return true;
  }
  case Index::Kind::Range: {
    if (isTensor)
      return applyBounds(index, entry);
    std::optional<Integer> low =
        checkConstantInteger(*index.first, "the start of a part");
    std::optional<Integer> high =
        checkConstantInteger(*index.second, "the end of a part");
    if (!low || !high)
      return false;
    if (*high <= *low) {
      error(index.range, "a part has at least one element, and this one runs "
                         "from " +
                             formatConstant(Constant(*low)) + " to " +
                             formatConstant(Constant(*high)));
      return false;
    }
    if (!checkPart(index.range, *low, *high - *low, dim, whole, name))
      return false;
    entry.extent = static_cast<int64_t>(*high - *low);
    entry.offset =
        addOffsets(std::move(entry.offset),
                   makeConstant(Type::getIndex(), index.range, *low));
    return true;
  }
  }
  llvm_unreachable("every kind of index is applied");
}

Checker::ExprPtr Checker::indexMemory(const ast::IndexExpr &indexed,
                                      Place place, SourceRange baseRange) {
  SourceRange range = indexed.getRange();
  std::string name = getQuotedText(baseRange);
  bool isTensor = place.root->type.isTensor();
  if (place.hasBounds())
    place = makePlaceIn(std::move(place));
  if (!checkIndexCount(indexed, name, place.getExtents().size()))
    return makeInvalid(range);

  bool allPlain = true, hasRegion = false, isGood = true;
  auto index = indexed.indices.begin();
  unsigned dim = 0;
  for (Place::Dim &entry : place.dims) {
    if (entry.isDropped)
      continue;
    allPlain &= index->kind == Index::Kind::Plain;
    hasRegion |= index->kind == Index::Kind::Region;
    isGood &= applyIndex(*index, dim++, entry, entry.extent, name, isTensor);
    ++index;
  }
  if (!isGood)
    return makeInvalid(range);
  ElementType element = place.getElement();
  Type type;
  if (allPlain) {
    place.isAnchor = true;
    type =
        isTensor ? Type::getTensor(element, {}) : Type::getShared(element, {});
  } else {
    Extents extents = place.getExtents();
    if (isTensor && hasRegion && llvm::is_contained(extents, dynamicExtent)) {
      bool hasBounds = place.hasBounds();
      error(range, llvm::Twine(hasBounds ? "'lo : hi'" : "':'") +
                       " beside '+:' needs an extent known at compile time")
          .withHelp(hasBounds ? "write lo +: n, with n a config constant"
                              : "write 0 +: n, with n a config constant");
      return makeInvalid(range);
    }
    place.isView = isTensor && !hasRegion;
    // Bounds known at compile time are an extent like any other.
    if (hasRegion)
      for (Place::Dim &entry : place.dims)
        entry.end = nullptr;
    for (Place::Dim &entry : place.dims)
      if (entry.isDropped)
        entry.extent = goneExtent;
    type = isTensor ? Type::getTensor(element, extents)
                    : Type::getShared(element, extents);
  }
  return std::make_unique<checked::MemoryExpr>(type, range, std::move(place));
}

bool Checker::resolveAnchor(Place &place, SourceRange range,
                            llvm::ArrayRef<int64_t> extents) {
  // Only the dimensions that the anchor indexed take part; those that an
  // earlier view dropped are gone.
  llvm::SmallVector<Place::Dim *> dims;
  for (Place::Dim &dim : place.dims)
    if (dim.extent != goneExtent)
      dims.push_back(&dim);
  if (extents.size() > dims.size()) {
    error(range, "'" + getQuotedText(range) + "' has rank " +
                     llvm::Twine(dims.size()) + ", the other side " +
                     llvm::Twine(extents.size()));
    return false;
  }
  unsigned first = dims.size() - extents.size();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    Place::Dim &dim = *dims[first + i];
    int64_t whole = dim.extent;
    const auto *low = dim.offset && dim.offset->constant
                          ? std::get_if<Integer>(&*dim.offset->constant)
                          : nullptr;
    if (place.root->type.isShared() && (low || extent > whole) &&
        !checkPart(range, low ? *low : 0, extent, first + i, whole,
                   place.root->name))
      return false;
    dim.isDropped = false;
    dim.extent = extent;
  }
  place.isAnchor = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

Checker::ExprPtr Checker::indexFragment(const ast::IndexExpr &indexed,
                                        ExprPtr base) {
  SourceRange range = indexed.getRange();
  std::string name = getQuotedText(base->range);
  Extents extents(base->type.getExtents());
  if (!checkIndexCount(indexed, name, extents.size()))
    return makeInvalid(range);
  if (llvm::all_of(indexed.indices, [](const Index &index) {
        return index.kind == Index::Kind::Plain;
      }))
    return indexElement(indexed, std::move(base));

  std::vector<checked::PartExpr::Dim> dims;
  Extents partExtents;
  bool isGood = true;
  unsigned dim = 0;
  for (const Index &index : indexed.indices) {
    if (index.kind == Index::Kind::NewAxis)
      continue;
    Place::Dim entry;
    entry.extent = extents[dim];
    isGood &= applyIndex(index, dim, entry, extents[dim], name,
                         /*isTensor=*/false);
    ++dim;
    int64_t offset = 0;
    if (isGood && entry.offset) {
      const auto *value = entry.offset->constant
                              ? std::get_if<Integer>(&*entry.offset->constant)
                              : nullptr;
      if (!value) {
        reportNotConstant(*index.first, "the start of a part of a fragment");
        isGood = false;
        continue;
      }
      offset = static_cast<int64_t>(*value);
    }
    dims.push_back({offset, entry.isDropped});
    if (!entry.isDropped)
      partExtents.push_back(entry.extent);
  }
  if (!isGood)
    return makeInvalid(range);
  if (partExtents.empty()) {
    error(range, "this part of '" + name + "' has no dimension left")
        .withHelp("an element is read inside 'parallel'");
    return makeInvalid(range);
  }
  bool isWhole = partExtents == extents;
  if (!isWhole) {
    auto part = std::make_unique<checked::PartExpr>(
        Type::getFragment(base->type.getElement(), partExtents), range,
        std::move(dims));
    part->known = base->known;
    part->operands.push_back(std::move(base));
    base = std::move(part);
  }
  return addAxes(indexed, std::move(base));
}

/// Adds the dimensions of extent 1 that `_` stands for.
Checker::ExprPtr Checker::addAxes(const ast::IndexExpr &indexed, ExprPtr base) {
  Extents source(base->type.getExtents()), extents;
  std::vector<int> sourceDims;
  unsigned next = 0;
  for (const Index &index : indexed.indices) {
    if (index.kind == Index::Kind::Plain)
      continue;
    if (index.kind == Index::Kind::NewAxis) {
      extents.push_back(1);
      continue;
    }
    sourceDims.push_back(extents.size());
    extents.push_back(source[next++]);
  }
  base->range = indexed.getRange();
  if (extents == source)
    return base;
  if (!checkTileSize(extents, indexed.getRange()))
    return makeInvalid(indexed.getRange());
  auto result = std::make_unique<checked::ReindexExpr>(
      Type::getFragment(base->type.getElement(), extents), indexed.getRange(),
      std::move(sourceDims));
  result->known = base->known;
  result->operands.push_back(std::move(base));
  return result;
}

Checker::ExprPtr Checker::indexElement(const ast::IndexExpr &indexed,
                                       ExprPtr base) {
  SourceRange range = indexed.getRange();
  if (!parallel) {
    error(range, "an element of a fragment is read inside 'parallel' only")
        .withHelp("write for i in parallel(n) { ... }, or read a part: " +
                  getQuotedText(base->range) + "[i +: 1]");
    return makeInvalid(range);
  }
  auto *read = llvm::dyn_cast<checked::ReadExpr>(base.get());
  if (!read) {
    error(range, "inside 'parallel' a tile is indexed by its name")
        .withHelp("name the tile with 'let' before the loop");
    return makeInvalid(range);
  }
  Variable *variable = read->variable;
  auto element = std::make_unique<checked::ElementExpr>(range, variable);
  ParallelContext::Read record{variable, {}, range};
  for (auto [dim, index] : llvm::enumerate(indexed.indices)) {
    ExprPtr value = checkIndexValue(*index.first, "an index");
    if (value->type.isInvalid() ||
        !checkElementBounds(*value, index.range, dim,
                            variable->type.getExtents()[dim], variable->name))
      return makeInvalid(range);
    record.indices.push_back(getAffine(*value));
    element->operands.push_back(std::move(value));
  }
  parallel->reads.push_back(std::move(record));
  return element;
}
