# How lit finds and runs the text tests. Loaded by the build's lit.site.cfg.py.
import os

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
# .onnxtxt is the text syntax of ONNX.
config.suffixes = [".mlir", ".onnxtxt"]
# The programs of test/verify are data.
config.excludes = ["Inputs", "upstream", "pairs", "foreign"]
path = [config.tilewright_tools, config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["TILEWRIGHT_CACHE_DIR"] = "off"
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%ptxas", config.ptxas))
to_onnx = os.path.join(config.test_source_root, "frontends/onnx/to_onnx.py")
config.substitutions.append(
    ("%onnx", f"{config.python} {to_onnx} {config.pypi}"))


def feature(name, path):
    """Tests that REQUIRE what is not there are unsupported; say why."""
    if os.path.exists(path):
        config.available_features.add(name)
    else:
        lit_config.note(f"skipped: tests that need {name}; expected {path}")


feature("ptxas", config.ptxas)
feature("onnx", os.path.join(config.pypi, "onnx/onnx"))
