# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSeekMoE 16B (arXiv 2401.06066): dense first layers, then experts weighed
by their softmax scores, beside shared experts that are one wider network."""

from . import blocks

CONFIG = {
    "model_type": "deepseek", "hidden_size": 8, "intermediate_size": 11,
    "moe_intermediate_size": 5, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 2, "n_routed_experts": 6,
    "n_shared_experts": 2, "num_experts_per_tok": 3, "norm_topk_prob": False,
    "scoring_func": "softmax", "first_k_dense_replace": 1, "moe_layer_freq": 1,
    "hidden_act": "silu", "attention_bias": False, "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0, "rope_scaling": None,
}


def network_shapes(config):
    """Of layers' networks, which are alike in all of DeepSeek's models."""
    hidden = config["hidden_size"]
    result = {}
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}.mlp"
        if layer < config["first_k_dense_replace"]:
            result |= blocks.swiglu_shapes(prefix, hidden,
                                           config["intermediate_size"])
            continue
        result[f"{prefix}.gate.weight"] = (config["n_routed_experts"], hidden)
        for expert in range(config["n_routed_experts"]):
            result |= blocks.swiglu_shapes(f"{prefix}.experts.{expert}", hidden,
                                           config["moe_intermediate_size"])
        result |= blocks.swiglu_shapes(
            f"{prefix}.shared_experts", hidden,
            config["n_shared_experts"] * config["moe_intermediate_size"])
    return result


def network(state, config, choose):
    """A layer's network, by the layer's number; `choose` gets the layer's
    prefix and the logits of a token."""

    def apply(rows, prefix, layer):
        if layer < config["first_k_dense_replace"]:
            return blocks.feed_forward(state, f"{prefix}.mlp", rows)
        routed = blocks.mixture(state, f"{prefix}.mlp", rows,
                                lambda logits: choose(f"{prefix}.mlp", logits))
        return routed + blocks.feed_forward(
            state, f"{prefix}.mlp.shared_experts", rows)

    return apply


def shapes(config):
    result = blocks.norm_shapes(config) | network_shapes(config)
    for layer in range(config["num_hidden_layers"]):
        result |= blocks.attention_shapes(f"model.layers.{layer}.self_attn",
                                          config)
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        return blocks.self_attention(state, prefix, config, rows)

    def choose(prefix, logits):
        scores = blocks.softmax(logits)
        experts = blocks.top_k(scores, config["num_experts_per_tok"])
        return experts, scores[experts]

    return blocks.decoder(state, config, x, attention,
                          network(state, config, choose))
