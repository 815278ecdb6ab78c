# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OLMoE (arXiv 2409.02060): norms over all heads of queries and of keys at
once; softmax over all experts, whose scores are the weights as they are."""

from . import blocks

CONFIG = {
    "model_type": "olmoe", "hidden_size": 12, "intermediate_size": 7,
    "num_hidden_layers": 2, "num_attention_heads": 3, "num_key_value_heads": 3,
    "num_experts": 5, "num_experts_per_tok": 3, "norm_topk_prob": False,
    "hidden_act": "silu", "attention_bias": False, "clip_qkv": None,
    "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "rope_scaling": None,
}


def shapes(config):
    result = blocks.norm_shapes(config)
    hidden = config["hidden_size"]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        result |= blocks.attention_shapes(f"{prefix}.self_attn", config)
        result[f"{prefix}.self_attn.q_norm.weight"] = (hidden,)
        result[f"{prefix}.self_attn.k_norm.weight"] = (hidden,)
        result[f"{prefix}.mlp.gate.weight"] = (config["num_experts"], hidden)
        for expert in range(config["num_experts"]):
            result |= blocks.swiglu_shapes(f"{prefix}.mlp.experts.{expert}",
                                           hidden, config["intermediate_size"])
    return result


def forward(state, config, x):
    epsilon = config["rms_norm_eps"]

    def attention(rows, prefix):
        def norm(name):
            weight = state[f"{prefix}.{name}.weight"]
            return lambda heads: blocks.rms_norm(
                heads.reshape(len(heads), -1), weight,
                epsilon).reshape(heads.shape)

        return blocks.self_attention(state, prefix, config, rows,
                                     query_norm=norm("q_norm"),
                                     key_norm=norm("k_norm"))

    def choose(logits):
        scores = blocks.softmax(logits)
        experts = blocks.top_k(scores, config["num_experts_per_tok"])
        return experts, scores[experts]

    def network(rows, prefix, layer):
        return blocks.mixture(state, f"{prefix}.mlp", rows, choose)

    return blocks.decoder(state, config, x, attention, network)
