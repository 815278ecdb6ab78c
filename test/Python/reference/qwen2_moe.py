# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Qwen1.5-MoE: biases of queries, keys and values; experts weighed by their
softmax scores as they are, beside one shared expert behind a sigmoid gate."""

from . import blocks

CONFIG = {
    "model_type": "qwen2_moe", "hidden_size": 8, "intermediate_size": 11,
    "moe_intermediate_size": 5, "shared_expert_intermediate_size": 9,
    "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
    "num_experts": 6, "num_experts_per_tok": 4, "norm_topk_prob": False,
    "decoder_sparse_step": 1, "mlp_only_layers": [], "hidden_act": "silu",
    "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "use_sliding_window": False,
}


def shapes(config):
    result = blocks.norm_shapes(config)
    hidden = config["hidden_size"]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        result |= blocks.attention_shapes(f"{prefix}.self_attn", config,
                                          biases=True)
        result[f"{prefix}.mlp.gate.weight"] = (config["num_experts"], hidden)
        for expert in range(config["num_experts"]):
            result |= blocks.swiglu_shapes(f"{prefix}.mlp.experts.{expert}",
                                           hidden,
                                           config["moe_intermediate_size"])
        result |= blocks.swiglu_shapes(
            f"{prefix}.mlp.shared_expert", hidden,
            config["shared_expert_intermediate_size"])
        result[f"{prefix}.mlp.shared_expert_gate.weight"] = (1, hidden)
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        return blocks.self_attention(state, prefix, config, rows, biases=True)

    def choose(logits):
        scores = blocks.softmax(logits)
        experts = blocks.top_k(scores, config["num_experts_per_tok"])
        return experts, scores[experts]

    def network(rows, prefix, layer):
        routed = blocks.mixture(state, f"{prefix}.mlp", rows, choose)
        shared = blocks.feed_forward(state, f"{prefix}.mlp.shared_expert", rows)
        gate = blocks.linear(rows, state[f"{prefix}.mlp.shared_expert_gate.weight"])
        return routed + blocks.sigmoid(gate) * shared

    return blocks.decoder(state, config, x, attention, network)
