"""Measures one case for one target, ours and Triton's."""

import dataclasses
import pathlib
import tempfile

from . import cases, launches, ours, theirs


@dataclasses.dataclass
class Row:
    """The Counters of both sides, the tuning of Triton's, and what is wrong."""
    case: cases.Case
    target: str
    ours: launches.Counters = None
    theirs: launches.Counters = None
    tuning: dict = None
    problems: list = dataclasses.field(default_factory=list)

    def notes(self):
        """`problems`, and what a reader of the counters has to know."""
        notes = list(self.problems)
        if (self.ours and not self.ours.fills_device and
                not self.case.family.bound):
            notes.append(f"ours: warps a block: {self.ours.warps}, blocks a "
                         f"multiprocessor: {self.ours.resident:.2g}")
        for side, found in (("ours", self.ours), ("Triton", self.theirs)):
            if found and found.unexplained > 0.02:
                notes.append(f"{side}: {found.unexplained:.0%} of memory "
                             "instructions, shuffles and barriers unexplained")
        return notes


class Bench:
    """Runs `tool`; each step has a folder of its own below `folder`."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def empty_folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def folder_with(self, inputs):
        folder = self.empty_folder()
        for name, array in inputs.items():
            cases.save(array, folder / f"{name}.npy")
        return folder

    def folder_to_count(self, case):
        """With the indices: addresses follow from them, and from no other
        element."""
        return self.folder_with(cases.arrays(case, case.family.indices))

    def check(self, row, side, inputs, folder):
        error = cases.error_of(row.case.small(), inputs, folder / "y.npy")
        if not error <= 1:
            row.problems.append(
                f"{side}: wrong, {error:.3g} times the error that is allowed")

    def measure_ours(self, row, inputs):
        def package(case, folder):
            weights = {name: inputs[name] for name in case.family.weights}
            return ours.compile_package(self.tool, case, weights, row.target,
                                        folder)
        made = ours.launches(package(row.case, self.empty_folder()),
                             row.case.shape[0])
        row.ours = launches.count_all(self.tool, made, row.target,
                                      self.folder_to_count(row.case))
        folder = self.folder_with(inputs)
        ours.execute(self.tool, package(row.case.small(), folder),
                     list(row.case.family.inputs_with_x()), folder)
        self.check(row, "ours", inputs, folder)

    def measure_theirs(self, row, inputs):
        def compiled(case, tuning):
            return [theirs.compile_program(program, row.target)
                    for program in case.family.programs(case, **tuning)]
        order = lambda counters: (counters.issue_slots, counters.sectors)
        fills = not row.case.family.bound
        for tuning in row.case.family.tunings(row.case):
            made = compiled(row.case, tuning)
            if fills and launches.blocks_of(made[0].grid, row.target) < 2:
                continue
            found = launches.count_all(self.tool, made, row.target,
                                       self.folder_to_count(row.case))
            if (found.fills_device or not fills) and (
                    not row.theirs or order(found) < order(row.theirs)):
                row.theirs, row.tuning = found, tuning
        if not row.theirs:
            raise ValueError("no candidate fills the device")
        folder = self.folder_with(inputs)
        for launch in compiled(row.case.small(), row.tuning):
            launches.execute(self.tool, launch, folder)
        self.check(row, "Triton", inputs, folder)

    def measure(self, case, target):
        row, inputs = Row(case, target), cases.arrays(case.small())
        for side, measure in (("ours", self.measure_ours),
                              ("Triton", self.measure_theirs)):
            try:
                measure(row, inputs)
            except ValueError as error:
                first, *_ = str(error).splitlines() or ["failed"]
                row.problems.append(f"{side}: {first}")
        return row
