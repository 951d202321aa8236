"""A pipeline with GridSearchCV: which width and which learner suits the data."""
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import alder

X, y = make_moons(5000, noise=0.25, random_state=0)
pipeline = Pipeline([("scale", StandardScaler()), ("learn", alder.PomdrClassifier())])
widths = [0.05, 0.2, 0.5, 1.0, 4.0]
search = GridSearchCV(pipeline, [{"learn": [alder.PomdrClassifier(), alder.FogdClassifier()], "learn__sigma": widths},
                                 {"learn": [alder.LinearClassifier()]}], cv=5, n_jobs=2)
search.fit(X, y)
print(f"accuracy {search.best_score_:.3f} with {search.best_estimator_['learn']}")
