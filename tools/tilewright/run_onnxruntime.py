"""run_onnxruntime.py MODEL: runs an ONNX model by ONNX Runtime, for `tilewright
verify --oracle onnxruntime`.

Reads requests from the standard input and writes an answer to each, one line of
JSON: first of all one about the model. A request names a folder, in which
input number N is inN.npy, and output number N becomes outN.npy:

    {"version": "1.31.1", "inputs": [["x", "tensor(float)"]], "outputs": [...]}
    {"folder": "/tmp/x", "inputs": ["x"], "outputs": ["y"]}
    {}

An answer without a result is {"missing": MODULE, "text": ...} or {"rejected":
...}. The program ends with its standard input."""

import json
import os
import sys


def open_session(path):
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    # What the model says, op by op.
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.__version__, onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"])


def run(session, request):
    import numpy
    folder = request["folder"]
    feeds = {name: numpy.load(os.path.join(folder, f"in{number}.npy"))
             for number, name in enumerate(request["inputs"])}
    results = session.run(request["outputs"], feeds)
    for number, result in enumerate(results):
        numpy.save(os.path.join(folder, f"out{number}.npy"),
                   numpy.asarray(result), allow_pickle=False)


def main():
    # What others print is not for the one who asks.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    try:
        import numpy  # noqa: F401
        version, session = open_session(sys.argv[1])
    except ImportError as error:
        return answer(missing=error.name or "", text=str(error))
    except Exception as error:  # ONNX Runtime's own classes have no base.
        return answer(rejected=str(error))
    answer(version=version,
           inputs=[[each.name, each.type] for each in session.get_inputs()],
           outputs=[[each.name, each.type] for each in session.get_outputs()])
    for line in sys.stdin:
        try:
            run(session, json.loads(line))
            answer()
        except Exception as error:
            answer(rejected=str(error))


if __name__ == "__main__":
    main()
