"""Ten classes from a stream: their probabilities, and a class that comes late."""
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.utils import shuffle

import alder

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
X_test, y_test = X[1300:], y[1300:]
model = alder.AlderClassifier()
known = y[:1300] != 7
model.partial_fit(X[:1300][known], y[:1300][known])
print(f"classes {model.classes_}: accuracy {model.score(X_test, y_test):.3f}, no sevens among what it predicts")

for part in range(0, 1300, 100):  # the same rows, now with the sevens; nothing was said of them before
    model.partial_fit(X[part:part + 100], y[part:part + 100])
print(f"classes {model.classes_}: accuracy {model.score(X_test, y_test):.3f}")

shares = model.predict_proba(X_test)
print(f"log loss {log_loss(y_test, shares):.3f}; the first row is a {y_test[0]} and told as one with {shares[0, y_test[0]]:.2f}")
print(f"recall by class {({label: round(share, 2) for label, share in model.stats_['recall'].items()})}")
