"""A tournament among arms: a changed priority costs log2(K) steps, the leader as many, ties go to the first arm.

`scores` is a binary tree in one array of length 2 * size, size being a power of two: node n has the children 2n and 2n + 1,
the leaf of an arm is node size + arm, and every inner node holds the larger score of its children. Leaves without an
arm, and arms that are out, score minus infinity.
"""

from math import inf

from satisfice.core.statistics import Floats

FIRST, LAST = -1, 1 << 62
"""Stand-ins for a rival of whom only the side is known: before, or after, the arm in question."""


def leaderboard_size(arms: int) -> int:
    """The smallest power of two, at least 2, with room for all arms."""
    return max(2, 1 << (arms - 1).bit_length())


def ahead(score: float, arm: int, rival_score: float, rival: int) -> bool:
    """Whether the arm is ahead of its rival."""
    return score > rival_score or (score == rival_score and arm < rival)


def climb(scores: Floats, arm: int, score: float) -> tuple[float, int]:
    """Give the arm a new score; back come the best score among all others and the side where it stands."""
    node = scores.shape[0] // 2 + arm
    scores[node] = score
    best = score
    rival = LAST
    rival_score = -inf
    while node > 1:
        other = scores[node ^ 1]
        if other >= rival_score and (other > rival_score or node & 1):
            rival = FIRST if node & 1 else LAST
            rival_score = other
        best = max(best, other)
        node >>= 1
        scores[node] = best
    return rival_score, rival


def leader_of(scores: Floats) -> int:
    """The arm with the largest score, the first one if there are several."""
    size: int = scores.shape[0] // 2
    node = 1
    while node < size:
        node *= 2
        if scores[node] < scores[node + 1]:
            node += 1
    return node - size
