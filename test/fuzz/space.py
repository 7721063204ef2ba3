"""What a family draws from: named parameters, each with its values, the simplest first.

Values may be repeated: what stands more often is drawn more often. The order is what shrinking goes by: it replaces a value by one
that stands before it; a number also by smaller ones.
"""


# How the tuples of a kernel's axes are shared out: a block each, or by a `persistent` loop over as many blocks as the device has
# multiprocessors, or over two, which then have several; the last with all in the loop.
PERSISTENT = ["", "", "", "", "device", "few", "inside"]


def draw(random, space):
    """A value of each parameter; `random` is a random.Random."""
    return {name: random.choice(values) for name, values in space.items()}


def simpler_values(space, name, value):
    """Values to try in place of this one, the simplest first."""
    candidates = []
    for candidate in space.get(name, []):
        if candidate == value:
            break
        if candidate not in candidates:
            candidates.append(candidate)
    if isinstance(value, int) and not isinstance(value, bool):
        candidates = [c for c in candidates if not isinstance(c, int) or abs(c) < abs(value)]
        for smaller in (value // 2, value - 1):
            if 0 <= smaller < value and smaller not in candidates:
                candidates.append(smaller)
    return candidates


def near(random, tile, most=3):
    """A size near a multiple of a tile, or a tiny one."""
    choice = random.randrange(10)
    if choice == 0:
        return random.choice([0, 1, 2, 3])
    if choice < 6:
        return max(0, tile * random.randint(1, most) + random.choice([-1, 0, 0, 1]))
    return random.randint(1, tile * most)


# Elements of one tile that a thread may hold: more take long to compile.
MOST_HELD = 64


def held_elements(extents, threads):
    """How many elements of a tile each thread holds. Odd factors of an extent are not spread over threads."""
    spread, count = 1, 1
    for extent in extents:
        spread *= extent & -extent
        count *= extent
    return count // min(spread, threads)


def is_spread(extents, threads):
    return min(extents) > 0 and held_elements(extents, threads) <= MOST_HELD
