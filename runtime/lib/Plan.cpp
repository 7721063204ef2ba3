//===-- Plan.cpp - Checks a launch and chooses the variant ----------------===//
//
// The checks come in the order that the language gives: arguments, symbols,
// strides and packing (Binding.cpp); `where` facts; `noalias`; facts about
// addresses. Then the first variant whose guards hold is taken; its grid, and
// what it says of its blocks and tensor maps, are worked out.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Dtype.h"
#include "TensorMap.h"
#include "Text.h"

namespace tilert::detail {
namespace {

constexpr int64_t maxBlocks = INT32_MAX; // grid.x of every architecture

/// "K = 200, G = 128".
std::string showValues(const KernelInfo &kernel, const Check &check,
                       const int64_t *slots) {
  std::string text;
  for (const ShownValue &shown : check.shown)
    text +=
        join(text.empty() ? "" : ", ", shown.name, " = ",
             shown.slot < 0 ? shown.constant
                            : showSlot(kernel, shown.slot, slots[shown.slot]));
  return text;
}

/// "'K % G == 0' does not hold: K = 200, G = 128". Words that quote names
/// themselves are not quoted: "it does not hold that 'A' is aligned (...)".
std::string describeFailure(const KernelInfo &kernel, const Check &check,
                            EvalError error, const int64_t *slots) {
  std::string values = showValues(kernel, check, slots);
  bool areWords = check.text.find('\'') != check.text.npos;
  if (check.message.empty() && areWords && error == EvalError::None)
    return join("it does not hold that ", check.text,
                values.empty() ? "" : join(" (", values, ')'));
  std::string text =
      !check.message.empty()
          ? check.message
          : join(quote(check.text), ' ',
                 error == EvalError::None ? "does not hold" : describe(error));
  return values.empty() ? text : join(text, ": ", values);
}

class Planner {
public:
  Planner(const PlanOptions &options, tilert_plan &plan)
      : kernel(*plan.kernel->info), options(options), plan(plan) {}

  Status decide() {
    TILERT_RETURN_IF_ERROR(readSmCount());
    TILERT_RETURN_IF_ERROR(checkFacts(/*aboutAddresses=*/false));
    TILERT_RETURN_IF_ERROR(checkAliases());
    TILERT_RETURN_IF_ERROR(checkFacts(/*aboutAddresses=*/true));
    plan.variant = 0;
    plan.workspace = 0;
    Status chosen = chooseVariant();
    fits = chosen.isOk();
    // Facts of the source may be guards where variants have axes of their own,
    // and no axes say then what there is to do.
    if (!fits && hasOwnAxes())
      return chosen;
    // The axes may be the variant's own.
    TILERT_RETURN_IF_ERROR(computeGrid());
    if (plan.grid == 0 && !options.explains)
      return {};
    // Nothing runs in an empty grid, so that nothing has to fit, unless the
    // caller insists on a variant.
    if (plan.grid != 0 || options.variant)
      TILERT_RETURN_IF_ERROR(std::move(chosen));
    tiles = plan.grid;
    plan.tensorMaps.assign(kernel.variants[plan.variant].tensorMaps.size(), {});
    if (plan.grid != 0)
      TILERT_RETURN_IF_ERROR(fillIn(kernel.variants[plan.variant]));
    packValues();
    if (options.explains)
      explain();
    return {};
  }

private:
  const int64_t *slots() const { return plan.binding.slots.data(); }

  bool hasOwnAxes() const {
    for (const Variant &variant : kernel.variants)
      if (variant.axes)
        return true;
    return false;
  }

  Status readSmCount() {
    if (!kernel.usesSmCount)
      return {};
    if (!options.device || options.device->sm_count <= 0)
      return {
          TILERT_INVALID_ARGUMENT,
          "the number of SMs is needed, and the device facts do not give it; "
          "tilert_device_facts_query has those of a GPU"};
    for (size_t i = kernel.symbols.size(); i < kernel.slots.size(); ++i)
      if (kernel.slots[i].kind == Slot::Kind::SmCount)
        plan.binding.slots[i] = options.device->sm_count;
    return {};
  }

  Status checkFacts(bool aboutAddresses) {
    for (const Check &check : kernel.checks) {
      if (check.usesAddresses != aboutAddresses)
        continue;
      int64_t holds;
      EvalError error = check.expr.evaluate(slots(), holds);
      if (error != EvalError::None || !holds)
        return {TILERT_CHECK_FAILED,
                describeFailure(kernel, check, error, slots())};
    }
    return {};
  }

