"""A tournament among arms: the leader at once, a changed priority in log2(K) steps, ties to the first arm.

The players are the leaves of a binary tree stored in two arrays of length 2 * size, size being a power of two: node
n has the children 2n and 2n + 1, the leaf of an arm is node size + arm, node 1 holds the leader. `champions` holds the
winning arm of each subtree, `scores` its priority. Leaves without an arm score minus infinity.
"""

from math import inf

from satisfice.core.statistics import Floats, Integers


def leaderboard_size(arms: int) -> int:
    """The smallest power of two, at least 2, with room for all arms."""
    return max(2, 1 << (arms - 1).bit_length())


def ahead(score: float, arm: int, rival_score: float, rival: int) -> bool:
    """Whether the first arm is ahead of the second."""
    return score > rival_score or (score == rival_score and arm < rival)


def build(champions: Integers, scores: Floats) -> None:
    """Play all matches, given the scores at the leaves."""
    size = champions.shape[0] // 2
    for arm in range(size):
        champions[size + arm] = arm
    for node in range(size - 1, 0, -1):
        child = 2 * node
        if scores[child + 1] > scores[child]:
            child += 1
        champions[node] = champions[child]
        scores[node] = scores[child]


def climb(champions: Integers, scores: Floats, arm: int, score: float) -> tuple[float, int]:
    """Give the arm a new score and play its matches again; back comes the best rival that it met.

    If the arm is the leader afterwards (`champions[1]`), that rival is the runner-up.
    """
    node = champions.shape[0] // 2 + arm
    scores[node] = score
    champion = arm
    rival = node
    rival_score = -inf
    while node > 1:
        other = champions[node ^ 1]
        other_score = scores[node ^ 1]
        if ahead(other_score, other, rival_score, rival):
            rival = other
            rival_score = other_score
        if not ahead(score, champion, other_score, other):
            champion = other
            score = other_score
        node >>= 1
        champions[node] = champion
        scores[node] = score
    return rival_score, rival
