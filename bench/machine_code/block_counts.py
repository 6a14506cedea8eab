"""How often each basic block of machine code runs, from the counts of its PTX.

The emulator counts how often warps execute each line of PTX, and ptxas says
which line each instruction of machine code comes from. ptxas unrolls, hoists,
merges and predicates, so no instruction has the count of its line for certain;
all lines together nearly always leave one answer. It is found as a linear
program over the executions x[b] of blocks and f[e] of edges:

  minimize  sum over lines of weight * |sum over blocks of copies * x[b] - count|
            + what enters and leaves blocks more often than they run
            + a little * instructions issued
  with      f[e] <= x[source], f[e] <= x[target]
            x[b] <= sum of f[e] into b (the entry: number of warps)
            x[b] <= sum of f[e] out of b (a call: both of its edges)
            x[b] <= (n - 1) * sum of f[e] into its loop, where another loop has
                    n times as many copies of b's lines: what is left over

An execution may go on in several successors, one after the other, where lanes
diverge. A line becomes many instructions, some of them on a path that few
operands take; one kind of them stands for it, that which is rarest in the whole
code. `copies` is how often this stands in a block, more than once where a loop
is unrolled. The last term chooses the usual path over that for unusual operands
(subnormals in a division), which thus counts as never taken.
"""

import collections
import dataclasses
import re
import statistics

import numpy
import scipy.optimize
import scipy.sparse

# Instructions that a line of PTX becomes exactly, and where it stands: their
# lines weigh more.
ANCHORS = ("LDG", "STG", "LDS", "STS", "LDSM", "STSM", "SHFL", "BAR", "RED",
           "ATOM", "ATOMG", "ATOMS", "HMMA", "IMMA", "HGMMA", "LDGSTS")
ANCHOR_WEIGHT = 8
# Of a line of a branch: an unrolled loop has fewer.
JUMP_WEIGHT = 0.1
# Of an execution that goes on in two successors, or comes from two.
DIVERGENCE_WEIGHT = 1
# Of an instruction issued against an execution that is not explained.
ISSUE_WEIGHT = 1e-4
# Nothing follows, if they are not predicated; where BRX goes is not known.
ENDS = ("EXIT", "RET", "BRX", "JMX", "KILL")
# End a block.
JUMPS = (*ENDS, "BRA", "JMP", "CALL", "BSYNC")


@dataclasses.dataclass
class Block:
    """Instructions `first` to `last` (not included) of a function."""
    function: object
    first: int
    last: int
    successors: list = dataclasses.field(default_factory=list)

    @property
    def instructions(self):
        return self.function.instructions[self.first:self.last]


def target_of(instruction):
    """The label that an operand names."""
    match = re.search(r"`\(([.$\w]+)\)", instruction.operands)
    return match[1] if match else None


def is_call(instruction):
    """A CALL of a label is a jump: that far BRA takes no condition."""
    return (instruction.stem == "CALL" and
            not (target_of(instruction) or "").startswith("."))


def split(function):
    """The basic blocks of a function, by the index of their first."""
    instructions = function.instructions
    leaders = {0, *(at for at in function.labels.values()
                    if at < len(instructions))}
    leaders.update(index + 1 for index, each in enumerate(instructions)
                   if each.stem in JUMPS and index + 1 < len(instructions))
    order = sorted(leaders)
    ends = order[1:] + [len(instructions)]
    return {first: Block(function, first, last)
            for first, last in zip(order, ends)}


def successors_of(block, labelled, following):
    """The blocks that may run next. `labelled`: that of the final instruction's
    label or barrier; `following`: the one behind."""
    final = block.instructions[-1]
    if is_call(final):
        return [labelled, following]
    if final.stem in ENDS:
        return [following] if final.guard else []
    if final.stem not in JUMPS:
        return [following]
    # `BRA P1, label` and `BRA.DIV UR4, label` have a second condition.
    is_conditional = final.guard or "," in final.operands
    return [labelled, following] if is_conditional else [labelled]


def connect(kernel):
    """The blocks of all functions, the kernel's own first, with their
    successors."""
    by_function = [split(function) for function in kernel.functions]
    entries = {function.name: blocks[0] for function, blocks
               in zip(kernel.functions, by_function)}
    for function, blocks in zip(kernel.functions, by_function):
        # Where the lanes of a barrier meet again, by the BSSY last seen.
        meeting = {}
        for block in blocks.values():
            meeting.update((each.operands.split(",")[0], target_of(each))
                           for each in block.instructions if each.stem == "BSSY")
            final = block.instructions[-1]
            label = (meeting.get(final.operands) if final.stem == "BSYNC"
                     else target_of(final))
            labelled = entries.get(label) or blocks.get(
                function.labels.get(label))
            block.successors = [
                each for each in successors_of(block, labelled,
                                               blocks.get(block.last)) if each]
    return [block for blocks in by_function for block in blocks.values()]


def reachable(blocks):
    """Those that the first leads to; code ends with an endless loop that pads
    it."""
    seen, todo = {id(blocks[0])}, [blocks[0]]
    while todo:
        for successor in todo.pop().successors:
            if id(successor) not in seen:
                seen.add(id(successor))
                todo.append(successor)
    return [block for block in blocks if id(block) in seen]


# ptxas does the same thing on different pipes in turn.
KINDS = [(re.compile(pattern), kind) for pattern, kind in (
    (r"IMAD\.MOV", "MOV"), (r"IMAD\.IADD|VIADD|IADD", "IADD3"),
    (r"IMAD\.SHL|SHF\.L", "SHL"), (r"IMAD\.X", "IADD3.X"))]


