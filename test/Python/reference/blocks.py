# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model families are made of, in double precision.

Weights of projections are [outputs, inputs], as in the published checkpoints.
"""

import numpy as np


def linear(x, weight, bias=None):
    y = x @ weight.T
    return y if bias is None else y + bias


def rms_norm(x, weight, epsilon):
    return weight * x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def swiglu(x, gate, up, down):
    gated = linear(x, gate)
    return linear(gated * sigmoid(gated) * linear(x, up), down)


def inverse_frequencies(theta, dim):
    return 1 / theta ** (np.arange(0, dim, 2) / dim)


def rotate(x, frequencies, scale=1.0):
    """Rotary embedding of x [positions, heads, dim]: entry i turns with entry
    i + dim / 2."""
    angles = np.outer(np.arange(len(x)), frequencies)
    angles = np.concatenate([angles, angles], -1)[:, None, :]
    first, second = np.split(x, 2, axis=-1)
    turned = np.concatenate([-second, first], -1)
    return scale * (x * np.cos(angles) + turned * np.sin(angles))


def causal_attention(queries, keys, values, scale):
    """Of one sequence: queries [L, heads, dim], keys and values [L, kv heads,
    dim]. Each key and value head serves heads / kv heads queries in a row."""
    repeats = queries.shape[1] // keys.shape[1]
    keys, values = np.repeat(keys, repeats, 1), np.repeat(values, repeats, 1)
    scores = np.einsum("ihd,jhd->hij", queries, keys) * scale
    future = np.triu(np.ones(scores.shape[1:], bool), 1)
    shares = softmax(np.where(future, -np.inf, scores))
    return np.einsum("hij,jhd->ihd", shares, values).reshape(len(queries), -1)


def self_attention(state, prefix, config, x, biases=False, query_norm=None,
                   key_norm=None):
    """Attention of one sequence x [L, hidden]; norms act on projected rows
    [L, heads, dim]."""
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    dim = config.get("head_dim", config["hidden_size"] // heads)

    def project(name, count):
        bias = state[f"{prefix}.{name}.bias"] if biases else None
        rows = linear(x, state[f"{prefix}.{name}.weight"], bias)
        return rows.reshape(len(x), count, dim)

    queries = project("q_proj", heads)
    keys = project("k_proj", kv_heads)
    values = project("v_proj", kv_heads)
    if query_norm:
        queries, keys = query_norm(queries), key_norm(keys)
    frequencies = inverse_frequencies(config["rope_theta"], dim)
    mixed = causal_attention(rotate(queries, frequencies),
                             rotate(keys, frequencies), values, dim**-0.5)
    return linear(mixed, state[f"{prefix}.o_proj.weight"])


def top_k(scores, k):
    """Indices of the k highest, highest first; of equal ones the first."""
    return np.argsort(-scores, kind="stable")[:k]


def mixture(state, prefix, x, choose, names=("gate_proj", "up_proj",
                                             "down_proj")):
    """Rows of x through the experts that `choose` names with their weights."""
    y = np.zeros_like(x)
    logits = linear(x, state[f"{prefix}.gate.weight"])
    for token, row in enumerate(x):
        experts, weights = choose(logits[token])
        for expert, weight in zip(experts, weights):
            y[token] += weight * swiglu(
                row, *(state[f"{prefix}.experts.{expert}.{name}.weight"]
                       for name in names))
    return y


def feed_forward(state, prefix, x):
    return swiglu(x, *(state[f"{prefix}.{name}.weight"]
                       for name in ("gate_proj", "up_proj", "down_proj")))


def decoder(state, config, x, attention, network):
    """Pre-norm residual layers and the last norm, over one sequence."""
    epsilon = config["rms_norm_eps"]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        normed = rms_norm(x, state[f"{prefix}.input_layernorm.weight"], epsilon)
        x = x + attention(normed, f"{prefix}.self_attn")
        normed = rms_norm(
            x, state[f"{prefix}.post_attention_layernorm.weight"], epsilon)
        x = x + network(normed, prefix, layer)
    return rms_norm(x, state["model.norm.weight"], epsilon)


# Shapes of a checkpoint's weights.


def swiglu_shapes(prefix, hidden, inner, names=("gate_proj", "up_proj",
                                                "down_proj")):
    gate, up, down = (f"{prefix}.{name}.weight" for name in names)
    return {gate: (inner, hidden), up: (inner, hidden), down: (hidden, inner)}


def attention_shapes(prefix, config, biases=False):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    dim = config.get("head_dim", hidden // heads)
    outputs = {"q_proj": heads * dim,
               "k_proj": config.get("num_key_value_heads", heads) * dim,
               "v_proj": config.get("num_key_value_heads", heads) * dim}
    shapes = {f"{prefix}.{n}.weight": (o, hidden) for n, o in outputs.items()}
    if biases:
        shapes |= {f"{prefix}.{n}.bias": (o,) for n, o in outputs.items()}
    return shapes | {f"{prefix}.o_proj.weight": (hidden, heads * dim)}


def norm_shapes(config):
    hidden = (config["hidden_size"],)
    shapes = {"model.norm.weight": hidden}
    for layer in range(config["num_hidden_layers"]):
        shapes[f"model.layers.{layer}.input_layernorm.weight"] = hidden
        shapes[f"model.layers.{layer}.post_attention_layernorm.weight"] = hidden
    return shapes
