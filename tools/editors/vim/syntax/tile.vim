" Vim syntax of the tile language (docs/language.md): copy syntax/ and ftdetect/
" to ~/.vim, or to ~/.config/nvim.
if exists("b:current_syntax")
  finish
endif

syntax keyword tileKeyword kernel fn import const config where grid threads
syntax keyword tileKeyword in out inout shared global pack strided prepack
syntax keyword tileKeyword noalias let var cast reinterpret
syntax keyword tileConditional if else
syntax keyword tileRepeat for while range pipelined unrolled parallel persistent
syntax keyword tileKeyword warpgroup
syntax keyword tileJump break continue return
syntax keyword tileBoolean true false
syntax keyword tileConstant inf nan pi log2e ln2
syntax keyword tileType bool int4 int8 int16 int32 int64 uint4 uint8
syntax keyword tileType uint16 uint32 uint64 f16 bf16 f32 f64 tf32
syntax keyword tileType fp8_e4m3 fp8_e5m2 fp4_e2m1 e8m0
syntax keyword tileBuiltin exp exp2 log log2 sqrt rsqrt
syntax keyword tileBuiltin rcp sin cos tanh erf tanh_approx
syntax keyword tileBuiltin floor ceil trunc round fma min
syntax keyword tileBuiltin max clamp abs select isnan isinf
syntax keyword tileBuiltin ceildiv load full iota transpose reshape
syntax keyword tileBuiltin dequant size_bytes reduce_sum reduce_max reduce_min reduce_absmax
syntax keyword tileBuiltin cumsum alloc_shared alloc_fragment alloc_barrier copy clear
syntax keyword tileBuiltin fill gemm gemm_scaled assert print async_copy
syntax keyword tileBuiltin commit_group wait_group tma_copy arrive expect_bytes wait
syntax keyword tileBuiltin set_max_registers annotate atomic_add atomic_max atomic_min

syntax match tileNumber "\v<(0x[0-9a-fA-F_]+|0b[01_]+|\d[0-9_]*(\.\d[0-9_]*)?([eE][+-]?\d+)?)>"
syntax region tileString start=/"/ skip=/\\./ end=/"/ oneline
syntax match tileComment "//.*$" contains=@Spell
syntax region tileComment start="/\*" end="\*/" contains=@Spell

highlight default link tileKeyword Keyword
highlight default link tileConditional Conditional
highlight default link tileRepeat Repeat
highlight default link tileJump Statement
highlight default link tileBoolean Boolean
highlight default link tileConstant Constant
highlight default link tileType Type
highlight default link tileBuiltin Function
highlight default link tileNumber Number
highlight default link tileString String
highlight default link tileComment Comment

let b:current_syntax = "tile"
