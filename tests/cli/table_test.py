"""What tests of tables have in common."""
import random

from program import ProgramTest

HEAD = ["age", "job", "since", "member", "note", "answer"]
WORDS = "the quick brown fox jumps over lazy dog while many birds sing songs in green old trees".split()


def made_up(rows, new_jobs_from=None, seed=1):
    """Records of HEAD. Of age and job one cell in ten is empty; jobs from some row on are such as were not met before."""
    draw = random.Random(seed)
    records = []
    for i in range(rows):
        new = ["pilot", "nurse"] if new_jobs_from is not None and i >= new_jobs_from else []
        job, age = draw.choice(["cook", "smith", "clerk"] + new), draw.randint(18, 80)
        since = f"20{draw.randint(10, 23)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        note = " ".join(draw.choice(WORDS) for _ in range(draw.randint(4, 9)))
        records.append([str(age) if draw.random() > 0.1 else "", job if draw.random() > 0.1 else "", since,
                        draw.choice(["true", "false"]), note, "yes" if (job in ("cook", "pilot")) != (age > 45) else "no"])
    return records


def lines(records, separator=",", end="\n"):
    return "".join(separator.join(map(str, record)) + end for record in records)


class TableTest(ProgramTest):
    def train(self, file, *arguments, model="model", **options):
        """Learns the column answer; returns what was printed."""
        return self.alder("train", file, "--label", "answer", "-o", model, *arguments, **options)

    def scores(self, file, *arguments, model="model"):
        return self.alder("predict", model, file, "--scores", "--quiet", *arguments).stdout

    def same_scores(self, one, other):
        """Of (file, model) each, to the bit. Does not show them: there are too many."""
        first, second = (self.scores(file, model=model) for file, model in (one, other))
        self.assertTrue(first == second, f"{one} and {other} have other scores")

    def columns(self, file, *arguments):
        """The kinds of columns by name."""
        found = self.train_json(file, "--label", "answer", *arguments)["columns"]
        return {column["name"]: column["kind"] for column in found}

    def summary(self, done, what):
        """A line of the summary without its name."""
        return next(line for line in done.stderr.splitlines() if line.startswith(what + " ")).split(None, 1)[1]
