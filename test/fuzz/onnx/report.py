"""Counts of verdicts, reasons and operators over many graphs."""

import collections

import device
import known


class Report:
    def __init__(self):
        self.counts = collections.Counter()
        self.reasons = collections.defaultdict(list)
        self.covered = collections.Counter()
        self.tried, self.added, self.rejected = (collections.Counter()
                                                 for _ in range(3))
        self.died, self.ran, self.failed = [], [], {}
        self.rejections = known.Rejections()

    def add(self, seed, answer):
        self.ran.append(str(seed))
        if answer is None:
            self.died.append(seed)
            return
        results, statistics = answer
        self.tried.update(statistics.tried)
        self.added.update(statistics.added)
        self.rejected.update(statistics.reasons)
        for verdict, operators in results:
            self.check(seed, verdict, operators)

    def check(self, seed, verdict, operators):
        self.counts[verdict.kind] += 1
        if verdict.kind == "match":
            self.covered.update(operators)
            return
        self.reasons[verdict.reason].append(seed)
        if verdict.kind == "rejected" and self.rejections.known(verdict.reason):
            return
        self.failed[str(seed)] = f"{verdict.kind}: {verdict.text} " \
            f"({' '.join(operators)})"
        if verdict.kind in device.FAULTS:
            print(f"seed {seed}: {self.failed[str(seed)]}", flush=True)

    def summary(self):
        total = max(1, sum(self.counts.values()))
        text = ", ".join(f"{self.counts[kind]} {kind}"
                         for kind in device.VERDICTS)
        return f"{total} graphs: {text}; " \
            f"{100 * self.counts['rejected'] / total:.1f} % rejected"

    def show(self):
        """All of it: reasons, coverage, what the oracle did not take."""
        for reason, seeds in sorted(self.reasons.items(),
                                    key=lambda entry: -len(entry[1])):
            mark = " " if self.rejections.known(reason) or \
                not reason.startswith("rejected") else "!"
            print(f"{len(seeds):5}{mark} {reason}   seeds {seeds[:4]}")
        print("in graphs that match:", ", ".join(
            f"{name} {count}" for name, count in self.covered.most_common()))
        print("in none:", ", ".join(
            f"{name} (of {self.added[name]})" for name in sorted(self.tried)
            if not self.covered[name]))
        print("nodes that ONNX Runtime did not take:")
        for (name, text), count in self.rejected.most_common(12):
            print(f"  {count} of {self.tried[name]} {name}: {text}")
        if self.died:
            print("ONNX Runtime ended the process of seeds", self.died)
