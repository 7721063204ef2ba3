//===- GemmKernel.cpp - A whole matrix kernel as LLVM IR ------------------===//
//
// Four warps in two rows and two columns hold 32 x 32 of C each.  A stage has
// 64 rows of A and 64 of B with 64 bytes each; 16-byte chunk c of row r lies at
// chunk c xor (r / 2) % 4.
//
//===----------------------------------------------------------------------===//

#include "GemmKernel.h"

#include <vector>

using namespace tilec::test;

namespace {

constexpr unsigned stageBytes = 8192, operandBytes = 4096;

class GemmBuilder {
public:
  explicit GemmBuilder(const GemmOptions &options) : options(options) {}
  std::string build();

private:
  /// Appends a line; `define` also names its value.
  void line(const std::string &text) { body += "  " + text + "\n"; }
  std::string define(const std::string &text) {
    std::string name = "%v" + std::to_string(++values);
    line(name + " = " + text);
    return name;
  }
  std::string number(unsigned value) { return std::to_string(value); }
  std::string binary(const std::string &op, const std::string &a,
                     const std::string &b) {
    return define(op + " i32 " + a + ", " + b);
  }

  /// Offset of a 16-byte chunk in an operand's tile.
  std::string tileOffset(const std::string &row, const std::string &chunk) {
    std::string place = chunk;
    if (options.swizzles)
      place =
          binary("xor", chunk, binary("and", binary("lshr", row, "1"), "3"));
    return binary("add", binary("shl", row, "6"), binary("shl", place, "4"));
  }
  /// Starts the copies of a thread for K step `step` into slot `slot`.
  void copyStage(const std::string &step, const std::string &slot);
  void multiplyStage(const std::string &slot,
                     std::vector<std::string> &accumulators);
  std::string loadMatrices(const std::string &slot, unsigned operand,
                           const std::string &row, const std::string &chunk);
  void storeResults(const std::vector<std::string> &accumulators);

  GemmOptions options;
  std::string body;
  unsigned values = 0;
};

} // namespace

void GemmBuilder::copyStage(const std::string &step, const std::string &slot) {
  std::string base = binary("mul", slot, number(stageBytes));
  for (unsigned operand = 0; operand < 2; ++operand)
    for (unsigned i = 0; i < 2; ++i) {
      std::string chunkNumber = binary("add", "%tid", number(128 * i));
      std::string row = binary("lshr", chunkNumber, "2");
      std::string chunk = binary("and", chunkNumber, "3");
      std::string offset =
          binary("add", binary("add", base, tileOffset(row, chunk)),
                 number(operand * operandBytes));
      std::string destination = define(
          "getelementptr i8, ptr addrspace(3) @tile_shared, i32 " + offset);
      // Byte (row0 + row) * 2 K + step * 64 + chunk * 16.
      std::string line = binary("add", operand ? "%n0" : "%m0", row);
      std::string at = binary("mul", line, "%pitch");
      at = binary("add", at, binary("shl", step, "6"));
      at = binary("add", at, binary("shl", chunk, "4"));
      std::string source =
          define("getelementptr i8, ptr addrspace(1) " +
                 std::string(operand ? "%B" : "%A") + ", i32 " + at);
      this->line("call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr "
                 "addrspace(3) " +
                 destination + ", ptr addrspace(1) " + source + ")");
    }
}

std::string GemmBuilder::loadMatrices(const std::string &slot, unsigned operand,
                                      const std::string &row,
                                      const std::string &chunk) {
  std::string offset = binary(
      "add", binary("mul", slot, number(stageBytes)),
      binary("add", tileOffset(row, chunk), number(operand * operandBytes)));
  std::string address =
      define("getelementptr i8, ptr addrspace(3) @tile_shared, i32 " + offset);
  return define("call {i32, i32, i32, i32} "
                "@llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr "
                "addrspace(3) " +
                address + ")");
}

void GemmBuilder::multiplyStage(const std::string &slot,
                                std::vector<std::string> &accumulators) {
  auto extract = [&](const std::string &matrices, unsigned index) {
    return define("extractvalue {i32, i32, i32, i32} " + matrices + ", " +
                  number(index));
  };
  for (unsigned k = 0; k < 2; ++k) {
    std::vector<std::vector<std::string>> a, b;
    for (unsigned block = 0; block < 2; ++block) {
      // A: row lane % 16, chunk 2 k + lane / 16.
      std::string row = binary(
          "add", "%warpRow",
          binary("add", binary("and", "%lane", "15"), number(16 * block)));
      std::string chunk =
          binary("add", binary("lshr", "%lane", "4"), number(2 * k));
      std::string matrices = loadMatrices(slot, 0, row, chunk);
      a.emplace_back();
      for (unsigned i = 0; i < 4; ++i)
        a.back().push_back(extract(matrices, i));
      // B, two blocks of 8 columns: row lane % 8 + 8 (lane / 16), chunk
      // 2 k + lane / 8 % 2.
      row = binary("add", binary("and", "%lane", "7"),
                   binary("shl", binary("lshr", "%lane", "4"), "3"));
      row =
          binary("add", row, binary("add", "%warpColumn", number(16 * block)));
      chunk = binary("add", binary("and", binary("lshr", "%lane", "3"), "1"),
                     number(2 * k));
      matrices = loadMatrices(slot, 1, row, chunk);
      for (unsigned half = 0; half < 2; ++half) {
        b.emplace_back();
        b.back().push_back(extract(matrices, 2 * half));
        b.back().push_back(extract(matrices, 2 * half + 1));
      }
    }
    for (unsigned i = 0; i < 2; ++i)
      for (unsigned j = 0; j < 4; ++j) {
        std::string arguments;
        for (const std::string &x : a[i])
          arguments += "i32 " + x + ", ";
        for (const std::string &x : b[j])
          arguments += "i32 " + x + ", ";
        for (unsigned r = 0; r < 4; ++r)
          arguments +=
              (r ? ", float " : "float ") + accumulators[(i * 4 + j) * 4 + r];
        std::string d = define("call {float, float, float, float} "
                               "@llvm.nvvm.mma.m16n8k16.row.col.bf16(" +
                               arguments + ")");
        for (unsigned r = 0; r < 4; ++r)
          accumulators[(i * 4 + j) * 4 + r] =
              define("extractvalue {float, float, float, float} " + d + ", " +
                     number(r));
      }
  }
}

