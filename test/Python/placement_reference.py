# Part of Mozart, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Placement and its statistics, written down a second time and plainly."""

import itertools

import numpy as np


def chosen(ids, experts):
    """[token, expert]: 1 where the token chose the expert; -1 is padding."""
    matrix = np.zeros((len(ids), experts), np.int64)
    for token, row in enumerate(ids):
        matrix[token, [e for e in row if e >= 0]] = 1
    return matrix


def capacities(experts, chiplets):
    return [experts // chiplets + (c < experts % chiplets)
            for c in range(chiplets)]


def clusters(ids, experts, chiplets):
    """The clusters of the paper's Algorithm 1, in the order of their filling."""
    matrix = chosen(ids, experts)
    together = matrix.T @ matrix
    np.fill_diagonal(together, 0)
    left, result = set(range(experts)), []
    for capacity in capacities(experts, chiplets):
        if not result:
            pair = max(itertools.combinations(range(experts), 2),
                       key=lambda p: (together[p], -p[0], -p[1]),
                       default=(0,))
            cluster = list(pair)[:capacity]
        else:
            placed = list(itertools.chain(*result))
            cluster = [min(left, key=lambda e: (together[e, placed].sum(), e))]
        left -= set(cluster)
        while len(cluster) < capacity:
            best = max(left, key=lambda e: (together[e, cluster].mean(), -e))
            cluster.append(best)
            left.remove(best)
        result.append(cluster)
    return result


def group_cost(loads, groups):
    """(greatest deviation from the mean, sum of squares) of groups' loads."""
    sums = [sum(loads[c] for c in group) for group in groups]
    deviations = [abs(len(groups) * s - sum(sums)) for s in sums]
    return max(deviations), sum(d * d for d in deviations)


def partitions(items, size):
    """Every way to cut items into sets of `size`."""
    if not items:
        yield []
        return
    for others in itertools.combinations(items[1:], size - 1):
        rest = [i for i in items[1:] if i not in others]
        for tail in partitions(rest, size):
            yield [[items[0], *others], *tail]


def statistics(ids, experts, chiplet_of, group_of):
    """What mozart-place reports for one layer."""
    matrix = chosen(ids, experts)
    pairs = np.zeros((len(ids), len(group_of)), np.int64)
    for expert, chiplet in enumerate(chiplet_of):
        pairs[:, chiplet] += matrix[:, expert]
    return statistics_of_pairs(pairs, group_of)


def replica_statistics(ids, chiplets_of, group_of):
    """The same where experts stand on several chiplets."""
    pairs = np.zeros((len(ids), len(group_of)), np.int64)
    for token, row in enumerate(ids):
        experts = sorted(e for e in row if e >= 0)
        for e in experts:
            if len(chiplets_of[e]) == 1:
                pairs[token, chiplets_of[e][0]] += 1
        for e in experts:
            if len(chiplets_of[e]) > 1:
                visited = [c for c in chiplets_of[e] if pairs[token, c]]
                candidates = visited or chiplets_of[e]
                pairs[token, candidates[token % len(candidates)]] += 1
    return statistics_of_pairs(pairs, group_of)


def statistics_of_pairs(pairs, group_of):
    """Of the (token, expert) pairs of each token on each chiplet."""
    chiplets, groups = len(group_of), max(group_of) + 1
    reached = pairs > 0
    by_group = np.stack([reached[:, [c for c in range(chiplets)
                                     if group_of[c] == g]].any(1)
                         for g in range(groups)], 1)

    def max_over_mean(counts):
        return counts.max() / counts.mean() if counts.sum() else 0.0

    return {"c_t": reached.sum(1).mean(),
            "g_t": by_group.sum(1).mean(),
            "load_max_over_mean": max_over_mean(pairs.sum(0)),
            "receive_max_over_mean": max_over_mean(reached.sum(0))}
