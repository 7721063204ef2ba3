"""Runs tilec on a case and says what came of it: passed, refused for a reason, or failed."""

import re
import signal
import subprocess
from dataclasses import dataclass

# What a kernel may be refused for, as the end of one located error. Anything else that tilec reports about a case is a fault, of
# the compiler or of the fuzzer.
REFUSALS = [
    (r"is not supported yet", None),
    (r"shared tiles need .* bytes, the limit", "shared memory"),
    (r"puts \d+ elements in each thread; the limit is", "elements in each thread"),
    (r"the packed dimension '.*' of '.*' must be even, got", "odd packed dimension"),
]
# A kernel this small ends in far less time of a processor; one that does not has hung. What waits for ever, too, ends much later.
SECONDS = 60
SECONDS_OF_WAITING = 15 * SECONDS


@dataclass
class Outcome:
    kind: str  # "passed", "refused" or "failed"
    reason: str = ""
    report: str = ""

    @property
    def signature(self):
        """What two failures of one cause have in common."""
        return re.sub(r"\d+", "N", self.reason)


def run(tilec, case, folder):
    """Writes the case to the folder and runs it there."""
    case.write(folder)
    return run_in(tilec, folder, case.arguments(), case.may_refuse)


def run_in(tilec, folder, arguments, may_refuse=()):
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh"]
    command = limited + [str(tilec), "run", "case.tile", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS_OF_WAITING)
    except subprocess.TimeoutExpired:
        return Outcome("failed", f"no end within {SECONDS_OF_WAITING} s")
    if done.returncode == -signal.SIGXCPU:
        return Outcome("failed", f"no end within {SECONDS} s of a processor's time")
    return judge(done.returncode, done.stdout, done.stderr, may_refuse)


def judge(code, output, errors, may_refuse=()):
    report = output + errors
    if code < 0:
        return Outcome("failed", "crash: " + describe_crash(code, errors), report)
    if "internal error" in report or "PLEASE submit" in report:
        return Outcome("failed", "internal error: " + first_error(errors), report)
    if code == 0:
        compared = re.search(r"^check .*PASS", output, re.MULTILINE)
        empty = re.search(r"grid 0\b", output)
        return Outcome("passed") if compared or empty else Outcome("failed", "nothing was compared", report)
    if "FAIL" in output:
        return Outcome("failed", "difference", report)
    found = [line.split("error: ", 1)[1] for line in errors.splitlines() if "error: " in line]
    reasons = [find_refusal(line, may_refuse) for line in found]
    if code == 1 and reasons and all(reasons):
        return Outcome("refused", reasons[0], report)
    unknown = next((line for line, reason in zip(found, reasons) if not reason), f"exit code {code} without an error")
    return Outcome("failed", "error: " + unknown, report)


def find_refusal(message, may_refuse):
    for pattern, name in [*REFUSALS, *may_refuse]:
        if re.search(pattern, message):
            return name or re.sub(r"'fuzz'", "", re.sub(r"\d+", "N", message))
    return None


def first_error(errors):
    return next((line for line in errors.splitlines() if "error" in line), "")


def describe_crash(code, errors):
    assertion = re.search(r"Assertion `(.*)' failed", errors)
    return signal.Signals(-code).name + (f", {assertion.group(1)}" if assertion else "")
