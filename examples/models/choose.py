"""Which model is accurate, fast and small enough? Training and testing are the evaluation, on four workers at a time.

Each evaluation trains on 300 of scikit-learn's handwritten digits, drawn by chance, and tries another one: right or
wrong, the time that took, and the size of the model. Run with: python examples/models/choose.py
"""

import pickle
from time import perf_counter

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import satisfice as sf

MODELS = {
    "naive Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(),
    "small forest": RandomForestClassifier(n_estimators=10),
    "large forest": RandomForestClassifier(n_estimators=30),
    "linear": RidgeClassifier(),
    "nearest neighbours": KNeighborsClassifier(),
}
WANTED = ["accuracy >= 0.85 ~ 0.05 : bernoulli", "p90(latency_ms) <= 20 ~ 5", "size_kb <= 60 ~ 5 : bounded(0, 1000)"]
DIGITS, LABELS = load_digits(return_X_y=True)


def evaluate(name: str) -> dict[str, float]:
    order = np.random.default_rng().permutation(len(DIGITS))
    train, one = order[:300], order[-1:]
    model = clone(MODELS[name]).fit(DIGITS[train], LABELS[train])
    began = perf_counter()
    guess = model.predict(DIGITS[one])
    milliseconds = 1000 * (perf_counter() - began)
    right = int(guess[0] == LABELS[one][0])
    return {"accuracy": right, "latency_ms": milliseconds, "size_kb": len(pickle.dumps(model)) / 1000}


def main() -> None:
    study = sf.create_study(configs=list(MODELS), thresholds=WANTED)
    print(study.run(evaluate, workers=4, max_evaluations=5000))
    for name in study.configs:
        print(f"{name}: {study.explain(name)}")


if __name__ == "__main__":
    main()
