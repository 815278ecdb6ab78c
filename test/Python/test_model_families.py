# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Import of a configuration, and its oracle, against each family written down
a second time from its definition, on a checkpoint of random weights."""

import importlib
import json
import re

import numpy as np
import pytest

FAMILIES = ["olmoe", "qwen3_moe", "mixtral", "qwen2_moe", "deepseek",
            "deepseek_v2", "deepseek_v3"]
SEQUENCES, LENGTH = 2, 5

# Names that an imported model and a checkpoint do not share.
RENAMED = {
    "q_bias": "q_proj.bias", "k_bias": "k_proj.bias", "v_bias": "v_proj.bias",
    "q_a": "q_a_proj.weight", "q_a_norm": "q_a_layernorm.weight",
    "q_b": "q_b_proj.weight", "kv_a": "kv_a_proj_with_mqa.weight",
    "kv_a_norm": "kv_a_layernorm.weight", "kv_b": "kv_b_proj.weight",
    "selection_bias": "gate.e_score_correction_bias",
}
MIXTRAL = {"gate_proj": "w1", "up_proj": "w3", "down_proj": "w2"}


def checkpoint(shapes, random):
    """Weights of a size that keeps every part of the model at work."""
    state = {}
    for name, shape in shapes.items():
        state[name] = random.uniform(-1, 1, shape)
        if len(shape) == 2:
            state[name] *= 3 / np.sqrt(shape[1])
    return state


def checkpoint_name(argument, model_type):
    *path, last = argument.split(".")
    if model_type == "mixtral" and "mlp" in path:
        path[path.index("mlp")] = "block_sparse_moe"
        last = MIXTRAL.get(last, last)
    if model_type == "qwen2_moe" and "shared_experts" in path:
        path[path.index("shared_experts")] = "shared_expert"
        if last == "output_gate":
            path, last = path[:-1], "shared_expert_gate"
    return ".".join(["model", *path, RENAMED.get(last, f"{last}.weight")])


def argument_value(argument, shape, state, config, used):
    """What a weight of the imported model is in the checkpoint. Projections of a
    checkpoint are [outputs, inputs], ours the other way round."""
    name = checkpoint_name(argument, config["model_type"])
    if ".experts." in name:
        names = [name.replace(".experts.", f".experts.{expert}.")
                 for expert in range(shape[0])]
        used |= set(names)
        return np.stack([state[name].T for name in names])
    used.add(name)
    return state[name].T


def parse_arguments(source):
    line = re.search(r"func\.func @forward\((.*)\) ->", source).group(1)
    for name, shape in re.findall(r"%([\w.]+): tensor<([\dx]+)x[a-z0-9]+>", line):
        yield name, tuple(int(extent) for extent in shape.split("x"))


def import_model(tool, tmp_path, config, element_type):
    path, model = tmp_path / "config.json", tmp_path / "model.mlir"
    path.write_text(json.dumps(config))
    done = tool("mozart-translate", "--import-hf-config", path,
                f"--sequences={SEQUENCES}", f"--sequence-length={LENGTH}",
                "--micro-batches=1", f"--element-type={element_type}", "-o",
                model)
    assert done.returncode == 0, done.stderr
    return model


def run_model(tool, tmp_path, model, tokens, state, config, *options):
    used, values = set(), []
    for name, shape in parse_arguments(model.read_text()):
        value = (tokens if name == "tokens" else
                 argument_value(name, shape, state, config, used))
        assert value.shape == shape, name
        values.append(value.reshape(-1))
    assert used == set(state), "every weight of the checkpoint has its place"
    inputs, outputs = tmp_path / "inputs", tmp_path / "outputs"
    np.concatenate(values).tofile(inputs)
    done = tool("mozart-run-oracle", model, "--inputs", inputs, "-o", outputs,
                *options)
    assert done.returncode == 0, done.stderr
    return np.fromfile(outputs).reshape(tokens.shape)


def expected_result(family, state, config, tokens):
    sequences = tokens.reshape(SEQUENCES, LENGTH, -1)
    return np.concatenate([family.forward(state, config, x) for x in sequences])


@pytest.fixture(params=FAMILIES)
def case(request):
    """A family's reference, configuration, checkpoint and tokens."""
    family = importlib.import_module(f"reference.{request.param}")
    random = np.random.default_rng(FAMILIES.index(request.param))
    state = checkpoint(family.shapes(family.CONFIG), random)
    tokens = random.normal(size=(SEQUENCES * LENGTH,
                                 family.CONFIG["hidden_size"]))
    return family, family.CONFIG, state, tokens


def test_oracle_is_the_published_model(tool, tmp_path, case):
    family, config, state, tokens = case
    expected = expected_result(family, state, config, tokens)
    model = import_model(tool, tmp_path, config, "f64")
    found = run_model(tool, tmp_path, model, tokens, state, config, "--widen")
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


def test_single_precision_is_close(tool, tmp_path, case):
    family, config, state, tokens = case
    state = {name: weight.astype(np.float32).astype(float)
             for name, weight in state.items()}
    tokens = tokens.astype(np.float32).astype(float)
    expected = expected_result(family, state, config, tokens)
    model = import_model(tool, tmp_path, config, "f32")
    found = run_model(tool, tmp_path, model, tokens, state, config)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_references_depend_on_every_weight(case):
    """A reference that ignores a weight could not catch a wrong one."""
    family, config, state, tokens = case
    expected = expected_result(family, state, config, tokens)
    random, idle = np.random.default_rng(1), set()
    for name in state:
        change = random.uniform(-0.5, 0.5, state[name].shape)
        changed = dict(state, **{name: state[name] + change})
        result = expected_result(family, changed, config, tokens)
        if np.allclose(result, expected, rtol=1e-9, atol=0):
            idle.add(name)
    # An expert that no token of this draw chose is the one excuse.
    assert all(".experts." in name for name in idle), idle
    assert len(idle) < len(state) / 3


def test_sequences_do_not_see_each_other(tool, tmp_path, case):
    family, config, state, tokens = case
    model = import_model(tool, tmp_path, config, "f64")
    first = run_model(tool, tmp_path, model, tokens, state, config, "--widen")
    changed = tokens.copy()
    changed[LENGTH - 1] += 1  # the last token of the first sequence
    second = run_model(tool, tmp_path, model, changed, state, config, "--widen")
    same = np.all(first == second, axis=1)
    assert not same[LENGTH - 1]
    assert same.sum() == len(tokens) - 1


def test_inputs_of_another_size_are_refused(tool, tmp_path):
    config = importlib.import_module("reference.mixtral").CONFIG
    model = import_model(tool, tmp_path, config, "f32")
    inputs = tmp_path / "inputs"
    np.zeros(3).tofile(inputs)
    done = tool("mozart-run-oracle", model, "--inputs", inputs, "-o",
                tmp_path / "outputs")
    assert done.returncode == 1
    assert "the inputs end after 24 bytes" in done.stderr
    assert not (tmp_path / "outputs").exists()
