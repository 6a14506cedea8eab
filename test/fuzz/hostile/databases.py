"""Tuning databases: rows whose keys are those of the mutant, the schema, and
pages."""

import decimal
import shutil
import sqlite3

import edges
from reader import ROOT, Reader
from xxh64 import xxh64

TABLES = ("tasks", "runs", "trials")
SEEDS = (0, 0x9e3779b97f4a7c15)


def shortest(number):
    """As std::to_chars writes a double."""
    if number != number or number in (float("inf"), float("-inf")):
        return str(number)
    value = decimal.Decimal(repr(number)).normalize()
    fixed = format(value, "f")
    sign, digits, exponent = value.as_tuple()
    digits = "".join(map(str, digits))
    power = exponent + len(digits) - 1
    scientific = ("-" if sign else "") + digits[0] + (
        "." + digits[1:] if len(digits) > 1 else "") + \
        f"e{'-' if power < 0 else '+'}{abs(power):02d}"
    return fixed if len(fixed) <= len(scientific) else scientific


def key_of(cells):
    """The key of a row: a hash of its other fields."""
    data = b""
    for cell in cells:
        kind = "t" if isinstance(cell, str) else \
            "i" if isinstance(cell, int) else "r"
        text = shortest(cell) if kind == "r" else str(cell)
        encoded = text.encode("utf-8", "surrogatepass")
        data += f"{kind}{len(encoded)}:".encode() + encoded
    return "".join(f"{xxh64(data, seed):016x}" for seed in SEEDS)


def cell(random, value):
    """Another value of a column, mostly of its type."""
    if random.random() < 0.1:
        return random.choice([None, "x", 1, 1.5, b"\xff\0"])
    if isinstance(value, int):
        return max(-1 << 63, min((1 << 63) - 1, edges.integer(random)))
    if isinstance(value, float):
        return random.choice([0.0, -1.0, 1e308, -1e308, 5e-324, float("inf"),
                              float("-inf"), float(edges.integer(random))])
    if random.random() < 0.5 and value:
        digits = [i for i, c in enumerate(value) if c.isdigit()]
        if digits:
            at = random.choice(digits)
            return value[:at] + str(edges.integer(random)) + value[at + 1:]
    return random.choice(edges.STRINGS + [value * 2, value[:len(value) // 2]])


def change_rows(random, database):
    for _ in range(random.randint(1, 3)):
        table = random.choice(TABLES)
        row = database.execute(f"SELECT * FROM {table} ORDER BY "
                               "random() LIMIT 0").description
        names = [column[0] for column in row]
        rows = database.execute(f"SELECT * FROM {table} ORDER BY key").fetchall()
        if not rows:
            continue
        row = list(random.choice(rows))
        old = row[0]
        at = random.randrange(1, len(row))
        row[at] = cell(random, row[at])
        if random.random() < 0.9 and all(
                isinstance(value, (str, int, float)) for value in row):
            row[0] = key_of(row[1:])
        marks = ", ".join("?" * len(row))
        if random.random() < 0.5:
            database.execute(f"DELETE FROM {table} WHERE key = ?", (old,))
        try:
            database.execute(
                f"INSERT OR REPLACE INTO {table} ({', '.join(names)}) "
                f"VALUES ({marks})", row)
        except (sqlite3.Error, UnicodeError, OverflowError):
            pass  # A column is STRICT.


SCHEMA = [
    "DROP TABLE {0}", "DROP VIEW best", "DROP VIEW verdicts",
    "DELETE FROM {0}", "ALTER TABLE {0} RENAME TO other",
    "ALTER TABLE {0} ADD COLUMN more TEXT",
    "ALTER TABLE trials RENAME COLUMN median TO middle",
    "PRAGMA user_version = {1}", "PRAGMA application_id = {1}",
    "DROP VIEW best; CREATE VIEW best AS SELECT * FROM best",
    "DROP TABLE {0}; CREATE TABLE {0} (key)",
    "DROP TABLE {0}; CREATE VIEW {0} AS SELECT 1 AS key",
    "CREATE TRIGGER t AFTER INSERT ON tasks BEGIN DELETE FROM trials; END",
    "PRAGMA journal_mode = WAL", "PRAGMA encoding = 'UTF-16'", "VACUUM",
    "DROP INDEX trialsByTask", "PRAGMA auto_vacuum = 1; VACUUM",
]


def change_schema(random, database):
    statement = random.choice(SCHEMA).format(
        random.choice(TABLES), random.choice([0, 1, 2, 3, 99, -1, 2**31 - 1]))
    try:
        database.executescript(statement)
    except sqlite3.Error:
        pass


def change_pages(random, data):
    """Header fields, cells of pages, pages exchanged, a file that broke off."""
    data = bytearray(data)
    size = 4096
    change = random.randrange(5)
    if change == 0:
        at = random.choice([16, 18, 19, 20, 24, 28, 32, 44, 52, 56, 60, 68, 96])
        data[at] = random.choice([0, 1, 2, 64, 127, 255])
    elif change == 1:
        pages = len(data) // size
        a, b = (random.randrange(pages) * size for _ in range(2))
        data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]
    elif change == 2:
        # The head of a page: its kind, its cells and where they are.
        page = random.randrange(len(data) // size) * size
        at = page + random.randrange(100 if page == 0 else 0, 112)
        data[at] = random.choice([0, 2, 5, 10, 13, 255])
    elif change == 3:
        return bytes(data[:random.randrange(len(data))])
    return edges.flip(random, bytes(data))


class Databases(Reader):
    """Databases of `tune`."""
    name, weight, needs_compiler = "databases", 3, True

    def prepare(self):
        maker = self.session.program("sample-database")
        self.paths = []
        for seed in (1, 2):
            path = self.session.samples / f"{seed}.db"
            self.session.prepare(maker, path, 12, seed)
            self.paths.append(path)
        self.bytes = self.paths[0].read_bytes()

    def make(self, random):
        path = self.session.folder / "d.db"
        shutil.copy(random.choice(self.paths), path)
        kind = random.random()
        if kind < 0.7:
            database = sqlite3.connect(path, isolation_level=None)
            (change_rows if kind < 0.5 else change_schema)(random, database)
            database.close()
        if kind >= 0.65:
            path.write_bytes(change_pages(random, path.read_bytes()))
        if random.random() < 0.1:
            # A journal of half a transaction.
            self.write("d.db-journal", edges.damage(
                random, bytes.fromhex("d9d505f920a163d7") + self.bytes[:600]))
        return [self.tool(*random.choice([
            ["tune", "list", "d.db"], ["tune", "list", "d.db", "--json"],
            ["tune", "show", "d.db", "gemm"],
            ["tune", "show", "d.db", "gemm", "--html", "g.html"],
            ["tune", "best", "d.db", "--json"],
            ["tune", "merge", "all.db", "d.db", self.paths[1]],
            ["tune", "merge", "d.db", self.paths[1]],
            ["tune", "export", "d.db", "--format", "csv"],
            ["tune", "export", "d.db", "--format", "json"],
            ["tune", "compare", "d.db", self.paths[1]],
            ["tune", "compare", self.paths[1], "d.db", "--ci"],
            ["compile", ROOT / "examples/1-run-a-model/mlp.mlir", "--no-cache",
             "--tuning", "d.db", "-o", "m.twp"]]))]
