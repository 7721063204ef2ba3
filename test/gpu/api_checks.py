#!/usr/bin/env python3
"""Calls libtilert as a program would, on a real driver: launches that must work, and wrong ones that must be refused.

    python3 api_checks.py FOLDER      (made by test/gpu/compile)

Each check prints a line that begins with PASS, FAIL or SKIP; the last line counts them.
"""

import json
import random
import shutil
import struct
import sys
import tempfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import cuda_memory  # noqa: E402
import tilert_ctypes  # noqa: E402
from tilert_ctypes import Scalar, Tensor  # noqa: E402

M, N, K = 65, 96, 66
# What the output holds before a launch; as bf16 it is no result of the data below.
POISON = b"\xa5"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def encode_bf16(values) -> bytes:
    """Of small integers, whose bf16 is exact."""
    return b"".join(struct.pack("<f", value)[2:] for value in values)


class Failure(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Failure(message)


class Setting:
    """A small product on the device: C[M, N] = A[M, K] B[K, N] with B int4, packed along K."""

    def __init__(self, folder: Path):
        self.folder = folder / "api"
        self.device = cuda_memory.Device(0)
        self.library = tilert_ctypes.Library(folder / "bin" / "libtilert.so")
        self.kernel = self.library.load(self.folder / "right.json").kernel()
        numbers = random.Random(1)
        a = [numbers.randint(-1, 1) for _ in range(M * K)]
        b = [numbers.randint(-1, 1) for _ in range(K * N)]
        packed = bytes((b[2 * row * N + n] & 15) | (b[(2 * row + 1) * N + n] & 15) << 4 for row in range(K // 2) for n in range(N))
        # Sums of at most K ones: exact in bf16.
        columns = [b[n::N] for n in range(N)]
        self.want = encode_bf16(sum(x * y for x, y in zip(a[m * K:(m + 1) * K], column)) for m in range(M) for column in columns)
        self.a, self.b, self.c = map(self.device.allocate, (2 * M * K, len(packed), 2 * M * N))
        self.device.upload(self.a, encode_bf16(a))
        self.device.upload(self.b, packed)

    def arguments(self, a=None, b=None, c=None, output=None):
        """The right arguments, with changes."""
        return [Tensor(**{**dict(address=self.a, dtype="bf16", sizes=[M, K], device=0), **(a or {})}),
                Tensor(**{**dict(address=self.b, dtype="int4", sizes=[K, N], device=0), **(b or {})}),
                Tensor(**{**dict(address=output or self.c, dtype="bf16", sizes=[M, N], device=0), **(c or {})})]

    def poison(self, output=None):
        self.device.upload(output or self.c, POISON * (2 * M * N))

    def require_right(self, output=None, stream=0):
        self.device.synchronize(stream)
        got = self.device.download(output or self.c, 2 * M * N)
        wrong = sum(got[i:i + 2] != self.want[i:i + 2] for i in range(0, len(got), 2))
        require(wrong == 0, f"{wrong} of {M * N} elements are wrong")

    def require_launch(self, stream=0):
        self.poison()
        self.kernel.launch(self.arguments(), stream)
        self.require_right(stream=stream)

    def require_refusal(self, arguments, codes, *words):
        """The launch must fail with one of the codes and a message with these words, write nothing, and harm nothing."""
        self.poison()
        require_error(lambda: self.kernel.launch(arguments), codes, *words)
        self.device.synchronize()
        require(self.device.download(self.c, 2 * M * N) == POISON * (2 * M * N), "the output was written")
        self.require_launch()


def require_error(call, codes, *words):
    try:
        call()
    except tilert_ctypes.Error as error:
        require(error.code in codes.split(), f"expected {codes}, got {error}")
        missing = [word for word in words if word not in error.message]
        require(not missing, f"the message lacks {missing}: {error}")
        return
    raise Failure(f"accepted, expected {codes}")


INVALID = "TILERT_INVALID_ARGUMENT"


@check
def launch_on_the_default_stream(s):
    s.require_launch()


@check
def launch_on_other_streams(s):
    per_thread = 2  # CU_STREAM_PER_THREAD
    for stream in (s.device.make_stream(), per_thread):
        s.require_launch(stream)


@check
def launch_int4_as_bytes(s):
    s.poison()
    s.kernel.launch(s.arguments(b=dict(dtype="uint8", sizes=[K // 2, N])))
    s.require_right()


@check
def launch_without_a_current_context(s):
    failures = []

    def work():
        try:
            before = s.device.current()
            s.kernel.launch(s.arguments())
            require(before is None and s.device.current() is None, "another context is current after the launch")
        except Exception as error:
            failures.append(error)

    s.poison()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    s.require_right()


@check
def launch_from_many_threads(s):
    outputs = [s.device.allocate(2 * M * N) for _ in range(8)]
    failures = []

    def work(output):
        try:
            s.device.enter()
            stream = s.device.make_stream()
            for _ in range(50):
                s.kernel.launch(s.arguments(output=output), stream)
            s.device.synchronize(stream)
            s.device.leave()
        except Exception as error:
            failures.append(error)

    for output in outputs:
        s.poison(output)
    threads = [threading.Thread(target=work, args=(output,)) for output in outputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    for output in outputs:
        s.require_right(output)


@check
def launch_a_plan_many_times(s):
    plan = s.kernel.plan(s.arguments())
    s.poison()
    for _ in range(1000):
        plan.launch()
    s.require_right()


@check
def launch_nothing_if_m_is_zero(s):
    s.poison()
    empty = dict(address=0)
    s.kernel.launch(s.arguments(a=dict(sizes=[0, K], **empty), c=dict(sizes=[0, N], **empty)))
    s.device.synchronize()
    require(s.device.download(s.c, 2 * M * N) == POISON * (2 * M * N), "the output was written")


@check
def refuse_a_wrong_type(s):
    s.require_refusal(s.arguments(a=dict(dtype="f16")), INVALID, "'A'", "f16", "bf16")
    s.require_refusal(s.arguments(b=dict(dtype="uint4")), INVALID, "'B'", "uint4", "int4")


@check
def refuse_a_wrong_rank(s):
    s.require_refusal(s.arguments(a=dict(sizes=[M * K])), INVALID, "'A'", "rank 1")


@check
def refuse_sizes_that_disagree(s):
    s.require_refusal(s.arguments(b=dict(sizes=[K - 2, N])), INVALID, "K", str(K), str(K - 2))
    s.require_refusal(s.arguments(c=dict(sizes=[M, N + 1])), INVALID, "N", str(N), str(N + 1))


@check
def refuse_a_negative_size(s):
    s.require_refusal(s.arguments(a=dict(sizes=[-1, K])), INVALID, "'A'", "-1")


@check
def refuse_null(s):
    for name in "abc":
        s.require_refusal(s.arguments(**{name: dict(address=0)}), INVALID, f"'{name.upper()}'", "null")


@check
def refuse_host_memory(s):
    host = dict(device=tilert_ctypes.DEVICE_HOST)
    s.require_refusal(s.arguments(a=host, b=host, c=host), INVALID, "host memory")
    s.require_refusal(s.arguments(b=host), INVALID, "'B'", "host memory")


@check
def refuse_another_device(s):
    s.require_refusal(s.arguments(c=dict(device=1)), INVALID, "device 1", "device 0")
    count = s.library.device_count()
    missing = dict(device=count)
    s.require_refusal(s.arguments(a=missing, b=missing, c=missing), f"{INVALID} TILERT_DRIVER_ERROR")


@check
def refuse_a_pitch_that_is_not_dense(s):
    s.require_refusal(s.arguments(a=dict(strides=[K + 2, 1])), INVALID, "'A'", "dense")


@check
def refuse_an_address_inside_an_element(s):
    s.require_refusal(s.arguments(a=dict(address=s.a + 1)), INVALID, "'A'", "multiple")


@check
def refuse_too_few_arguments(s):
    s.require_refusal(s.arguments()[:2], INVALID, "3 arguments", "got 2")


@check
def refuse_a_scalar_for_a_tensor(s):
    s.require_refusal([Scalar("f32", 0)] + s.arguments()[1:], INVALID, "'A'", "scalar")


@check
def refuse_an_unknown_variant(s):
    require_error(lambda: s.kernel.plan(s.arguments(), "fastest"), "TILERT_NOT_FOUND", "fastest", s.kernel.variants[0].name)


@check
def refuse_unknown_kernels_and_files(s):
    require_error(lambda: s.kernel.module.kernel("other"), "TILERT_NOT_FOUND", "other")
    require_error(lambda: s.library.load(s.folder / "missing.json"), "TILERT_NOT_FOUND", "missing.json")


@check
def refuse_damaged_artifacts(s):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ending in ("json", "cubin"):
            shutil.copy(s.folder / f"right.{ending}", folder)
        cubin = bytearray((folder / "right.cubin").read_bytes())
        cubin[len(cubin) // 2] ^= 1
        (folder / "right.cubin").write_bytes(cubin)
        require_error(lambda: s.library.load(folder / "right.json"), "TILERT_HASH_MISMATCH", "sha256")
        manifest = json.loads((folder / "right.json").read_text())
        manifest["format_version"] = 999
        (folder / "right.json").write_text(json.dumps(manifest))
        require_error(lambda: s.library.load(folder / "right.json"), "TILERT_INVALID_MANIFEST", "999")


@check
def follow_the_target_of_the_code(s):
    """Code for sm_XY runs on devices of the same X and at least Y, code for sm_XYa on X.Y only."""
    facts = s.library.device_facts()
    found = sorted(s.folder.glob("sm_*.json"))
    require(found, "no artifacts for other targets")
    for path in found:
        kernel = s.library.load(path).kernel()
        number = path.stem.removeprefix("sm_").removesuffix("a")
        major, minor = int(number[:-1]), int(number[-1])
        is_exact = path.stem.endswith("a")
        fits = major == facts.sm_major and (minor == facts.sm_minor if is_exact else minor <= facts.sm_minor)
        s.poison()
        if fits:
            kernel.launch(s.arguments())
            s.require_right()
        else:
            require_error(lambda: kernel.launch(s.arguments()), "TILERT_WRONG_TARGET", path.stem,
                          f"sm_{facts.sm_major}{facts.sm_minor}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: api_checks.py FOLDER")
    setting = Setting(Path(sys.argv[1]))
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    for function in CHECKS:
        outcome, why = "PASS", ""
        try:
            function(setting)
        except tilert_ctypes.Error as error:
            # As with tile-gpu-runner: code for another architecture is no failure of the code.
            outcome, why = ("SKIP" if error.code == "TILERT_WRONG_TARGET" else "FAIL"), f": {error}"
        except Exception as error:
            outcome, why = "FAIL", f": {type(error).__name__}: {error}"
        counts[outcome] += 1
        print(f"{outcome} {function.__name__.replace('_', ' ')}{why}", flush=True)
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    sys.exit(1 if counts["FAIL"] else 0)


if __name__ == "__main__":
    main()
