"""The lists of what is rejected, and of what fails today."""

import pathlib
import re

FOLDER = pathlib.Path(__file__).parent


def lines(name):
    """The lines of a list without comments."""
    path = FOLDER / name
    if not path.exists():
        return []
    return [line for line in path.read_text().splitlines()
            if line.strip() and not line.startswith("#")]


class Rejections:
    def __init__(self):
        self.rules = [re.compile(line.split("\t")[0])
                      for line in lines("rejections.txt")]

    def known(self, reason):
        return any(rule.search(reason) for rule in self.rules)


class NotYet:
    """Cases that fail today. One that passes must be taken out."""

    def __init__(self, name):
        self.name = name
        self.keys = {line.split()[0] for line in lines(name)} if name else set()

    def problems(self, failed, ran):
        """(new failures, entries that pass)."""
        return sorted(set(failed) - self.keys), \
            sorted((self.keys & set(ran)) - set(failed))

    def update(self, failed, ran):
        keys = (self.keys - set(ran)) | set(failed)
        head = "# What fails today; one that passes must be taken out:\n" \
               "# run with --update.\n"
        (FOLDER / self.name).write_text(head + "".join(
            key + "\n" for key in sorted(keys)))
