"""Random nodes of ai.onnx.ml."""

import numpy as np
from onnx import numpy_helper

from domain_spec import Spec, floats, integers

TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]


def spec(op, feeds, attributes, inputs=None, constants=None, **more):
    inputs = inputs or list(feeds)
    more.setdefault("symbols", {name: {0: "N"} for name in feeds})
    return Spec(op, inputs, feeds, constants or {}, attributes,
                domain="ai.onnx.ml", **more)


def rows(r, features, dtype=np.float32):
    return floats(r, r.randint(1, 6), features, dtype=dtype)


def listed(r, *shape, scale=1.0):
    return [float(v) for v in floats(r, *shape, scale=scale).ravel()]


def Scaler(r):
    n = r.randint(2, 6)
    count = r.choice([1, n])
    x = r.choice([rows(r, n), integers(r, 3, n, dtype=np.int32) // (1 << 24),
                  integers(r, 3, n, dtype=np.int64) >> 52])
    return spec("Scaler", {"x": x}, {"offset": listed(r, count),
                                     "scale": listed(r, count)})


def Normalizer(r):
    x = rows(r, r.randint(1, 6))
    if r.random() < .3:
        x[0] = 0
    return spec("Normalizer", {"x": x}, {"norm": r.choice(["MAX", "L1", "L2"])})


def Binarizer(r):
    return spec("Binarizer", {"x": rows(r, 5)},
                {"threshold": r.choice([0.0, 0.3])})


def Imputer(r):
    n = r.randint(2, 5)
    count = r.choice([1, n])
    if r.random() < .5:
        x = rows(r, n)
        missing = r.choice([np.nan, 7.0])
        x[np.random.default_rng(r.getrandbits(32)).random(x.shape) < .4] = \
            missing
        return spec("Imputer", {"x": x},
                    {"imputed_value_floats": listed(r, count),
                     "replaced_value_float": float(missing)})
    x = integers(r, 3, n, dtype=np.int8).astype(np.int64) % 4
    return spec("Imputer", {"x": x}, {
        "imputed_value_int64s": [r.randint(-9, 9) for _ in range(count)],
        "replaced_value_int64": 2})


def FeatureVectorizer(r):
    sizes = [r.randint(1, 4) for _ in range(r.randint(1, 3))]
    feeds = {f"x{k}": floats(r, 3, size) for k, size in enumerate(sizes)}
    return spec("FeatureVectorizer", feeds, {"inputdimensions": sizes})


def ArrayFeatureExtractor(r):
    n = r.randint(2, 6)
    at = np.array([r.randrange(n) for _ in range(r.randint(1, 4))], np.int64)
    return spec("ArrayFeatureExtractor", {"x": rows(r, n)}, {}, ["x", "at"],
                {"at": at})


def LabelEncoder(r):
    n = r.randint(1, 6)
    kind, value = r.choice(["floats", "int64s"]), r.choice(["floats", "int64s"])
    numbers = r.sample(range(-9, 9), n)
    x = np.array([[r.randint(-9, 9) for _ in range(4)] for _ in range(3)])
    attributes = {
        f"keys_{kind}": [float(v) for v in numbers] if kind == "floats"
        else numbers,
        f"values_{value}": listed(r, n) if value == "floats"
        else [r.randint(-99, 99) for _ in range(n)]}
    if r.random() < .5:
        attributes.update({"default_float": -7.5} if value == "floats" else
                          {"default_int64": 1234567890123})
    x = x.astype(np.float32 if kind == "floats" else np.int64)
    version = r.choice([3, 4])
    if kind == "floats" and r.random() < .5:
        attributes["keys_floats"][0] = float("nan")
        x[0, 0] = np.nan
    return spec("LabelEncoder", {"x": x}, attributes, version=version)


def LinearRegressor(r):
    n, targets = r.randint(1, 6), r.randint(1, 3)
    return spec("LinearRegressor", {"x": rows(r, n)},
                {"coefficients": listed(r, targets, n),
                 "intercepts": listed(r, targets), "targets": targets},
                relative=1e-4)