  Status checkAliases() {
    const std::vector<Parameter> &parameters = kernel.parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].facts.noalias)
        continue;
      for (size_t j = 0; j < parameters.size(); ++j) {
        if (i == j || !parameters[j].isTensor())
          continue;
        const tilert_bound_tensor &a = plan.binding.tensors[i];
        const tilert_bound_tensor &b = plan.binding.tensors[j];
        if (doOverlap(storageOf(parameters[i], a), storageOf(parameters[j], b)))
          return {TILERT_CHECK_FAILED,
                  join("argument ", quote(parameters[i].name),
                       " is declared noalias, but overlaps argument ",
                       quote(parameters[j].name), ": ", showRange(a), " and ",
                       showRange(b))};
      }
    }
    return {};
  }

  static std::string showRange(const tilert_bound_tensor &tensor) {
    return join(tensor.bytes, " bytes at ",
                toHex(reinterpret_cast<uintptr_t>(tensor.first)));
  }

  const std::vector<Axis> &axes() const {
    return kernel.axesOf(kernel.variants[plan.variant]);
  }

  Status computeGrid() {
    bool isEmpty = false;
    for (size_t i = 0; i < axes().size(); ++i) {
      const Axis &axis = axes()[i];
      EvalError error = axis.extent.evaluate(slots(), plan.axes[i]);
      if (error != EvalError::None)
        return {TILERT_LIMIT_EXCEEDED,
                join("grid axis ", quote(axis.name), ": ",
                     quote(axis.extent.text()), ' ', describe(error),
                     showRead(axis.extent))};
      if (plan.axes[i] < 0)
        return {TILERT_LIMIT_EXCEEDED,
                join(describeAxis(axis, plan.axes[i]), ", the least is 0",
                     showRead(axis.extent))};
      isEmpty |= plan.axes[i] == 0;
    }
    plan.grid = isEmpty ? 0 : 1;
    for (size_t i = 0; i < axes().size() && !isEmpty; ++i) {
      if (plan.axes[i] > maxBlocks)
        return {TILERT_LIMIT_EXCEEDED,
                join(describeAxis(axes()[i], plan.axes[i]), ", the limit is ",
                     maxBlocks, " blocks", showRead(axes()[i].extent))};
      if (__builtin_mul_overflow(plan.grid, plan.axes[i], &plan.grid) ||
          plan.grid > maxBlocks)
        return {TILERT_LIMIT_EXCEEDED,
                join("grid axes ", showAxes(),
                     " make more blocks than the limit, ", maxBlocks)};
    }
    return {};
  }

  /// What a variant that will run says of its launch.
  Status fillIn(const Variant &variant) {
    if (options.device)
      TILERT_RETURN_IF_ERROR(checkBlock(variant, *options.device));
    if (variant.blocks)
      TILERT_RETURN_IF_ERROR(computeBlocks(variant));
    if (variant.workspace)
      TILERT_RETURN_IF_ERROR(computeWorkspace(variant));
    for (size_t i = 0; i < variant.tensorMaps.size(); ++i)
      TILERT_RETURN_IF_ERROR(describeTensorMap(
          kernel, variant, i, plan.binding.tensors, plan.tensorMaps[i]));
    return {};
  }

  Status computeBlocks(const Variant &variant) {
    const Expr &blocks = *variant.blocks;
    auto fail = [&](std::string text) {
      return Status(TILERT_LIMIT_EXCEEDED,
                    join("blocks of variant ", quote(variant.name), ": ",
                         quote(blocks.text()), ' ', text, showRead(blocks)));
    };
    EvalError error = blocks.evaluate(slots(), plan.grid);
    if (error != EvalError::None)
      return fail(std::string(describe(error)));
    // Without a block the results would stay as they are.
    if (plan.grid < 1 || plan.grid > maxBlocks)
      return fail(join("is ", plan.grid, ", not from 1 to ", maxBlocks));
    if (plan.grid % variant.cluster != 0)
      return fail(join("is ", plan.grid, ", no multiple of the ",
                       variant.cluster, " of a cluster"));
    return {};
  }

  Status computeWorkspace(const Variant &variant) {
    const Expr &bytes = *variant.workspace;
    EvalError error = bytes.evaluate(slots(), plan.workspace);
    if (error == EvalError::None && plan.workspace > 0)
      return {};
    return {TILERT_LIMIT_EXCEEDED,
            join("workspace of variant ", quote(variant.name), ": ",
                 quote(bytes.text()), ' ',
                 error == EvalError::None ? join("is ", plan.workspace)
                                          : std::string(describe(error)),
                 showRead(bytes))};
  }

  /// "grid axis 'by' (ceildiv(M, 128)) is -3".
  static std::string describeAxis(const Axis &axis, int64_t extent) {
    return join("grid axis ", quote(axis.name), " (", axis.extent.text(),
                ") is ", extent);
  }

  /// ": M = 3", what an expression reads.
  std::string showRead(const Expr &expr) {
    std::string text = showSlots(kernel, expr.slotsRead(), slots());
    return text.empty() ? text : ": " + text;
  }

  std::string showAxes() {
    std::string text;
    for (size_t i = 0; i < axes().size(); ++i)
      text += join(i ? ", " : "", quote(axes()[i].name), " = ", plan.axes[i]);
    return text;
  }

  /// The first guard of a variant that does not hold, or NULL.
  const Check *findBrokenGuard(const Variant &variant, EvalError &error) {
    for (const Check &guard : variant.guards) {
      int64_t holds;
      error = guard.expr.evaluate(slots(), holds);
      // A guard without a value promises nothing.
      if (error != EvalError::None || !holds)
        return &guard;
    }
    return nullptr;
  }

  Status chooseVariant() {
    plan.refusals.clear();
    const std::vector<Variant> &variants = kernel.variants;
    bool isFound = false;
    for (size_t i = 0; i < variants.size(); ++i) {
      bool isWanted = !options.variant || variants[i].name == options.variant;
      isFound |= isWanted;
      EvalError error = EvalError::None;
      const Check *broken = findBrokenGuard(variants[i], error);
      if (!broken && isWanted) {
        plan.variant = i;
        return {};
      }
      if (!options.explains)
        continue;
      plan.refusals.push_back(
          broken ? describeFailure(kernel, *broken, error, slots())
                 : join("variant ", quote(options.variant), " was asked for"));
    }
    if (options.variant && !isFound)
      return {TILERT_NOT_FOUND,
              join("there is no variant ", quote(options.variant), ", only ",
                   showVariants())};
    return noVariantError();
  }

  Status noVariantError() {
    std::string text =
        options.variant
            ? join("variant ", quote(options.variant), " cannot be used")
            : std::string("no variant fits");
    for (const Variant &variant : kernel.variants) {
      EvalError error = EvalError::None;
      const Check *broken = findBrokenGuard(variant, error);
      if (broken && (!options.variant || variant.name == options.variant))
        text +=
            join(options.variant ? ": " : join("; ", quote(variant.name), ": "),
                 describeFailure(kernel, *broken, error, slots()));
    }
    return {TILERT_CHECK_FAILED, std::move(text)};
  }

  std::string showVariants() {
    std::string text;
    for (const Variant &variant : kernel.variants)
      text += join(text.empty() ? "" : ", ", quote(variant.name));
    return text;
  }

  uint64_t bitsOfArgument(const KernelArgument &argument) {
    auto index = size_t(argument.index);
    switch (argument.kind) {
    case TILERT_VALUE_TENSOR:
      return reinterpret_cast<uintptr_t>(plan.binding.tensors[index].data);
    case TILERT_VALUE_SYMBOL:
      return uint64_t(plan.binding.slots[index]);
    case TILERT_VALUE_SCALAR:
      return plan.binding.scalars[index];
    case TILERT_VALUE_STRIDE:
      return uint64_t(storedStride(kernel.parameters[index],
                                   plan.binding.tensors[index], argument.dim));
    case TILERT_VALUE_TENSOR_MAP:
    case TILERT_VALUE_WORKSPACE:
      break;
    }
    return 0;
  }

  void packValues() {
    const std::vector<KernelArgument> &arguments =
        kernel.variants[plan.variant].arguments;
    plan.valueBits.resize(arguments.size());
    plan.pointers.resize(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      plan.valueBits[i] = bitsOfArgument(arguments[i]);
      bool isOfLaunch = arguments[i].kind == TILERT_VALUE_TENSOR_MAP ||
                        arguments[i].kind == TILERT_VALUE_WORKSPACE;
      plan.pointers[i] = isOfLaunch ? nullptr : &plan.valueBits[i];
    }
  }

  void explain() {
    const Variant &variant = kernel.variants[plan.variant];
    plan.values.clear();
    for (size_t i = 0; i < variant.arguments.size(); ++i) {
      const KernelArgument &argument = variant.arguments[i];
      bool isSymbol = argument.kind == TILERT_VALUE_SYMBOL;
      auto index = size_t(argument.index);
      if (argument.kind == TILERT_VALUE_TENSOR_MAP) {
        auto tensor = size_t(variant.tensorMaps[index].parameter);
        plan.values.push_back({argument.kind, sizeof(tilert_tensor_map),
                               kernel.parameters[tensor].name.c_str(),
                               &plan.tensorMaps[index]});
        continue;
      }
      if (argument.kind == TILERT_VALUE_WORKSPACE) {
        plan.values.push_back(
            {argument.kind, 8, "workspace", &plan.valueBits[i]});
        continue;
      }
      int bytes = argument.kind == TILERT_VALUE_SCALAR
                      ? bytesOfScalar(kernel.parameters[index].facts.dtype)
                      : 8;
      plan.values.push_back({argument.kind, bytes,
                             isSymbol ? kernel.symbols[index].name.c_str()
                                      : kernel.parameters[index].name.c_str(),
                             &plan.valueBits[i]});
    }

    std::string &text = plan.text;
    text = join("kernel ", kernel.name, ": ",
                fits ? "variant " + variant.name : "no variant fits", '\n');
    for (size_t i = 0; i < (fits ? plan.variant : plan.refusals.size()); ++i)
      text +=
          join("  not ", kernel.variants[i].name, ": ", plan.refusals[i], '\n');
    text += join("  grid ", plan.grid);
    if (variant.blocks && plan.grid != 0)
      // A grid of the device's size counts blocks itself, and may get more.
      text += plan.grid > tiles
                  ? join(" in place of ", tiles)
                  : join(" for ", tiles, tiles == 1 ? " tile" : " tiles");
    if (!axes().empty())
      text += join(" (", showAxes(), ')');
    if (variant.cluster > 1)
      text += join(" in clusters of ", variant.cluster);
    text += join(", ", variant.facts.threads, " threads, ",
                 variant.facts.shared_bytes, " bytes of shared memory",
                 plan.workspace
                     ? join(", ", plan.workspace, " bytes of workspace\n")
                     : std::string("\n"));
    for (size_t i = 0; i < kernel.symbols.size(); ++i)
      text += join(i ? ", " : "  ", kernel.symbols[i].name, " = ", slots()[i],
                   i + 1 == kernel.symbols.size() ? "\n" : "");
  }

  const KernelInfo &kernel;
  const PlanOptions &options;
  tilert_plan &plan;
  /// Whether the guards of some variant hold.
  bool fits = false;
  /// The product of the axes.
  int64_t tiles = 0;
};

} // namespace

