# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multi-head latent attention (arXiv 2405.04434) with YaRN (arXiv 2309.00071)
as in DeepSeek's models."""

import math

import numpy as np

from . import blocks


def magnitude(factor, mscale):
    return 0.1 * mscale * math.log(factor) + 1 if factor > 1 else 1.0


def yarn_frequencies(theta, dim, scaling):
    """Between the frequencies as they were trained and those stretched."""

    def pair_that_turns(turns):
        length = scaling["original_max_position_embeddings"]
        return (dim * math.log(length / (turns * 2 * math.pi))
                / (2 * math.log(theta)))

    low = max(math.floor(pair_that_turns(scaling["beta_fast"])), 0)
    high = min(math.ceil(pair_that_turns(scaling["beta_slow"])), dim - 1)
    trained = blocks.inverse_frequencies(theta, dim)
    stretched = trained / scaling["factor"]
    ramp = (np.arange(dim // 2) - low) / ((high - low) or 0.001)
    share = 1 - np.clip(ramp, 0, 1)
    return stretched * (1 - share) + trained * share


def rotate_pairs(x, frequencies, scale):
    """Entry 2 i turns with entry 2 i + 1. The checkpoints' code first moves the
    even entries to the front and then turns halves; it leaves them there, in
    queries and keys alike, which no product of the two shows."""
    moved = np.concatenate([x[..., 0::2], x[..., 1::2]], -1)
    return blocks.rotate(moved, frequencies, scale)


def shapes(prefix, config):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    rank, kv_rank = config["q_lora_rank"], config["kv_lora_rank"]
    plain, rope = config["qk_nope_head_dim"], config["qk_rope_head_dim"]
    value = config["v_head_dim"]
    queries = heads * (plain + rope)
    result = ({f"{prefix}.q_a_proj.weight": (rank, hidden),
               f"{prefix}.q_a_layernorm.weight": (rank,),
               f"{prefix}.q_b_proj.weight": (queries, rank)} if rank
              else {f"{prefix}.q_proj.weight": (queries, hidden)})
    return result | {
        f"{prefix}.kv_a_proj_with_mqa.weight": (kv_rank + rope, hidden),
        f"{prefix}.kv_a_layernorm.weight": (kv_rank,),
        f"{prefix}.kv_b_proj.weight": (heads * (plain + value), kv_rank),
        f"{prefix}.o_proj.weight": (hidden, heads * value)}


def apply(state, prefix, config, x):
    """Of one sequence x [L, hidden]."""
    heads, kv_rank = config["num_attention_heads"], config["kv_lora_rank"]
    plain, rope = config["qk_nope_head_dim"], config["qk_rope_head_dim"]

    def weight(name):
        return state[f"{prefix}.{name}.weight"]

    if config["q_lora_rank"]:
        compressed = blocks.linear(x, weight("q_a_proj"))
        compressed = blocks.rms_norm(compressed, weight("q_a_layernorm"), 1e-6)
        queries = blocks.linear(compressed, weight("q_b_proj"))
    else:
        queries = blocks.linear(x, weight("q_proj"))
    queries = queries.reshape(len(x), heads, plain + rope)
    compressed = blocks.linear(x, weight("kv_a_proj_with_mqa"))
    latent = blocks.rms_norm(compressed[:, :kv_rank], weight("kv_a_layernorm"),
                             1e-6)
    shared = compressed[:, None, kv_rank:]
    own = blocks.linear(latent, weight("kv_b_proj")).reshape(
        len(x), heads, plain + config["v_head_dim"])

    scale, turned, scaling = (plain + rope)**-0.5, 1.0, config["rope_scaling"]
    frequencies = blocks.inverse_frequencies(config["rope_theta"], rope)
    if scaling:
        frequencies = yarn_frequencies(config["rope_theta"], rope, scaling)
        over_all = magnitude(scaling["factor"], scaling["mscale_all_dim"])
        turned = magnitude(scaling["factor"], scaling["mscale"]) / over_all
        scale *= over_all**2
    queries = np.concatenate(
        [queries[..., :plain],
         rotate_pairs(queries[..., plain:], frequencies, turned)], -1)
    shared = np.repeat(rotate_pairs(shared, frequencies, turned), heads, 1)
    keys = np.concatenate([own[..., :plain], shared], -1)
    mixed = blocks.causal_attention(queries, keys, own[..., plain:], scale)
    return blocks.linear(mixed, weight("o_proj"))