def LinearClassifier(r):
    n = r.randint(1, 6)
    classes = r.choice([1, 2, 3, 4])
    labels = r.sample(range(10), 2 if classes == 1 else classes)
    return spec("LinearClassifier", {"x": rows(r, n)},
                {"coefficients": listed(r, classes, n),
                 "intercepts": listed(r, classes), "classlabels_ints": labels,
                 "multi_class": r.randint(0, 1),
                 "post_transform": r.choice(TRANSFORMS)},
                outputs=["label", "scores"], relative=1e-4)


def SVMRegressor(r):
    n, vectors = r.randint(1, 5), r.randint(1, 6)
    kernel = r.choice(["LINEAR", "POLY", "RBF", "SIGMOID"])
    attributes = {"kernel_type": kernel, "kernel_params": [0.3, 0.2, 3.0],
                  "rho": listed(r, 1), "n_supports": vectors,
                  "coefficients": listed(r, vectors),
                  "support_vectors": listed(r, vectors, n)}
    if r.random() < .3:
        attributes["one_class"] = 1
    if r.random() < .2:
        attributes.update({"n_supports": 0, "support_vectors": [],
                           "coefficients": listed(r, n),
                           "kernel_type": "LINEAR"})
        del attributes["support_vectors"]
    return spec("SVMRegressor", {"x": rows(r, n)}, attributes, relative=1e-4)


def SVMClassifier(r):
    n, classes = r.randint(1, 5), r.choice([2, 3, 4])
    per_class = [r.randint(1, 3) for _ in range(classes)]
    kernel = r.choice(["LINEAR", "POLY", "RBF", "SIGMOID"])
    return spec("SVMClassifier", {"x": rows(r, n)},
                {"kernel_type": kernel, "kernel_params": [0.3, 0.2, 3.0],
                 "rho": listed(r, classes * (classes - 1) // 2),
                 "vectors_per_class": per_class,
                 "coefficients": listed(r, classes - 1, sum(per_class)),
                 "support_vectors": listed(r, sum(per_class), n),
                 "classlabels_ints": r.sample(range(9), classes),
                 "post_transform": r.choice(["NONE", "LOGISTIC"])},
                outputs=["label", "scores"], relative=1e-4)


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ",
         "BRANCH_NEQ"]


def grow(r, depth, features, modes):
    """A tree: nested (feature, value, mode, missing, yes, no); None: a leaf."""
    if depth == 0 or r.random() < .15:
        return None
    return (r.randrange(features), r.randint(-2, 2) / 2, r.choice(modes),
            r.randint(0, 1), grow(r, depth - 1, features, modes),
            grow(r, depth - 1, features, modes))


def tree_rows(r, features, dtype=np.float32):
    """Numbers that meet the limits of the trees, and NaN."""
    x = np.array([[r.randint(-3, 3) / 2 for _ in range(features)]
                  for _ in range(r.randint(1, 12))], dtype)
    if r.random() < .5:
        x[0, r.randrange(features)] = np.nan
    return x


def tree_nodes(r, features, prefix, targets, per_leaf, low):
    """Attributes of the operators of versions 1 and 3."""
    modes = r.choice([[MODES[0]], MODES])
    names = ["treeids", "nodeids", "featureids", "values", "modes",
             "truenodeids", "falsenodeids", "missing_value_tracks_true"]
    lists = {name: [] for name in names}
    leaves = {name: [] for name in ("treeids", "nodeids", "ids", "weights")}

    def add(tree, number, node):
        at = node[0]
        node[0] += 1
        row = len(lists["treeids"])
        for name, value in zip(names, [tree, at, 0, 0.0, "LEAF", 0, 0, 0]):
            lists[name].append(value)
        if number is None:
            for target in r.sample(range(targets), per_leaf):
                for name, value in zip(leaves, [
                        tree, at, target,
                        r.uniform(low, 1)]):
                    leaves[name].append(value)
            return at
        feature, value, mode, missing, yes, no = number
        lists["featureids"][row], lists["values"][row] = feature, value
        lists["modes"][row] = mode
        lists["missing_value_tracks_true"][row] = missing
        lists["truenodeids"][row] = add(tree, yes, node)
        lists["falsenodeids"][row] = add(tree, no, node)
        return at

    for tree in range(r.randint(1, 5)):
        add(tree, grow(r, r.randint(0, 4), features, modes), [0])
    attributes = {f"nodes_{name}": values for name, values in lists.items()}
    attributes.update({f"{prefix}_{name}": values
                       for name, values in leaves.items()})
    return attributes


