"""Goes on from a model that the program saved, and gives it back. Needs the program `alder` on the path, or in ALDER."""
import os
import subprocess

import alder

program = os.environ.get("ALDER", "alder")
subprocess.run([program, "generate", "rings", "-n", "5000", "-o", "first.txt"], check=True)
subprocess.run([program, "generate", "rings", "-n", "5000", "--seed", "2", "-o", "second.txt"], check=True)
subprocess.run([program, "train", "first.txt", "-o", "rings.model", "--quiet"], check=True)

model = alder.load("rings.model")
print(f"the program learned {model.t_} rows with {model.stats_['mistakes']} mistakes")
for X, y in alder.from_libsvm("second.txt", n_features=model.n_features_in_):
    model.partial_fit(X, y)
print(f"now there are {model.t_} rows and {model.stats_['mistakes']} mistakes")

alder.save(model, "rings.model")
print(subprocess.run([program, "info", "rings.model"], check=True, capture_output=True, text=True).stdout)