Status bindPlan(const tilert_kernel &kernel, const tilert_argument *arguments,
                size_t count, tilert_plan &plan) {
  plan.kernel = &kernel;
  return bindArguments(*kernel.info, arguments, count, plan.binding);
}

Status decidePlan(const PlanOptions &options, tilert_plan &plan) {
  return Planner(options, plan).decide();
}

Status checkBlock(const Variant &variant, const tilert_device_facts &device) {
  const tilert_variant &facts = variant.facts;
  auto exceeds = [&](int64_t needed, std::string_view what, int64_t limit) {
    return Status(TILERT_LIMIT_EXCEEDED,
                  join("variant ", quote(variant.name), " needs ", needed, ' ',
                       what, ", the limit of the device is ", limit));
  };
  if (device.max_threads > 0 && facts.threads > device.max_threads)
    return exceeds(facts.threads, "threads a block", device.max_threads);
  if (device.max_shared_bytes > 0 &&
      facts.shared_bytes > device.max_shared_bytes)
    return exceeds(facts.shared_bytes, "bytes of shared memory a block",
                   device.max_shared_bytes);
  // A warp gets registers in units of 256, eight a thread.
  int64_t warps = (facts.threads + 31) / 32;
  int64_t registers = warps * 32 * ((int64_t(facts.registers) + 7) / 8 * 8);
  if (device.registers > 0 && registers > device.registers)
    return exceeds(registers,
                   join("registers a block (", facts.threads, " threads of ",
                        facts.registers, ')'),
                   device.registers);
  return {};
}

} // namespace tilert::detail
