// RUN: tile-opt %s --tile-allocate-shared --split-input-file --verify-diagnostics

// Tests diagnostic 25 of the language: staged tiles that would fit with fewer
// stages.  The general variant of the same kernel is not reported again.
tile.kernel @stages__aligned() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64,
    config = {BM = 128 : i64, BN = 256 : i64, BK = 64 : i64, STAGES = 5 : i64, CAUSAL = false}, origin = "stages", variant = "aligned"} {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{shared tiles need 245,760 bytes, the limit of sm_90a is 232,448}}
  // expected-note @below {{As 16,384 x 5 stages = 81,920; Bs 32,768 x 5 stages = 163,840}}
  // expected-note @below {{help: use STAGES = 4 (196,608 bytes), or a smaller BN or BK}}
  %as = tile.alloc_shared "As" {tile.stages = 5 : i64} : !tile.shared<5x128x64xbf16>
  %bs = tile.alloc_shared "Bs" {tile.stages = 5 : i64} : !tile.shared<5x64x256xbf16>
  %a = tile.stage %as[%c0] offset 0 : !tile.shared<5x128x64xbf16> -> !tile.shared<128x64xbf16>
  %b = tile.stage %bs[%c0] offset 0 : !tile.shared<5x64x256xbf16> -> !tile.shared<64x256xbf16>
  %x = tile.load %a : !tile.shared<128x64xbf16> -> tensor<128x64xbf16>
  %y = tile.load %b : !tile.shared<64x256xbf16> -> tensor<64x256xbf16>
  %z = tile.load %a : !tile.shared<128x64xbf16> -> tensor<128x64xbf16>
  tile.return
}
tile.kernel @stages__general() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64, origin = "stages", variant = "general"} {
  %t = tile.alloc_shared "T" : !tile.shared<1024x1024xf32>
  %x = tile.load %t : !tile.shared<1024x1024xf32> -> tensor<1024x1024xf32>
  tile.return
}

// -----

// Tests a kernel whose stages are a plain number.
tile.kernel @stages_without_name() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64} {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{shared tiles need 262,144 bytes, the limit of sm_90a is 232,448}}
  // expected-note @below {{As 131,072 x 2 stages = 262,144}}
  // expected-note @below {{help: use 1 stage (131,072 bytes), or smaller tiles}}
  %as = tile.alloc_shared "As" {tile.stages = 2 : i64} : !tile.shared<2x256x128xf32>
  %a = tile.stage %as[%c0] offset 0 : !tile.shared<2x256x128xf32> -> !tile.shared<256x128xf32>
  %x = tile.load %a : !tile.shared<256x128xf32> -> tensor<256x128xf32>
  tile.return
}

// -----

// Tests tiles that no number of stages would make fit: the largest is marked,
// and what does not live at the same time is not listed.
tile.kernel @no_stages() attributes {symbols = [], checks = [], grid = [], axes = [], threads = 256 : i64,
    config = {BD = 512 : i64, BM = 128 : i64, BN = 128 : i64}} {
  %u = tile.alloc_shared "Early" : !tile.shared<128x128xf32>
  %w = tile.load %u : !tile.shared<128x128xf32> -> tensor<128x128xf32>
  %s = tile.alloc_shared : !tile.shared<64xf32>
  // expected-error @below {{shared tiles need 262,400 bytes, the limit of sm_90a is 232,448}}
  // expected-note @below {{a tile of the compiler's own 256; Qs 262,144}}
  // expected-note @below {{help: use a smaller BD, BM or BN}}
  %q = tile.alloc_shared "Qs" : !tile.shared<128x512xf32>
  %x = tile.load %q : !tile.shared<128x512xf32> -> tensor<128x512xf32>
  %y = tile.load %s : !tile.shared<64xf32> -> tensor<64xf32>
  %z = tile.load %q : !tile.shared<128x512xf32> -> tensor<128x512xf32>
  tile.return
}