def TreeEnsembleRegressor(r):
    features, targets = r.randint(1, 4), r.choice([1, 1, 2, 3])
    attributes = tree_nodes(r, features, "target", targets, r.choice(
        [1, targets]), -1)
    attributes.update({"n_targets": targets, "aggregate_function":
                       r.choice(["SUM", "AVERAGE", "MIN", "MAX"])})
    if targets > 1:
        attributes["post_transform"] = r.choice(TRANSFORMS)
    if r.random() < .4:
        attributes["base_values"] = listed(r, targets)
    dtype = r.choice([np.float32, np.float32, np.float64])
    return spec("TreeEnsembleRegressor", {"x": tree_rows(r, features, dtype)},
                attributes, relative=1e-4)


def TreeEnsembleClassifier(r):
    features, classes = r.randint(1, 4), r.choice([2, 2, 3, 5])
    per_leaf = r.choice([1, classes])
    low = r.choice([0, -1])
    attributes = tree_nodes(r, features, "class", classes, per_leaf, low)
    # Classes without a weight anywhere are another fault than ours.
    if per_leaf == 1 and classes == 2:
        attributes["class_ids"] = [r.choice([0, 0, 1])] * len(
            attributes["class_ids"])
    elif per_leaf == 1:
        attributes = tree_nodes(r, features, "class", classes, classes, low)
    attributes.update({"classlabels_int64s": r.sample(range(9), classes),
                       "post_transform": r.choice(TRANSFORMS)})
    return spec("TreeEnsembleClassifier", {"x": tree_rows(r, features)},
                attributes, outputs=["label", "scores"], relative=1e-4,
                # ONNX Runtime's labels are then 0 and 1, whatever the model's.
                by_reference=classes == 2 and per_leaf == 2)


def TreeEnsemble(r):
    """Version 5: roots, splits and leaves are lists of their own."""
    features, targets = r.randint(1, 4), r.choice([1, 2])
    dtype = r.choice([np.float32, np.float64])
    splits, modes, members, weights, leaf_targets, roots = ([] for _ in
                                                            range(6))
    lists = {name: [] for name in (
        "featureids", "truenodeids", "trueleafs", "falsenodeids", "falseleafs",
        "missing_value_tracks_true")}

    def add(tree):
        if tree is None:
            weights.append(r.uniform(-1, 1))
            leaf_targets.append(r.randrange(targets))
            return len(weights) - 1, 1
        feature, value, mode, missing, yes, no = tree
        at = len(splits)
        splits.append(value)
        modes.append(MODES.index(mode) if r.random() < .8 else 6)
        if modes[-1] == 6:
            members.extend(r.sample([-1.0, 0., 1., 2.],
                                    r.randint(1, 3)) + [np.nan])
        for name, value in zip(lists, [feature, 0, 0, 0, 0, missing]):
            lists[name].append(value)
        lists["truenodeids"][at], lists["trueleafs"][at] = add(yes)
        lists["falsenodeids"][at], lists["falseleafs"][at] = add(no)
        return at, 0

    while len(roots) < 3:
        tree = grow(r, 3, features, MODES)
        if tree:
            roots.append(add(tree)[0])
    attributes = {f"nodes_{name}": values for name, values in lists.items()}
    tensors = {"nodes_splits": np.array(splits, dtype),
               "nodes_modes": np.array(modes, np.uint8),
               "leaf_weights": np.array(weights, dtype)}
    if members:
        tensors["membership_values"] = np.array(members, dtype)
    attributes.update({name: numpy_helper.from_array(value, name)
                       for name, value in tensors.items()})
    attributes.update({"tree_roots": roots, "leaf_targetids": leaf_targets,
                       "n_targets": targets,
                       "aggregate_function": r.randint(0, 3)})
    x = tree_rows(r, features, dtype)
    if members:
        # ONNX Runtime cuts off fractions before it looks for a member.
        x = np.floor(x)
    return spec("TreeEnsemble", {"x": x}, attributes, version=5,
                relative=1e-4)


GENERATORS = [Scaler, Normalizer, Binarizer, Imputer, FeatureVectorizer,
              ArrayFeatureExtractor, LabelEncoder, LinearRegressor,
              LinearClassifier, SVMRegressor, SVMClassifier,
              TreeEnsembleRegressor, TreeEnsembleClassifier, TreeEnsemble]
