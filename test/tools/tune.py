#!/usr/bin/env python3
"""tune.py TILEWRIGHT SAMPLE_DATABASE: the commands of `tilewright tune` that
read and join databases."""

import csv
import html.parser
import io
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "forked"))
import forked  # noqa: E402

TOOL, SAMPLE = sys.argv[1], sys.argv[2]
VOID = {"meta", "br", "link"}
problems = []


def tune(*arguments):
    result = forked.run([TOOL, "tune", *map(str, arguments)], check=False,
                        capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def sample(path, trials, seed, factor=1):
    subprocess.run([SAMPLE, path, str(trials), str(seed), str(factor)],
                   check=True)
    return path


def least_medians(rows):
    """By task, the schedule of the least median, of each its latest trial."""
    latest = {}
    for row in sorted(rows, key=lambda row: (row["started"],
                                             int(row["sequence"]))):
        latest[row["task"], row["schedule"]] = row
    best = {}
    for (task, schedule), row in latest.items():
        median = float(row["median"])
        if row["verdict"] == "ok" and \
                median < best.get(task, (float("inf"),))[0]:
            best[task] = (median, schedule)
    return {task: schedule for task, (_, schedule) in best.items()}


def pairs_gain(path, task, schedule):
    """What the pairs of launches say of a schedule against the default."""
    rows = sqlite3.connect(path).execute(
        "select schedule, against, ratio from trials where verdict = 'ok' and "
        "task = ? order by sequence", [task]).fetchall()
    cost = {rows[0][0]: 1.0}
    for name, against, ratio in rows[1:]:
        if name != rows[0][0] and against in cost:
            cost[name] = cost[against] * ratio
    return 1 / cost[schedule]


def check(what, good, found):
    if not good:
        problems.append(f"{what}: found {str(found)[:600]}")


class Balance(html.parser.HTMLParser):
    """Whether each element is closed by its own end, in its own place."""

    def __init__(self):
        super().__init__()
        self.stack, self.wrong, self.ids, self.links = [], [], set(), set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.stack.append(tag)
        self.ids.add(attrs.get("id"))
        if attrs.get("href"):
            self.links.add(attrs["href"])

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append((tag, self.getpos()))


def check_page(what, path, sections):
    text = path.read_text(encoding="utf-8")
    page = Balance()
    page.feed(text)
    check(f"{what}: elements are closed", not page.wrong and not page.stack,
          (page.wrong[:3], page.stack))
    check(f"{what}: links lead to sections of the page",
          {link[1:] for link in page.links} <= page.ids, page.links)
    check(f"{what}: sections", text.count("<section") == sections,
          text.count("<section"))
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    for picture in pictures:
        try:
            xml.etree.ElementTree.fromstring(picture)
        except xml.etree.ElementTree.ParseError as error:
            check(f"{what}: a picture is XML", False, (error, picture[:200]))
    check(f"{what}: nothing is loaded from elsewhere",
          not re.search(r"(src|href)=[\"']?(http|//)|@import|url\(", text), "")
    return len(pictures)


def check_reading(folder):
    db = sample(folder / "a.db", 60, 1)
    before = db.read_bytes()
    code, out, err = tune("list", db)
    check("list", code == 0 and out.startswith("4 tasks, 240 trials\n"),
          (out, err))
    check("list: a line", re.search(
        r"\n  [0-9a-f]{8}  gemm 512x512x512 f32 +cpu +cpu +60 +[\d.]+ ms "
        r"+[\d.]+x\n", out), out)
    tasks = json.loads(tune("list", db, "--json")[1])
    gemm = next(t for t in tasks if t["label"].startswith("gemm"))
    check("list --json", len(tasks) == 4 and gemm["shape"] == [512] * 3, tasks)
    pairs = pairs_gain(db, gemm["task"], gemm["best"]["schedule"])
    check("gain", abs(gemm["gain"] / pairs - 1) < 1e-9, (gemm, pairs))
    for command in (("list", db), ("show", db, gemm["task"])):
        out = tune(*command)[1]
        check(f"gain: {command[0]}", f"{pairs:.2f}x" in out, (pairs, out))
    for task in ("gemm", gemm["task"][:8], gemm["task"]):
        code, out, err = tune("show", db, task)
        check(f"show {task}", code == 0 and
              out.startswith("gemm 512x512x512 f32\n") and
              "\n   1  " in out and " rejected: registers\n" in out, (out, err))
    shown = json.loads(tune("show", db, "gemm", "--json")[1])
    check("show --json", len(shown) == 1 and len(shown[0]["ranked"]) == 10 and
          shown[0]["rejected"][0]["count"] > 0, shown)
    code, out, err = tune("show", db, "no such task")
    check("show of no task", code == 1 and "no task matches" in err, err)
    code, out, err = tune("best", db)
    check("best", code == 0 and gemm["best"]["schedule"] in out, (out, err))
    check("best --json", json.loads(tune("best", db, "--json")[1]) == tasks,
          out)
    check("reading changes nothing", db.read_bytes() == before and
          list(folder.iterdir()) == [db], list(folder.iterdir()))
    return db


def check_export(folder, db):
    rows = list(csv.DictReader(io.StringIO(tune("export", db)[1])))
    entries = json.loads(tune("export", db, "--format", "json")[1])
    with sqlite3.connect(db) as plain:
        direct = plain.execute("SELECT key, median FROM trials ORDER BY task, "
                               "device, run, sequence, key").fetchall()
        best = dict(plain.execute("SELECT task, schedule FROM best"))
    check("export is what the file holds",
          [(r["key"], float(r["median"])) for r in rows] == direct,
          rows[:1])
    check("export: csv and json agree",
          [(e["key"], e["median"], e["schedule"]) for e in entries] ==
          [(r["key"], float(r["median"]), r["schedule"]) for r in rows],
          entries[:1])
    check("export: terms are objects", entries[0]["terms"]["flops"] > 0,
          entries[0])
    tasks = json.loads(tune("best", db, "--json")[1])
    check("best knows each task", len(tasks) == 4, tasks)
    check("the view `best` of the file", best == least_medians(rows), best)
    code, _, err = tune("export", db, "-o", folder / "a.csv")
    check("export -o", code == 0 and (folder / "a.csv").read_text() ==
          tune("export", db)[1], err)
    code, _, err = tune("export", db, "-o", folder / "no" / "a.csv")
    check("export to nowhere", code == 1 and "cannot write" in err, err)
    check("export in another format",
          tune("export", db, "--format", "xml")[0] == 2, "")


def check_merging(folder, db):
    other = sample(folder / "b.db", 30, 2)
    code, out, err = tune("merge", folder / "c.db", db, other)
    check("merge", code == 0 and out.endswith("c.db: 4 tasks, 360 trials\n"),
          (out, err))
    check("merge in another order", tune("merge", folder / "d.db", other, db)[0]
          == 0 and tune("export", folder / "c.db") ==
          tune("export", folder / "d.db"), "")
    text = folder / "text.db"
    text.write_text("shapes and times")
    before = sorted((p.name, p.read_bytes()) for p in folder.iterdir())
    for arguments in (("list", text), ("merge", text, db),
                      ("merge", folder / "e.db", db, text),
                      ("compare", db, text)):
        code, out, err = tune(*arguments)
        check(f"{arguments[0]} of a text",
              code == 1 and not out and err == f"error: '{text}' is no tuning "
              "database: expected a SQLite file\n", (code, out, err))
    check("what is wrong changes nothing", before ==
          sorted((p.name, p.read_bytes()) for p in folder.iterdir()), "")


def check_comparing(folder, db):
    slow = sample(folder / "slow.db", 60, 1, 1.2)
    fast = sample(folder / "fast.db", 60, 1, 0.8)
    code, out, err = tune("compare", db, db, "--ci")
    check("compare with itself", code == 0 and out.count(" same\n") == 4,
          (code, out, err))
    code, out, err = tune("compare", db, slow, "--ci")
    check("compare with a slower one", code == 4 and out.count("  slower\n") == 4
          and out.endswith("4 tasks compared, 4 slower or broken\n"),
          (code, out, err))
    check("without --ci", tune("compare", db, slow)[0] == 0, "")
    code, out, err = tune("compare", db, fast, "--ci")
    check("compare with a faster one",
          code == 0 and out.count("  faster\n") == 4, (code, out, err))
    code, out, err = tune("compare", db, slow, "--ci", "--threshold", "1.25")
    check("above the threshold", code == 0, (code, out, err))
    changes = json.loads(tune("compare", db, slow, "--json")[1])
    check("compare --json", all(c["change"] == "slower" and
                                abs(c["ratio"] - 1.2) < 1e-9 and
                                c["low"] < c["ratio"] < c["high"]
                                for c in changes), changes)
    empty = sample(folder / "empty.db", 0, 1)
    code, out, err = tune("compare", db, empty, "--ci")
    check("nothing to compare is no pass",
          code == 1 and "nothing was compared" in err, (code, out, err))


def check_pages(folder, db):
    code, out, err = tune("show", db, "--html", folder / "a.html")
    check("show --html", code == 0, err)
    # Per task: two of the search, model, roofline, eight parameters, ten intervals.
    count = check_page("page", folder / "a.html", 4)
    check("pictures of the page", count == 4 * 22, count)
    for trials in (0, 1, 1000):
        db = sample(folder / f"{trials}.db", trials, 3)
        tune("show", db, "--html", folder / "b.html")
        check_page(f"page of {trials} trials", folder / "b.html", 4)
    check("a page that cannot be written",
          tune("show", db, "--html", folder / "no" / "a.html")[0] == 1, "")


# In memory if possible: each trial of a sample waits for the disk.
MEMORY = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
with tempfile.TemporaryDirectory(dir=MEMORY) as name:
    database = check_reading(pathlib.Path(name))
    check_export(pathlib.Path(name), database)
    check_merging(pathlib.Path(name), database)
    check_comparing(pathlib.Path(name), database)
    check_pages(pathlib.Path(name), database)
check("tune of nothing", tune()[0] == 2, tune())
check("an unknown option", tune("list", "a.db", "--fast")[0] == 2, "")
check("a missing file", tune("list", "no.db")[2] ==
      "error: there is no file 'no.db', expected a tuning database\n",
      tune("list", "no.db"))

print("\n".join(problems) or "the commands of tune read and join databases")
sys.exit(1 if problems else 0)
