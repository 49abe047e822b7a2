"""Which model is accurate, fast and small enough? Run with: python examples/models/choose.py

The models learn scikit-learn's handwritten digits once. An evaluation is one image of a test set of 500: is it read
right, and how long does that take? The size of a model is the same every time, so one evaluation decides it.
"""

import pickle
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import satisfice as sf

MODELS = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "small forest": RandomForestClassifier(n_estimators=10, random_state=0),
    "large forest": RandomForestClassifier(n_estimators=30, random_state=0),
    "linear": RidgeClassifier(),
    "nearest neighbours": KNeighborsClassifier(),
}
TEST = 500
WANTED = [f"accuracy >= 0.9 : bernoulli of {TEST}", "p95(latency_ms) <= 50 ~ 10", "size_kb <= 60 : exact"]

DIGITS, LABELS = load_digits(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(DIGITS))
TEST_ITEMS, TRAINING = ORDER[:TEST], ORDER[TEST:]


def train() -> None:
    for model in MODELS.values():
        model.fit(DIGITS[TRAINING], LABELS[TRAINING])


def evaluate(name: str, item: int | None) -> dict[str, float]:
    """One image; without an item, when a model's accuracy is known already, any image for its latency."""
    image = TEST_ITEMS[[item or 0]]
    began = perf_counter()
    guess = MODELS[name].predict(DIGITS[image])
    milliseconds = 1000 * (perf_counter() - began)
    measured = {"latency_ms": milliseconds, "size_kb": len(pickle.dumps(MODELS[name])) / 1000}
    return measured if item is None else {**measured, "accuracy": int(guess[0] == LABELS[image][0])}


def main() -> None:
    train()
    study = sf.create_study(configs=list(MODELS), thresholds=WANTED)
    print(study.run(evaluate, max_evaluations=5000))
    for name in study.configs:
        print(f"{name}: {study.explain(name)}")


if __name__ == "__main__":
    main()
