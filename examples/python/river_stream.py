"""A stream with River: every row is predicted before it is learned. Needs: pip install alder[river]"""
from river import datasets, evaluate, metrics, preprocessing

from alder.river import Classifier

model = preprocessing.StandardScaler() | Classifier()
print(evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy() + metrics.ROCAUC()))
