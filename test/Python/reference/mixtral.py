# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtral (arXiv 2401.04088): the weights are the softmax of the logits of the
chosen experts. (Its code takes the softmax over all and divides by the sum of
the chosen; this is written as the paper has it.)"""

from . import blocks

CONFIG = {
    "model_type": "mixtral", "hidden_size": 8, "intermediate_size": 9,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "num_local_experts": 4, "num_experts_per_tok": 2, "hidden_act": "silu",
    "rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "sliding_window": None,
}

# Gate, up and down projection.
NAMES = ("w1", "w3", "w2")


def shapes(config):
    result = blocks.norm_shapes(config)
    hidden = config["hidden_size"]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        block = f"{prefix}.block_sparse_moe"
        result |= blocks.attention_shapes(f"{prefix}.self_attn", config)
        result[f"{block}.gate.weight"] = (config["num_local_experts"], hidden)
        for expert in range(config["num_local_experts"]):
            result |= blocks.swiglu_shapes(f"{block}.experts.{expert}", hidden,
                                           config["intermediate_size"], NAMES)
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        return blocks.self_attention(state, prefix, config, rows)

    def choose(logits):
        experts = blocks.top_k(logits, config["num_experts_per_tok"])
        return experts, blocks.softmax(logits[experts])

    def network(rows, prefix, layer):
        return blocks.mixture(state, f"{prefix}.block_sparse_moe", rows, choose,
                              NAMES)

    return blocks.decoder(state, config, x, attention, network)
