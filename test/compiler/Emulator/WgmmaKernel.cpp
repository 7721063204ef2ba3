//===- WgmmaKernel.cpp - Kernels of wgmma ---------------------------------===//

#include "WgmmaKernel.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::test;

std::vector<std::string> Wgmma::values(const std::string &name) const {
  std::vector<std::string> all;
  for (unsigned r = 0; r < registers(); ++r)
    all.push_back("%" + name + "." + std::to_string(r));
  return all;
}

std::vector<std::string> Wgmma::constants(const std::string &value) const {
  return std::vector<std::string>(registers(), value);
}

std::string Wgmma::structure() const {
  return "{" + llvm::join(constants(type()), ", ") + "}";
}

std::string Wgmma::extract(const std::string &name) const {
  std::string text;
  for (unsigned r = 0; r < registers(); ++r)
    text += "%" + name + "." + std::to_string(r) + " = extractvalue " +
            structure() + " %" + name + ", " + std::to_string(r) + "\n";
  return text;
}

/// "$3, $4, ..." and the like.
static std::string count(const std::string &prefix, unsigned first,
                         unsigned number) {
  std::vector<std::string> words;
  for (unsigned i = 0; i < number; ++i)
    words.push_back(prefix + std::to_string(first + i));
  return llvm::join(words, ", ");
}

std::string Wgmma::product(const std::string &result,
                           const std::vector<std::string> &accumulators,
                           const std::vector<std::string> &a,
                           const std::string &b,
                           const std::string &scale) const {
  unsigned n = registers();
  std::string code = isFloat() ? "=f" : "=r";
  std::string constraints, operands;
  for (unsigned r = 0; r < n; ++r)
    constraints += code + ",";
  for (unsigned r = 0; r < n; ++r) {
    constraints += std::to_string(r) + ",";
    operands += type() + " " + accumulators[r] + ", ";
  }
  std::string text = "{" + count("$", 0, n) + "}, ";
  // Tied inputs count as operands too.
  unsigned next = 2 * n;
  if (hasRegisterA) {
    text += "{" + count("$", next, 4) + "}, ";
    for (const std::string &word : a) {
      constraints += "r,";
      operands += "i32 " + word + ", ";
    }
    next += 4;
  } else {
    text += "$" + std::to_string(next++) + ", ";
    constraints += "l,";
    operands += "i64 " + a[0] + ", ";
  }
  text += "$" + std::to_string(next++) + ", ";
  constraints += "l,";
  operands += "i64 " + b;
  if (scale[0] == '%') {
    text += "$" + std::to_string(next);
    constraints += "b,";
    operands += ", i1 " + scale;
  } else {
    text += scale;
  }
  return "%" + result + " = call " + structure() +
         " asm sideeffect \"wgmma.mma_async.sync.aligned." + name + " " + text +
         tail + ";\", \"" + constraints + "~{memory}\"(" + operands + ")\n" +
         extract(result);
}

std::string Wgmma::tie(const std::string &statement, const std::string &result,
                       const std::vector<std::string> &registers) const {
  std::string constraints, operands;
  for (size_t r = 0; r < registers.size(); ++r)
    constraints += isFloat() ? "=f," : "=r,";
  for (size_t r = 0; r < registers.size(); ++r) {
    constraints += std::to_string(r) + ",";
    operands += (r ? ", " : "") + type() + " " + registers[r];
  }
  return "%" + result + " = call " + structure() + " asm sideeffect \"" +
         statement + "\", \"" + constraints + "~{memory}\"(" + operands +
         ")\n" + extract(result);
}

std::string tilec::test::waitProducts(unsigned groups) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";";
}
const std::string tilec::test::wgmmaFence =
    "call void asm sideeffect \"wgmma.fence.sync.aligned;\", \"~{memory}\"()\n";
const std::string tilec::test::commitProducts =
    "call void asm sideeffect \"wgmma.commit_group.sync.aligned;\", "
    "\"~{memory}\"()\n";

