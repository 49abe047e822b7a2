"""A tournament among arms: the leader at once, a changed priority in log2(K) steps, ties to the first arm.

The arms are the leaves of a binary tree in one array, the board, of shape (2 * size, 2), size being a power of two:
node n has the children 2n and 2n + 1, the leaf of an arm is node size + arm, node 1 is the root. Each node holds the
best score in its subtree and the arm that has it, side by side: a match touches one line of the processor's cache.
Leaves without an arm, and arms that are out, score minus infinity.
"""

from math import inf

from satisfice.arrays import Floats

SCORE, ARM = 0, 1


def tournament_size(arms: int) -> int:
    """The smallest power of two, at least 2, with room for all arms."""
    return max(2, 1 << (arms - 1).bit_length())


def clear(board: Floats) -> None:
    """Everybody scores minus infinity."""
    size = board.shape[0] // 2
    for node in range(2 * size - 1, 0, -1):
        board[node, SCORE] = -inf
        board[node, ARM] = node - size if node >= size else board[2 * node, ARM]


def rivals_of(board: Floats, arm: int) -> tuple[float, float, int]:
    """The best score among the arms before this one, that among those after it, and an arm with the better of both."""
    node = board.shape[0] // 2 + arm
    before = after = best = -inf
    runner_up = float(arm)
    while node > 1:
        other = board[node ^ 1, SCORE]
        other_champion = board[node ^ 1, ARM]
        other_is_before = (node & 1) == 1
        before = max(before, other if other_is_before else -inf)
        after = max(after, -inf if other_is_before else other)
        runner_up = other_champion if other > best else runner_up
        best = max(best, other)
        node >>= 1
    return before, after, int(runner_up)


def climb(board: Floats, arm: int, score: float) -> None:
    """Give the arm a new score and play its matches again.

    No branch depends on scores, here and in `rivals_of`: a processor guesses those wrong half of the time.
    """
    node = board.shape[0] // 2 + arm
    best = score
    champion = float(arm)
    board[node, SCORE] = score
    while node > 1:
        other = board[node ^ 1, SCORE]
        other_champion = board[node ^ 1, ARM]
        other_is_before = (node & 1) == 1
        champion = other_champion if (other > best) | ((other == best) & other_is_before) else champion
        best = max(best, other)
        node >>= 1
        board[node, SCORE] = best
        board[node, ARM] = champion


def leader_of(board: Floats) -> int:
    """The arm with the best score, the first one if there are several."""
    return int(board[1, ARM])


def leads(score: float, before: float, after: float) -> bool:
    """Whether an arm with this score is ahead of all others, given the best scores before and after it."""
    return score > before and score >= after
