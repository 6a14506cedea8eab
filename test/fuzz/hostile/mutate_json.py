"""Changes JSON by its values and members, not by its bytes."""

import copy
import json

import edges


def locations(value):
    """All (container, key) in `value`, in one order."""
    found = []
    keys = value.keys() if isinstance(value, dict) else \
        range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        found += locations(value[key])
    return found


def _number_in(random, text):
    """An expression with another number, or operators in each other."""
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    if digits and random.random() < 0.7:
        at = random.choice(digits)
        return text[:at] + str(edges.integer(random)) + text[at + 1:]
    return random.choice([
        f"({text}) * ({text})", f"mod({text}, 0)", f"ceildiv({text}, -1)",
        f"max({text}, {edges.integer(random)})", "(" * 200 + text, text * 2,
        f"-({text})", f"floordiv({text}, {edges.integer(random)})"])


def other_value(random, value, pool):
    """A value for a member that had `value`; `pool` has others of the file."""
    kind = random.random()
    if kind < 0.2:
        return copy.deepcopy(random.choice(pool))
    if kind < 0.35 or value is None:
        return random.choice([
            None, True, False, [], {}, "", edges.integer(random), 1.5, -0.0,
            float("inf"), [value], {"a": value}])
    if isinstance(value, bool):
        return random.choice([not value, 0, 1, "true"])
    if isinstance(value, (int, float)):
        return edges.integer(random)
    if isinstance(value, str):
        kind = random.random()
        if kind < 0.3:
            return random.choice(edges.STRINGS)
        if kind < 0.5:
            return random.choice(edges.DTYPES)
        if kind < 0.6:
            return value + random.choice(edges.STRINGS)
        return _number_in(random, value)
    if isinstance(value, list):
        if value and random.random() < 0.5:
            return value * random.choice([2, 3, 65, 1000])
        return value[:random.randrange(len(value) + 1)]
    return {random.choice(edges.STRINGS): inner for inner in value.values()}


def change(random, root):
    """Changes one location of `root`, a list or an object."""
    found = locations(root)
    if not found:
        return
    pool = [container[key] for container, key in found]
    container, key = random.choice(found)
    kind = random.randrange(8)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, list):
        container.insert(random.randrange(len(container) + 1),
                         copy.deepcopy(random.choice(pool)))
    elif kind == 1:
        container[random.choice([*edges.STRINGS, str(key) + "x"])] = \
            copy.deepcopy(random.choice(pool))
    elif kind == 2 and isinstance(container, list):
        random.shuffle(container)
    elif kind == 2:
        container[random.choice([str(k) for _, k in found])] = \
            container.pop(key)
    else:
        container[key] = other_value(random, container[key], pool)


def mutate(random, value):
    """A changed copy of `value`."""
    value = copy.deepcopy(value)
    for _ in range(edges.steps(random)):
        change(random, value)
    return value


def text(random, value):
    """As a file; some have brackets in brackets, a name twice, or damage."""
    written = json.dumps(value)
    kind = random.random()
    if kind < 0.02:
        depth = random.choice([99, 100, 101, 100000])
        return written.replace("[", "[" * depth, 1).encode()
    if kind < 0.04 and written.startswith("{") and len(written) > 2:
        return (written[:-1] + "," + written[1:]).encode()
    if kind < 0.06:
        return edges.damage(random, written.encode())
    return written.encode("utf-8", "surrogatepass")