uint64_t tilec::test::describe(unsigned offset, unsigned leading,
                               unsigned stride, unsigned swizzle) {
  uint64_t layout = swizzle == 128  ? 1
                    : swizzle == 64 ? 2
                    : swizzle == 32 ? 3
                                    : 0;
  return offset / 16 | uint64_t(leading / 16) << 16 |
         uint64_t(stride / 16) << 32 | layout << 62;
}

TestKernel WgmmaRun::make() {
  image.resize((image.size() + 2047) / 2048 * 2048);
  std::string body = "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                     "%member = and i32 %tid, 127\n"
                     "%at = mul i32 %member, 16\n";
  for (size_t base = 0; base < image.size(); base += 2048) {
    std::string n = std::to_string(base);
    body += "%i" + n + " = add i32 %at, " + n + "\n%g" + n +
            " = getelementptr i8, ptr addrspace(1) %image, i32 %i" + n +
            "\n%x" + n + " = load <4 x i32>, ptr addrspace(1) %g" + n +
            ", align 16\n%s" + n +
            " = getelementptr i8, ptr addrspace(3) @tile_shared, i32 %i" + n +
            "\nstore <4 x i32> %x" + n + ", ptr addrspace(3) %s" + n +
            ", align 16\n";
  }
  body += imageFence + blockBarrier;
  for (unsigned step = 0; step < steps && kind.hasRegisterA; ++step)
    for (unsigned r = 0; r < 4; ++r) {
      std::string n = std::to_string(step) + "." + std::to_string(r);
      body += "%fi" + n + " = add i32 %at4, " +
              std::to_string((step * 512 + r) * 4) + "\n%fg" + n +
              " = getelementptr i8, ptr addrspace(1) %fragments, i32 %fi" + n +
              "\n%f" + n + " = load i32, ptr addrspace(1) %fg" + n +
              ", align 4\n";
    }
  if (kind.hasRegisterA)
    body.insert(body.find("%at = "), "%at4 = mul i32 %member, 16\n");
  body += fence;
  if (initial.empty())
    initial = "poison";
  std::vector<std::string> accumulators = kind.constants(initial);
  for (unsigned step = 0; step < steps; ++step) {
    std::string n = std::to_string(step);
    body += "%da" + n + " = add i64 %da, " + std::to_string(stepA * step) +
            "\n%db" + n + " = add i64 %db, " + std::to_string(stepB * step) +
            "\n";
    std::vector<std::string> a = {"%da" + n};
    if (kind.hasRegisterA) {
      a.clear();
      for (unsigned r = 0; r < 4; ++r)
        a.push_back("%f" + n + "." + std::to_string(r));
    }
    body += kind.product("d" + n, accumulators, a, "%db" + n,
                         step ? "1" : firstScale);
    accumulators = kind.values("d" + n);
  }
  body += commit + beforeWait;
  if (!wait.empty()) {
    body += kind.tie(wait, "w", accumulators);
    accumulators = kind.values("w");
  }
  if (!given.empty())
    accumulators = kind.values(given);
  unsigned n = kind.registers();
  body += "%own = mul i32 %tid, " + std::to_string(n) + "\n";
  for (unsigned r = 0; r < n; ++r) {
    std::string k = std::to_string(r);
    body += "%oi" + k + " = add i32 %own, " + k + "\n%o" + k +
            " = getelementptr i32, ptr addrspace(1) %out, i32 %oi" + k +
            "\nstore " + kind.type() + " " + accumulators[r] +
            ", ptr addrspace(1) %o" + k + ", align 4\n";
  }
  TestKernel kernel("ptr addrspace(1) %image, ptr addrspace(1) %out, i64 %da, "
                    "i64 %db, ptr addrspace(1) %fragments",
                    body + "ret void", asyncGlobals);
  out.assign(128 * n, 0xABABABAB);
  fragments.resize(std::max<size_t>(fragments.size(), 1));
  kernel.buffer("image", image, false)
      .buffer("out", out)
      .scalar(descriptorA)
      .scalar(descriptorB)
      .buffer("fragments", fragments, false)
      .threads(128)
      .shared(image.size());
  kernel.options().strictAsyncCopies = strict;
  return kernel;
}

const std::vector<uint32_t> &WgmmaRun::run() {
  make().run();
  return out;
}

EmulationReport WgmmaRun::fail() { return make().fail(); }
