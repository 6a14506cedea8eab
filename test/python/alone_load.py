"""alone_load.py LIBRARY...: loads the module, without its package, which imports
NumPy, where none of the libraries can be loaded."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import sysconfig

from hidden import expect_hidden

expect_hidden(sys.argv[1:])
module, = (pathlib.Path(sysconfig.get_path("platlib"))
           / "tilewright").glob("_core.*.so")
loader = importlib.machinery.ExtensionFileLoader("_core", str(module))
core = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("_core", loader))
loader.exec_module(core)
print("version", core.version())
