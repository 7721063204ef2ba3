# The text tests: what a test file looks like, what it may require and which
# names it may use.  docs/testing.md explains them.
import os
import shutil
import subprocess

import lit.formats

config.name = "tile"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test", ".ll"]
# Data and inputs of tests, not tests themselves.
config.excludes = ["golden", "Inputs"]
config.test_source_root = os.path.dirname(__file__)

path = [config.tile_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
# A crash in a test should name the function.
config.environment["LLVM_SYMBOLIZER_PATH"] = os.path.join(config.llvm_tools_dir, "llvm-symbolizer")
for variable in ("CUDA_HOME", "TILE_PTXAS", "TILE_CACHE_DIR", "TILE_DEVICE"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

config.substitutions.append(("%examples", os.path.join(config.tile_source_root, "docs", "examples")))
# A CUDA driver that only keeps books (test/runtime/FakeCuda.h).
config.substitutions.append(("%fake_cuda", os.path.join(config.tile_build_root, "lib", "libtilert-fake-cuda.so")))
config.substitutions.append(("%golden", os.path.join(config.test_source_root, "golden")))
config.substitutions.append(("%llvm_prefix", os.path.dirname(config.llvm_tools_dir)))
config.substitutions.append(("%python", config.tile_python))
config.substitutions.append(("%source_root", config.tile_source_root))


def find_ptxas():
    """Looks where tilec looks (compiler/CodeGen/Ptxas.h)."""
    candidates = [os.environ.get("TILE_PTXAS")]
    if "CUDA_HOME" in os.environ:
        candidates.append(os.path.join(os.environ["CUDA_HOME"], "bin", "ptxas"))
    candidates.append(shutil.which("ptxas"))
    candidates.append("/usr/local/cuda/bin/ptxas")
    candidates.append(os.path.join(config.tile_build_root, "ptxas", "bin", "ptxas"))
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def has_gpu():
    tool = shutil.which("nvidia-smi")
    if not tool:
        return False
    listing = subprocess.run([tool, "-L"], capture_output=True, text=True)
    return listing.returncode == 0 and "GPU 0" in listing.stdout


def has_numpy():
    return subprocess.run([config.tile_python, "-c", "import numpy"], capture_output=True).returncode == 0


ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
if has_gpu():
    config.available_features.add("nvidia-gpu")
if has_numpy():
    config.available_features.add("numpy")
