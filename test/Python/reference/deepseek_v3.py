# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSeek-V3 (arXiv 2412.19437): sigmoid scores; a bias that counts in the
choice alone; groups ranked by the sum of their best two; weights renormalised
and scaled."""

import numpy as np

from . import blocks, deepseek, latent_attention

CONFIG = {
    "model_type": "deepseek_v3", "hidden_size": 8, "intermediate_size": 11,
    "moe_intermediate_size": 5, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 2, "q_lora_rank": 7,
    "kv_lora_rank": 5, "qk_nope_head_dim": 3, "qk_rope_head_dim": 6,
    "v_head_dim": 4, "n_routed_experts": 12, "n_shared_experts": 1,
    "num_experts_per_tok": 4, "norm_topk_prob": True, "n_group": 4,
    "topk_group": 2, "topk_method": "noaux_tc", "routed_scaling_factor": 2.5,
    "scoring_func": "sigmoid", "first_k_dense_replace": 1, "moe_layer_freq": 1,
    "hidden_act": "silu", "attention_bias": False, "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32,
                     "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0,
                     "original_max_position_embeddings": 4096},
}


def shapes(config):
    result = blocks.norm_shapes(config) | deepseek.network_shapes(config)
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        result |= latent_attention.shapes(f"{prefix}.self_attn", config)
        if layer >= config["first_k_dense_replace"]:
            result[f"{prefix}.mlp.gate.e_score_correction_bias"] = (
                config["n_routed_experts"],)
    return result


def forward(state, config, x):
    def attention(rows, prefix):
        return latent_attention.apply(state, prefix, config, rows)

    def choose(prefix, logits):
        scores = blocks.sigmoid(logits)
        biased = scores + state[f"{prefix}.gate.e_score_correction_bias"]
        groups = biased.reshape(config["n_group"], -1)
        kept = blocks.top_k(np.sort(groups, 1)[:, -2:].sum(1),
                            config["topk_group"])
        masked = np.full_like(groups, -np.inf)
        masked[kept] = groups[kept]
        experts = blocks.top_k(masked.reshape(-1), config["num_experts_per_tok"])
        weights = scores[experts] / (scores[experts].sum() + 1e-20)
        return experts, weights * config["routed_scaling_factor"]

    return blocks.decoder(state, config, x, attention,
                          deepseek.network(state, config, choose))
