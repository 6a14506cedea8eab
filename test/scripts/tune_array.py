#!/usr/bin/env python3
"""tune_array.py TILEWRIGHT SCRIPT: scripts/tune-array.sbatch under a Slurm of
one node, this one: an array of three, and a job that waits for it and merges.
Where Slurm or the rights to start it are missing it says so, with exit 77.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import tune_database  # pylint: disable=wrong-import-position

TOOL, SCRIPT = map(os.path.abspath, sys.argv[1:3])
NEEDED = ["slurmctld", "slurmd", "sbatch", "squeue", "munged"]
SLURM = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES State=UP
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def daemons(commands, environment):
    """Runs the commands in the foreground of their own, and ends them."""
    running = []
    try:
        for command in commands:
            running.append(subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
            time.sleep(0.5)
        yield running
    finally:
        for process in reversed(running):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()


def start_slurm(folder, stack):
    """Returns the environment in which its commands are run."""
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(SLURM.format(
        host=host, controller=free_port(), daemon=free_port(), folder=folder,
        cpus=os.cpu_count()), encoding="utf-8")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
    stack.enter_context(daemons([
        ["munged", "--foreground", "--force", f"--key-file={key}",
         f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid",
         f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"],
        ["slurmctld", "-D", "-c"], ["slurmd", "-D", "-N", host]], environment))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        state = subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment,
                               capture_output=True, text=True, check=False)
        if state.stdout.strip() == "idle":
            return environment
        time.sleep(0.5)
    logs = "".join(p.read_text()[-2000:] for p in folder.glob("*.log"))
    sys.exit(f"Slurm does not start: {state.stdout}{state.stderr}\n{logs}")


def submit(environment, folder, *arguments):
    run = subprocess.run(["sbatch", "--parsable", *arguments], cwd=folder,
                         env=environment, capture_output=True, text=True,
                         check=False)
    if run.returncode:
        sys.exit(f"sbatch {arguments}: {run.stderr}")
    return run.stdout.strip()


def wait(environment, logs):
    end = time.monotonic() + 240
    while time.monotonic() < end:
        queue = subprocess.run(["squeue", "-h"], env=environment, text=True,
                               capture_output=True, check=True).stdout
        if not queue.strip():
            return
        time.sleep(1)
    sys.exit(f"jobs do not end:\n{queue}{logs()}")


def main(folder, stack):
    work = folder / "work"
    work.mkdir()
    tuner = tune_database.Tuner(TOOL, work)
    environment = start_slurm(folder, stack)
    environment["TILEWRIGHT"] = str(pathlib.Path(TOOL).parents[1])
    job = submit(environment, work, "--array=1-3", SCRIPT, "out", "shapes.csv",
                 *tune_database.SPACE)
    submit(environment, work, f"--dependency=afterany:{job}", "--output=m.log",
           "--wrap", f"{TOOL} tune merge out.db out.[0-9]*.db")
    def logs():
        return "".join(p.read_text() for p in sorted(work.glob("*.log")))
    wait(environment, logs)
    if not (work / "out.db").exists():
        sys.exit(f"out.db is missing: {logs()}")
    tuner.tune("whole.db")
    whole = tune_database.schedules(work / "whole.db")
    parts = [tune_database.schedules(work / f"out.{i}.db") for i in (1, 2, 3)]
    merged = tune_database.schedules(work / "out.db")
    print(f"trials of the array's tasks {[len(p) for p in parts]}, merged "
          f"{len(merged)}, of them different {len(set(merged))}; of one run "
          f"{len(whole)}\n{logs()}")
    if set(merged) != set(whole) or len(merged) != len(whole) + 2:
        sys.exit("the merged shards are not the one run")


missing = [name for name in NEEDED if not shutil.which(name)]
if missing or os.geteuid() != 0:
    skip(f"needs root and {', '.join(NEEDED)}; missing: "
         f"{', '.join(missing) or 'root'}")
with tempfile.TemporaryDirectory() as temporary, \
        contextlib.ExitStack() as daemonStack:
    main(pathlib.Path(temporary), daemonStack)
