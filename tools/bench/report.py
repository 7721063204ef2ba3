"""Prints results of the benchmark for people."""

from typing import List

import candidates


def describe_device(device: dict) -> str:
    text = "{name}, {sms} SMs, driver {driver}, torch {torch} (CUDA {cuda}), triton {triton}".format(**device)
    return text + f"; copy {device['copy_bytes_per_second'] / 1e9:.0f} GB/s"


def summarize(case: dict, seconds: float) -> str:
    """A line when a case is done."""
    counts = f"{len(case['candidates'])} candidates"
    failures = [f"{c['name']}: {c['failure']}" for c in case["candidates"] if "failure" in c]
    failures += [f"{name}: {text}" for name, text in case["dropped"].items()]
    return "\n  ".join([f"[{seconds:4.0f} s] {case['shape']} {case['work']}: {counts}"] + failures)


def find_wrong(results: dict) -> List[str]:
    """Kernels of ours that computed something wrong, faulted or hung, and cases without any result."""
    wrong = []
    for case in results["cases"]:
        for name, text in case["dropped"].items():
            if name not in case["refused"] and not name.startswith("Triton"):
                wrong.append(f"{case['shape']} {case['work']} {name}: {text}")
        for entry in case["candidates"]:
            if "failure" in entry and not entry["name"].startswith(("Triton", candidates.BASE)):
                wrong.append(f"{case['shape']} {case['work']} {entry['name']}: {entry['failure']}")
    return wrong


def _format_mode(entry: dict, mode: str, base: dict, operations: float) -> str:
    if mode not in entry:
        return f"{'-':>10} {'-':>7} {'-':>6}"
    milliseconds = entry[mode]["median_ms"]
    ratio = f"{base[mode]['median_ms'] / milliseconds:6.3f}" if base and mode in base else f"{'-':>6}"
    return f"{milliseconds * 1e3:10.1f} {operations / milliseconds * 1e-9:7.1f} {ratio}"


def make_table(results: dict) -> str:
    lines = [f"{'':<34} {'burst us':>10} {'TFLOP/s':>7} {'ratio':>6}  {'sust. us':>10} {'TFLOP/s':>7} {'ratio':>6} {'MHz':>5} "
             f"{'error':>7}"]
    for case in results["cases"]:
        base_type = "int8" if case["work"] == "int8" else "bf16"
        lines.append(f"-- {case['shape']}, {base_type} x {case['work']} (ratio: time of {candidates.BASE} {base_type} over this time)")
        base = next((c for c in case["candidates"] if c["name"] == candidates.BASE), None)
        for entry in case["candidates"]:
            burst = _format_mode(entry, "burst", base, case["operations"])
            sustained = _format_mode(entry, "sustained", base, case["operations"])
            clock = entry.get("sustained", {}).get("clock_mhz") or "-"
            error = f"{entry['error']:.1e}" if "error" in entry else "-"
            name = entry["name"]
            lines.append(f"{name:<34} {burst}  {sustained} {clock:>5} {error:>7}  {entry.get('failure') or entry['note']}")
        for name, text in case["dropped"].items():
            lines.append(f"{name:<34} {text[:150]}")
    wrong = find_wrong(results)
    lines.append(f"{len(results['cases'])} cases in {results['seconds']:.0f} s, {len(wrong)} wrong")
    return "\n".join(lines)
