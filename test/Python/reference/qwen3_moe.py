# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Qwen3-MoE: shared key and value heads of a size of their own, norms of each
query and key head; softmax over all experts, chosen scores renormalised."""

from . import blocks

CONFIG = {
    "model_type": "qwen3_moe", "hidden_size": 10, "intermediate_size": 11,
    "moe_intermediate_size": 6, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6,
    "num_experts": 6, "num_experts_per_tok": 2, "norm_topk_prob": True,
    "decoder_sparse_step": 1, "mlp_only_layers": [1], "hidden_act": "silu",
    "attention_bias": False, "rms_norm_eps": 1e-6, "rope_theta": 1000000.0,
    "rope_scaling": None, "use_sliding_window": False,
}


def shapes(config):
    result = blocks.norm_shapes(config)
    hidden = config["hidden_size"]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        result |= blocks.attention_shapes(f"{prefix}.self_attn", config)
        result[f"{prefix}.self_attn.q_norm.weight"] = (config["head_dim"],)
        result[f"{prefix}.self_attn.k_norm.weight"] = (config["head_dim"],)
        if layer in config["mlp_only_layers"]:
            result |= blocks.swiglu_shapes(f"{prefix}.mlp", hidden,
                                           config["intermediate_size"])
            continue
        result[f"{prefix}.mlp.gate.weight"] = (config["num_experts"], hidden)
        for expert in range(config["num_experts"]):
            result |= blocks.swiglu_shapes(f"{prefix}.mlp.experts.{expert}",
                                           hidden,
                                           config["moe_intermediate_size"])
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        def norm(name):
            weight = state[f"{prefix}.{name}.weight"]
            return lambda heads: blocks.rms_norm(heads, weight,
                                                 config["rms_norm_eps"])

        return blocks.self_attention(state, prefix, config, rows,
                                     query_norm=norm("q_norm"),
                                     key_norm=norm("k_norm"))

    def choose(logits):
        scores = blocks.softmax(logits)
        experts = blocks.top_k(scores, config["num_experts_per_tok"])
        return experts, scores[experts] / scores[experts].sum()

    def network(rows, prefix, layer):
        if layer in config["mlp_only_layers"]:
            return blocks.feed_forward(state, f"{prefix}.mlp", rows)
        return blocks.mixture(state, f"{prefix}.mlp", rows, choose)

    return blocks.decoder(state, config, x, attention, network)
