"""Runs a function on seeds in processes of their own. ONNX Runtime crashes on
some nodes: then that seed has no result, and the others go on."""

import multiprocessing
import multiprocessing.connection
import time
import traceback

LIMIT = 600


def serve(pipe, function, options):
    while (seed := pipe.recv()) is not None:
        try:
            pipe.send(function(seed, options))
        except Exception:  # A fault of ours: the parent raises it.
            pipe.send(Failure(seed, traceback.format_exc()))


class Failure:
    def __init__(self, seed, text):
        self.seed, self.text = seed, text


class Worker:
    def __init__(self, function, options):
        self.start = lambda: self._start(function, options)
        self.start()

    def _start(self, function, options):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=serve, args=(other, function, options), daemon=True)
        self.process.start()
        other.close()
        self.seed = None

    def give(self, seed):
        self.seed, self.since = seed, time.monotonic()
        self.pipe.send(seed)

    def late(self):
        return self.seed is not None and time.monotonic() - self.since > LIMIT

    def take(self):
        """The result, or None where the process died or took too long."""
        try:
            if self.late():
                raise EOFError
            result = self.pipe.recv()
            self.seed = None
            if isinstance(result, Failure):
                raise RuntimeError(f"seed {result.seed}:\n{result.text}")
            return result
        except EOFError:
            self.process.kill()
            self.process.join()
            self.start()
            return None


def run(function, seeds, options, jobs, until=None):
    """Yields (seed, result or None), as they come."""
    workers = [Worker(function, options) for _ in range(jobs)]
    waiting, seeds = [], iter(seeds)

    def feed(worker):
        if until and time.monotonic() > until:
            return
        seed = next(seeds, None)
        if seed is not None:
            worker.give(seed)
            waiting.append(worker)
    for worker in workers:
        feed(worker)
    while waiting:
        ready = multiprocessing.connection.wait(
            [worker.pipe for worker in waiting], timeout=5)
        for worker in list(waiting):
            if worker.pipe in ready or worker.late():
                waiting.remove(worker)
                seed = worker.seed
                yield seed, worker.take()
                feed(worker)
    for worker in workers:
        worker.pipe.send(None)
        worker.process.join()