void GemmBuilder::storeResults(const std::vector<std::string> &accumulators) {
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 4; ++j)
      for (unsigned half = 0; half < 2; ++half) {
        std::string row = binary("add", binary("add", "%m0", "%warpRow"),
                                 binary("add", binary("lshr", "%lane", "2"),
                                        number(16 * i + 8 * half)));
        std::string column = binary(
            "add", binary("add", "%n0", "%warpColumn"),
            binary("add", binary("shl", binary("and", "%lane", "3"), "1"),
                   number(8 * j)));
        std::string index = binary("add", binary("mul", row, "%N"), column);
        std::string address =
            define("getelementptr float, ptr addrspace(1) %C, i32 " + index);
        unsigned first = (i * 4 + j) * 4 + 2 * half;
        std::string pair = define("insertelement <2 x float> poison, float " +
                                  accumulators[first] + ", i32 0");
        pair = define("insertelement <2 x float> " + pair + ", float " +
                      accumulators[first + 1] + ", i32 1");
        line("store <2 x float> " + pair + ", ptr addrspace(1) " + address +
             ", align 8");
      }
}

std::string GemmBuilder::build() {
  line("%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()");
  line("%block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()");
  line("%columns = lshr i32 %N, 6");
  line("%by = udiv i32 %block, %columns");
  line("%bx = urem i32 %block, %columns");
  line("%m0 = shl i32 %by, 6");
  line("%n0 = shl i32 %bx, 6");
  line("%pitch = shl i32 %K, 1");
  line("%steps = lshr i32 %K, 5");
  line("%lane = and i32 %tid, 31");
  line("%warp = lshr i32 %tid, 5");
  line("%warpRow = shl i32 " + binary("lshr", "%warp", "1") + ", 5");
  line("%warpColumn = shl i32 " + binary("and", "%warp", "1") + ", 5");
  for (unsigned stage = 0; stage + 1 < options.stages; ++stage) {
    std::string n = number(stage);
    line("%has" + n + " = icmp ult i32 " + n + ", %steps");
    line("br i1 %has" + n + ", label %copy" + n + ", label %copied" + n);
    body += "copy" + n + ":\n";
    copyStage(n, n);
    line("br label %copied" + n);
    body += "copied" + n + ":\n";
    line("call void @llvm.nvvm.cp.async.commit.group()");
  }
  line("br label %head");
  body += "head:\n";
  std::string last = options.stages > 1 ? "%copied" + number(options.stages - 2)
                                        : std::string("%0");
  line("%step = phi i32 [ 0, " + last + " ], [ %nextStep, %latch ]");
  std::vector<std::string> accumulators;
  for (unsigned i = 0; i < 32; ++i) {
    std::string n = number(i);
    line("%acc" + n + " = phi float [ 0.0, " + last + " ], [ %next" + n +
         ", %latch ]");
    accumulators.push_back("%acc" + n);
  }
  line("%more = icmp ult i32 %step, %steps");
  line("br i1 %more, label %work, label %end");
  body += "work:\n";
  if (options.waits)
    line("call void @llvm.nvvm.cp.async.wait.group(i32 " +
         number(options.stages - 2) + ")");
  if (options.hasBarrier)
    line("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
  line("%ahead = add i32 %step, " + number(options.stages - 1));
  line("%fetches = icmp ult i32 %ahead, %steps");
  line("br i1 %fetches, label %fetch, label %multiply");
  body += "fetch:\n";
  copyStage("%ahead", binary("urem", "%ahead", number(options.stages)));
  line("br label %multiply");
  body += "multiply:\n";
  line("call void @llvm.nvvm.cp.async.commit.group()");
  multiplyStage(binary("urem", "%step", number(options.stages)), accumulators);
  line("br label %latch");
  body += "latch:\n";
  for (unsigned i = 0; i < 32; ++i)
    line("%next" + number(i) + " = fadd float " + accumulators[i] + ", -0.0");
  line("%nextStep = add i32 %step, 1");
  line("br label %head");
  body += "end:\n";
  std::vector<std::string> results;
  for (unsigned i = 0; i < 32; ++i)
    results.push_back("%acc" + number(i));
  storeResults(results);
  line("ret void");
  return body;
}

GemmText tilec::test::makeGemm(const GemmOptions &options) {
  GemmText text;
  text.globals =
      "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
      "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
      "declare void @llvm.nvvm.cp.async.commit.group()\n"
      "declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)\n";
  text.parameters = "ptr addrspace(1) %A, ptr addrspace(1) %B, ptr "
                    "addrspace(1) %C, i32 %N, i32 %K";
  text.body = GemmBuilder(options).build();
  text.sharedBytes = options.stages * stageBytes;
  return text;
}