def kind_of(instruction):
    return next((kind for pattern, kind in KINDS
                 if pattern.match(instruction.opcode)), instruction.opcode)


def representatives(blocks):
    """{line: the kind of instruction that stands for it}: the rarest, of these
    the one whose address is the lowest; of an anchored line an anchor."""
    found = collections.defaultdict(collections.Counter)
    for each in (each for block in blocks for each in block.instructions):
        if each.line:
            found[each.line][kind_of(each)] += 1
    result = {}
    for line, kinds in found.items():
        anchors = {kind: number for kind, number in kinds.items()
                   if kind.split(".")[0] in ANCHORS}
        result[line] = min(anchors or kinds, key=kinds.get)
    return result


def copies_of_lines(block, standing):
    """{line: how many copies of it the block has}."""
    return collections.Counter(
        each.line for each in block.instructions
        if each.line and standing[each.line] == kind_of(each))


def loops_of(blocks):
    """{index of a block: (first, last) index of the innermost loop around it}:
    the code from the target of a branch back to the branch."""
    number = {id(block): index for index, block in enumerate(blocks)}
    inner = {}
    for last, block in enumerate(blocks):
        for head in block.successors:
            first = number[id(head)]
            if head.function is not block.function or first > last:
                continue
            for index in range(first, last + 1):
                known = inner.get(index)
                if not known or last - first < known[1] - known[0]:
                    inner[index] = (first, last)
    return inner


def remainders(blocks, copies):
    """(block, its loop, how many times as many copies another loop has)."""
    loops = loops_of(blocks)
    for index, loop in loops.items():
        times = 1
        for other, other_loop in loops.items():
            shared = copies[index].keys() & copies[other].keys()
            if other_loop == loop or not shared:
                continue
            times = max(times, statistics.median(
                copies[other][line] // copies[index][line] for line in shared))
        if times > 1:
            yield index, loop, times


@dataclasses.dataclass
class Executions:
    """`blocks`: (block, executions by warps). `unexplained`: the share of the
    executions of loads, stores, barriers and shuffles in the PTX that these do
    not add up to."""
    blocks: list
    unexplained: float


def count(kernel, counts, warps):
    """The executions of the blocks of `kernel`, whose PTX's lines are executed
    `counts[line]` times by warps, of which `warps` are launched."""
    blocks = reachable(connect(kernel))
    number = {id(block): index for index, block in enumerate(blocks)}
    edges = [(number[id(block)], number[id(successor)]) for block in blocks
             for successor in block.successors]
    standing = representatives(blocks)
    copies = [copies_of_lines(block, standing) for block in blocks]
    lines = sorted(standing)
    anchored = {line for line, kind in standing.items()
                if kind.split(".")[0] in ANCHORS}
    # Unknowns: executions of blocks, of edges, then what is over and under.
    n, m, k = len(blocks), len(edges), len(lines)
    cost = numpy.zeros(n + m + 2 * k)
    cost[n:n + m] = 2 * DIVERGENCE_WEIGHT
    for index, block in enumerate(blocks):
        cost[index] = (ISSUE_WEIGHT * len(block.instructions) -
                       DIVERGENCE_WEIGHT * (bool(index) + bool(block.successors)))
    rows, columns, values, limits = [], [], [], []

    def limit(terms):
        for column, value in terms:
            rows.append(len(limits))
            columns.append(column)
            values.append(value)
        limits.append(0)

    into, out = collections.defaultdict(list), collections.defaultdict(list)
    for index, (source, target) in enumerate(edges):
        into[target].append(n + index)
        out[source].append(n + index)
        limit([(n + index, 1), (source, -1)])
        limit([(n + index, 1), (target, -1)])
    for index in range(n):
        if index:
            limit([(index, 1)] + [(edge, -1) for edge in into[index]])
        if is_call(blocks[index].instructions[-1]):
            for edge in out[index]:
                limit([(index, 1), (edge, -1)])
        elif out[index]:
            limit([(index, 1)] + [(edge, -1) for edge in out[index]])
    for index, (first, last), times in remainders(blocks, copies):
        entering = [edge for edge in into[first]
                    if not first <= edges[edge - n][0] <= last]
        limit([(index, 1)] + [(edge, 1 - times) for edge in entering])
    equal = scipy.sparse.lil_matrix((k + 1, n + m + 2 * k))
    wanted = numpy.zeros(k + 1)
    for row, line in enumerate(lines):
        stem = standing[line].split(".")[0]
        weight = (ANCHOR_WEIGHT if line in anchored else
                  JUMP_WEIGHT if stem in JUMPS else 1)
        for index, each in enumerate(copies):
            if line in each:
                equal[row, index] = each[line]
        equal[row, n + m + row], equal[row, n + m + k + row] = -1, 1
        cost[n + m + row] = cost[n + m + k + row] = weight
        wanted[row] = counts.get(line, 0)
    equal[k, 0], wanted[k] = 1, warps
    limits_matrix = scipy.sparse.csr_matrix(
        (values, (rows, columns)), shape=(len(limits), n + m + 2 * k))
    solved = scipy.optimize.linprog(
        cost, A_ub=limits_matrix, b_ub=limits, A_eq=equal.tocsr(), b_eq=wanted,
        method="highs")
    if not solved.success:
        raise ValueError(f"no counts of blocks: {solved.message}")
    off = solved.x[n + m:n + m + k] + solved.x[n + m + k:]
    of_anchors = [row for row, line in enumerate(lines) if line in anchored]
    total = sum(wanted[row] for row in of_anchors)
    return Executions(list(zip(blocks, solved.x[:n].clip(0))),
                      float(off[of_anchors].sum() / total) if total else 0.0)
