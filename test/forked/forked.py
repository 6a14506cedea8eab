"""Starts programs as subprocess.run does, in a fraction of the time.

A process of a program that stopped before its main (Server.cpp) is forked for
each start, so that the program is loaded and linked once for each thread of a
test, not for each of its hundreds of starts. Where the library of Server.cpp was
not built next to the program, and for what only subprocess.run can do, this is
subprocess.run.
"""

import array
import multiprocessing.util
import os
import pathlib
import signal
import socket
import subprocess
import threading

_servers = threading.local()


class _Server:
    """One program; for one thread."""

    def __init__(self, program, library):
        self.program = program
        self.socket, theirs = socket.socketpair(socket.AF_UNIX,
                                                socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [program], stdin=theirs, stdout=subprocess.DEVNULL,
                env={**os.environ, "LD_PRELOAD": str(library),
                     "LD_BIND_NOW": "1"})
        # The time of what it started counts as the test's once it was waited for.
        # As atexit, in processes of multiprocessing too.
        multiprocessing.util.Finalize(None, self.close, exitpriority=0)

    def close(self):
        self.socket.close()
        self.process.wait()

    def answer(self):
        data = self.socket.recv(4)
        if not data:
            raise RuntimeError(f"{self.program}: its server ended")
        return int.from_bytes(data, "little", signed=True)

    def start(self, words, cwd, files):
        text = b"".join(os.fsencode(word) + b"\0" for word in
                        (os.path.abspath(cwd or "."), *words))
        self.socket.sendmsg([text], [(
            socket.SOL_SOCKET, socket.SCM_RIGHTS,
            array.array("i", [file.fileno() for file in files]))])

    def run(self, words, cwd, timeout):
        """The exit code, and what it wrote on standard output and error."""
        with open(os.memfd_create("stdout"), "w+b") as out, \
                open(os.memfd_create("stderr"), "w+b") as err:
            self.start(words, cwd, (out, err))
            child = self.answer()
            self.socket.settimeout(timeout)
            try:
                status = self.answer()
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self.socket.settimeout(None)
                self.answer()
                raise subprocess.TimeoutExpired(words, timeout) from None
            finally:
                self.socket.settimeout(None)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read())
        return os.waitstatus_to_exitcode(status), *texts


def _server(program):
    """None where there is none for this program."""
    library = pathlib.Path(program).parent.parent / "test/forked/libforked.so"
    if os.sep not in program or not library.exists():
        return None
    if not hasattr(_servers, "of"):
        _servers.of = {}
    key = os.getpid(), program  # A forked process has servers of its own.
    if key not in _servers.of:
        _servers.of[key] = _Server(program, library)
    return _servers.of[key]


def run(command, *, cwd=None, timeout=None, text=False, check=False,
        capture_output=False, **others):
    """As subprocess.run; standard input is empty."""
    words = [os.fspath(word) for word in command]
    server = _server(words[0]) if capture_output and not others else None
    if not server:
        return subprocess.run(words, cwd=cwd, timeout=timeout, text=text,
                              check=check, capture_output=capture_output,
                              **others)
    code, out, err = server.run(words, cwd, timeout)
    done = subprocess.CompletedProcess(
        words, code, *((out.decode(), err.decode()) if text else (out, err)))
    if check:
        done.check_returncode()
    return done
