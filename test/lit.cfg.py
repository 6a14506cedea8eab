# How lit finds and runs the text tests. Loaded by the build's lit.site.cfg.py.
import os

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
path = [config.tilewright_tools, config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["TILEWRIGHT_CACHE_DIR"] = "off"
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%ptxas", config.ptxas))
if os.path.exists(config.ptxas):
    config.available_features.add("ptxas")
