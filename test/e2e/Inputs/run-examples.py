"""Runs every kernel of docs/examples at a small ragged size on the emulator and compares it with the interpreter.

usage: run-examples.py FOLDER

Each file stands in one of the two lists, so that a new example, and one that compiles by now, has to be entered here.
"""
import pathlib
import subprocess
import sys

GEMM = "--size M=33 --size N=41 --size K=70"
SMALL_TILES = "-D BM=64 -D BN=64 -D STAGES=2"

# The file, and the arguments of each run of it.
RUNS = {
    "async_copy_gemm": ["--size M=40 --size N=40 --size K=40"],
    "attention": ["--size B=1 --size HQ=2 --size HK=1 --size S=9 --size T=20 --in scale=0.1 -D D=64 -D BM=64 -D BN=32 -D STAGES=1",
                  "--size B=1 --size HQ=1 --size HK=1 --size S=9 --size T=20 --in scale=0.1 -D D=64 -D BM=64 -D BN=32 -D STAGES=1 -D CAUSAL=true"],
    "convert_int4_int8": ["--size N=20 --size K=42"],
    "fp4_dequant_gemm": ["--size M=33 --size N=41 --size K=96 -D BM=64 -D BN=64", "--size M=33 --size N=41 --size K=170 -D BM=64 -D BN=64"],
    "gemm_bf16": [f"{GEMM} {SMALL_TILES}"],
    "gemm_bias_gelu": [f"{GEMM} -D BM=64 -D BN=64"],
    "gemm_f16_nn_nt_tn": [f"{GEMM} {SMALL_TILES} -D TRANS_A={a} -D TRANS_B={b}" for a in ("false", "true") for b in ("false", "true")],
    "gemm_fp8": [f"{GEMM} -D BM=32 -D BN=64", f"{GEMM} -D BM=32 -D BN=64 -D FAST=true -D TA=fp8_e5m2 -D TC=f32"],
    "gemm_fp8_blockscaled": ["--size M=33 --size N=41 --size K=300 -D BM=32 -D BN=64 -D STAGES=2",
                             "--size M=33 --size N=401 --size K=300 -D BM=64 -D BN=192 -D STAGES=2",
                             "--target=sm_90a --size M=130 --size N=400 --size K=400 -D BN=192"],
    "gemm_int4": ["--size M=33 --size N=41 --size K=190 -D BM=32 -D BN=64", "--size M=33 --size N=41 --size K=224 -D BM=64 -D BN=64 -D BK=64"],
    "gemm_mxfp8": [f"--size M=33 --size N=41 --size K=96 {SMALL_TILES}",
                   f"--size M=17 --size N=41 --size K=70 -D T=fp8_e5m2 -D BM=16 -D BN=64 -D STAGES=2"],
    "gemm_int8": ["--size M=33 --size N=41 --size K=190 -D BM=64 -D BN=64"],
    "gemm_persistent": [f"--size M=70 --size N=150 --size K=70 -D BM=32 -D BN=64 -D STAGES=2 -D GROUP=2",
                        f"--size M=4500 --size N=41 --size K=33 -D BM=32 -D BN=64 -D STAGES=3 -D GROUP=3", "--size M=0 --size N=5 --size K=3"],
    "gemm_splitk": ["--size M=17 --size N=41 --size K=170 -D STAGES=2"],
    "matmul_bf16_int4": [f"--size M=33 --size N=42 --size K=70 {SMALL_TILES}"],
    "mla_decode": ["--kernel=mla_decode_split --size B=1 --size H=8 --size T=64 --in scale=0.1 -D DV=64 -D DR=16 -D SPLIT=1 -D STAGES=1",
                   "--kernel=mla_decode_combine --size B=1 --size H=2 -D DV=64"],
    "rmsnorm": ["--size M=3 --size N=1100 --in eps=0.001 -D BN=1024 -D THREADS=128"],
    "softmax": ["--size M=3 --size N=1100 -D BN=1024 -D THREADS=128"],
    "transpose": [f"--size M=40 --size N=70 -D T={t} -D BM=32 -D BN=32" for t in ("bf16", "f32", "int8", "int4")],
    "w4a16_group": [f"--size M=33 --size N=41 --size K=96 -D G=32 {SMALL_TILES}"],
    "w4a16_zero": [f"--size M=33 --size N=42 --size K=96 -D G=32 -D BM=64 -D BN=64 -D BK=64 -D STAGES=2",
                   "--size M=17 --size N=42 --size K=256 -D BM=16 -D BN=64 -D STAGES=2",
                   "--size M=33 --size N=42 --size K=128 -D T=bf16 -D G=64 -D BM=64 -D BN=64 -D BK=64 -D STAGES=2"],
    "w4a8": ["--size M=33 --size N=41 --size K=200 -D BM=64 -D BN=64"],
    "w4a8_fp8": ["--size M=33 --size N=41 --size K=256 -D BM=64"],
    "w4a8_manual": ["--size M=33 --size N=41 --size K=142 -D BM=32 -D BN=32"],
    "w8a16": [f"--size M=33 --size N=41 --size K=200 -D BM=64 -D BN=64 -D TB={t}" for t in ("fp8_e4m3", "fp8_e5m2", "int8", "uint8")],
}

# What the compiler says that it does not support yet.
REFUSED = {}


def run(*arguments):
    done = subprocess.run(["tilec", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300)
    return done.returncode, done.stdout


def find_faults(folder):
    files = {path.stem for path in folder.glob("*.tile")}
    for name in sorted(files - RUNS.keys() - REFUSED.keys()):
        yield f"{name}: is in no list of this test"
    for name in sorted((RUNS.keys() | REFUSED.keys()) - files):
        yield f"{name}: there is no such example"
    for name in sorted(RUNS.keys() & files):
        for arguments in RUNS[name]:
            status, text = run("run", str(folder / f"{name}.tile"), "--device=emulator", "--check", *arguments.split())
            if status != 0 or "PASS" not in text:
                yield f"{name} {arguments}: status {status}\n{text}"
    for name in sorted(REFUSED.keys() & files):
        status, text = run("check", str(folder / f"{name}.tile"))
        if status == 0:
            yield f"{name}: compiles by now, so give it a run"
        elif f"error: {REFUSED[name]}" not in text or "is not supported yet" not in text:
            yield f"{name}: is refused for another reason\n{text}"


faults = list(find_faults(pathlib.Path(sys.argv[1])))
print("\n".join(faults))
sys.exit(1 if faults else 0)
