# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSeek-V2 (arXiv 2405.04434): groups of experts ranked by their best score;
scores weigh as they are, times a factor."""

import numpy as np

from . import blocks, deepseek, latent_attention

CONFIG = {
    "model_type": "deepseek_v2", "hidden_size": 8, "intermediate_size": 11,
    "moe_intermediate_size": 5, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 3, "q_lora_rank": None,
    "kv_lora_rank": 5, "qk_nope_head_dim": 3, "qk_rope_head_dim": 4,
    "v_head_dim": 2, "n_routed_experts": 9, "n_shared_experts": 2,
    "num_experts_per_tok": 3, "norm_topk_prob": False, "n_group": 3,
    "topk_group": 2, "topk_method": "group_limited_greedy",
    "routed_scaling_factor": 16.0, "scoring_func": "softmax",
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "hidden_act": "silu",
    "attention_bias": False, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32,
                     "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.707,
                     "original_max_position_embeddings": 4096},
}


def shapes(config):
    result = blocks.norm_shapes(config) | deepseek.network_shapes(config)
    for layer in range(config["num_hidden_layers"]):
        result |= latent_attention.shapes(f"model.layers.{layer}.self_attn",
                                          config)
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        return latent_attention.apply(state, prefix, config, rows)

    def choose(prefix, logits):
        scores = blocks.softmax(logits)
        groups = scores.reshape(config["n_group"], -1)
        kept = blocks.top_k(groups.max(1), config["topk_group"])
        masked = np.full_like(groups, -np.inf)
        masked[kept] = groups[kept]
        experts = blocks.top_k(masked.reshape(-1), config["num_experts_per_tok"])
        return experts, scores[experts] * config["routed_scaling_factor"]

    return blocks.decoder(state, config, x, attention,
                          deepseek.network(state, config, choose))
