"""Choosing the next arm of a live search, by any sampling rule, with any number of evaluations under way."""

from collections.abc import Iterable, Sequence
from math import inf, isfinite, log
from typing import Any

import numpy as np

from satisfice.arrays import Floats, Integers, excess_of
from satisfice.errors import BrokenRule
from satisfice.problem.problem import Problem
from satisfice.rules.protocol import (
    LOOKS,
    bonus_of,
    draws_scores,
    follows_the_clock,
    goes_by_beliefs,
    priority_of,
    promise_of,
)
from satisfice.search.margins import believe, first_sharing, next_sharing, noise_codes, share_spreads
from satisfice.search.tournament import SCORE, clear, climb, leader_of, leaderboard_size

FEW = 4
"""So many evaluations of an arm may be under way at once whatever is known of it."""


class Sampler:
    """A rule's view of the arms: their scores, and who is next.

    Choices are a function of the seed, the number of the ask and all that was seen and chosen before.
    """

    def __init__(self, rule: Any, problem: Problem, arm_names: Sequence[str], seed: int) -> None:
        self.rule = rule
        self.seed = seed
        self._arm_names = arm_names
        self._bits = np.random.Philox(key=seed)
        self._rng = np.random.Generator(self._bits)
        self._start: Any = self._bits.state
        self._setting = problem.setting(len(arm_names))
        self._level = log(len(arm_names) / problem.error_rate)
        self._tolerances = np.array(problem.standardisation().tolerances)
        self._noise = noise_codes(problem, len(arm_names))
        self.strengths = np.zeros((len(arm_names), len(problem.metrics)))
        self.slacks = np.zeros_like(self.strengths)
        self.spreads = np.zeros((2, len(problem.metrics)))
        self.sharing = first_sharing(len(arm_names))
        self._shares = goes_by_beliefs(rule) and self._noise.shared
        self.board = np.zeros((2 * leaderboard_size(len(arm_names)), 2))
        self.unscored = np.zeros(len(arm_names), dtype=np.bool_)
        clear(self.board)

    @property
    def remembers(self) -> bool:
        """Whether a choice leaves something behind that later choices build on, or that a snapshot has."""
        return follows_the_clock(self.rule) or (draws_scores(self.rule) and len(self._arm_names) > LOOKS)

    def see(self, deficits: Floats, squares: Floats, place: int, pulls: int, total: int) -> None:
        """Take note of a new result of an arm."""
        believe(self.strengths, self.slacks, deficits, squares, place, pulls, self._noise, self.spreads)
        if draws_scores(self.rule):
            self.unscored[place] = True
        elif goes_by_beliefs(self.rule):
            climb(self.board, place, promise_of(self.rule, self.strengths, self.slacks, place, pulls, self._level))
        elif not follows_the_clock(self.rule):
            climb(self.board, place, self._priority(deficits, place, pulls, pulls, total))

    def share(self, deficits: Floats, squares: Floats, pulls: Integers, open_arms: Floats, total: int) -> None:
        """Now and then let what is believed of every arm follow from what all arms say about their noise."""
        if self._shares and total >= self.sharing:
            self.sharing = next_sharing(len(self._arm_names), total)
            share_spreads(self.spreads, deficits, squares, pulls, self._noise)
            for place in np.flatnonzero((pulls > 0) & (open_arms > 0)).tolist():
                self.see(deficits, squares, place, int(pulls[place]), total)

    def drop(self, place: int) -> None:
        """The arm is decided: it is not chosen again."""
        self.unscored[place] = False
        climb(self.board, place, -inf)

    def choose(self, number: int, deficits: Floats, pulls: Integers, open_arms: Floats, outstanding: Integers) -> int:
        """The arm for this ask; `open_arms` (K,) is 1 where an arm is not decided."""
        asked = pulls + outstanding
        untried = np.flatnonzero((asked == 0) & (open_arms > 0))
        if untried.size:
            return int(untried[0])
        if not ((pulls > 0) & (open_arms > 0)).any():  # nothing is known of any arm that is left
            return int(np.argmin(np.where(open_arms > 0, asked, np.iinfo(np.int64).max)))
        if draws_scores(self.rule):
            return self._drawn_leader(number, pulls, open_arms)
        if goes_by_beliefs(self.rule):
            return self._most_promising(pulls, outstanding)
        return self._leader(number, deficits, pulls, asked, open_arms)

    def _drawn_leader(self, number: int, pulls: Integers, open_arms: Floats) -> int:
        rng = self._stream(number)
        count = len(self._arm_names)
        if count <= LOOKS:  # all are drawn anew: no need of a board
            return max(self._draw(rng, range(count), pulls, open_arms), key=lambda drawn: (drawn[0], -drawn[1]))[1]
        first = number * LOOKS % count
        window = [(first + step) % count for step in range(LOOKS)]
        others = [arm for arm in np.flatnonzero(self.unscored).tolist() if arm not in window]
        for score, arm in self._draw(rng, [*window, *others], pulls, open_arms):
            climb(self.board, arm, score)
        self.unscored[:] = False
        return leader_of(self.board)

    def _stream(self, number: int) -> np.random.Generator:
        """The stream of random numbers of this ask: that of Philox(key=seed, counter=[0, 0, 0, number])."""
        self._start["state"]["counter"][3] = number
        self._bits.state = self._start  # a fifth of what a new generator costs
        return self._rng

    def _draw(
        self, rng: np.random.Generator, arms: Iterable[int], pulls: Integers, open_arms: Floats
    ) -> list[tuple[float, int]]:
        """Scores of those arms that have results and are not decided, drawn again until one is zero or more."""
        blurs = [(arm, pulls[arm] ** -0.5) for arm in arms if open_arms[arm] and pulls[arm]]
        scores: list[tuple[float, int]] = []
        for _ in range(1 + self.rule.redraws()):
            scores = [
                (float(self.rule.drawn_score(rng, self.strengths, self.slacks, arm, blur, self._level)), arm)
                for arm, blur in blurs
            ]
            if any(score >= 0.0 for score, _ in scores):
                break
        return scores

    def _most_promising(self, pulls: Integers, outstanding: Integers) -> int:
        """The leader among arms with fewer evaluations under way than results, or than `FEW`; else the leader."""
        full = []
        first = leader = leader_of(self.board)
        while self.board[1, SCORE] > -inf and outstanding[leader] >= max(FEW, pulls[leader]):
            full.append((leader, self.board[1, SCORE]))
            climb(self.board, leader, -inf)
            leader = leader_of(self.board)
        found = leader if self.board[1, SCORE] > -inf else first
        for place, score in full:
            climb(self.board, place, score)
        return found

    def _leader(self, number: int, deficits: Floats, pulls: Integers, asked: Integers, open_arms: Floats) -> int:
        """Evaluations under way count as made: an arm's optimism falls with every one of them."""
        moved = []
        places = np.flatnonzero((open_arms > 0) & (pulls > 0)).tolist() if follows_the_clock(self.rule) else []
        for place in places:
            score = self._priority(deficits, place, pulls[place], asked[place], number)
            climb(self.board, place, score)
        leader = leader_of(self.board)
        while not follows_the_clock(self.rule) and asked[leader] > pulls[leader] and leader not in moved:
            moved.append(leader)
            score = self._priority(deficits, leader, pulls[leader], asked[leader], number)
            climb(self.board, leader, score)
            leader = leader_of(self.board)
        for place in moved:
            climb(self.board, place, self._priority(deficits, place, pulls[place], pulls[place], number))
        return leader

    def _priority(self, deficits: Floats, place: int, pulls: int, asked: int, total: int) -> float:
        score = priority_of(
            self.rule,
            deficits[place].max() / pulls,
            excess_of(deficits, place, pulls, self._tolerances),
            bonus_of(self.rule, int(asked), self._setting),
            total,
        )
        if not isfinite(score):
            raise BrokenRule(
                f"{type(self.rule).__name__} gave arm {self._arm_names[place]!r} the priority {score}. "
                "A priority must be a finite number."
            )
        return score
