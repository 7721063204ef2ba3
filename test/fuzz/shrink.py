"""Makes a failing case small: replaces one parameter after the other by simpler values while the failure stays the same."""

from space import simpler_values

MOST_RUNS = 300


def shrink(family, parameters, fails):
    """The simplest parameters found for which `fails(parameters)` still holds."""
    runs = 0
    changed = True
    while changed and runs < MOST_RUNS:
        changed = False
        for name in list(parameters):
            if name == "data_seed":
                continue
            for value in simpler_values(family.SPACE, name, parameters[name]):
                candidate = dict(parameters, **{name: value})
                if family.build(candidate) is None:
                    continue
                runs += 1
                if fails(candidate):
                    parameters, changed = candidate, True
                    break
                if runs >= MOST_RUNS:
                    return parameters
    return parameters
