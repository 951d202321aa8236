"""What the program prints, word for word: every change of it shows in tests/cli/transcripts.

    ALDER=$PWD/build/ci/cli/alder python3 tests/cli/test_transcripts.py --renew  writes them again, to be read and committed

Times, memory, checksums and versions are masked. Numbers are those of one instruction set, AVX2; where a machine has
none, only the texts without numbers of a run are compared.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from program import ALDER, ProgramTest

# Targets that are numbers: 40 rows of a line, with bumps.
NUMBERS = "".join(f"{i % 7},{i % 3 * 10},{100 + 5 * (i % 7) - 2 * (i % 3) + (i * i % 11) / 10}\\n" for i in range(40))
TRANSCRIPTS = pathlib.Path(__file__).parent / "transcripts"
TARGET = {"ALDER_INSTRUCTION_SET": "AVX2"}
LEARNERS = ["alder", "pomdr", "ogd", "bogd", "fogd", "nogd", "skegd", "bao2ks", "projectron", "projectron++", "pegasos",
            "perceptron", "linear"]

# The commands of each transcript, in one folder, in this order. Lines that begin with | write a file.
COMMANDS = {
    "help": ["alder --help", *(f"alder {verb} --help" for verb in (
        "train", "predict", "explain", "info", "learners", "generate", "scale", "tune", "diagnose", "regret", "bench")),
        *(f"alder train --learner {name} --help" for name in LEARNERS), "alder learners"],
    "errors": ["alder", "alder fly", "alder train", "alder train missing.txt", "alder train --lerner pomdr x",
               "alder train --learner pomdrr x", "alder trian", "alder train x --seed no", "alder predict m", "alder info a b",
               "alder generate nothing", "alder info missing.model",
               "| bad.txt +1 1:0.5\\n-1 1:x\\n", "alder train bad.txt --quiet",
               "| three.txt 1 1:0.5\\n2 1:0.1\\n3 1:0.4\\n", "alder train three.txt --quiet --labels 1,2",
               "alder train three.txt --quiet --batch", "alder diagnose three.txt --quiet", "alder train three.txt --class-weight 1",
               "alder train three.txt --quiet --weights three.txt",
               "| text.csv a,b,kind\\n1,x,yes\\n2,y,no\\n", "alder train text.csv --quiet", "alder info bad.txt",
               "alder train bad.txt --budget 0", "alder train bad.txt --repeat 3 -o m"],
    "run": ["alder generate checkerboard -n 3000 -o rows.txt", "alder train rows.txt -o model", "alder info model",
            "alder generate checkerboard -n 5 --seed 2", "alder generate checkerboard -n 50 --seed 2 -o more.txt",
            "alder predict model more.txt --scores", "alder predict model more.txt --quiet",
            "alder train more.txt -i model -o model --json --quiet", "alder info model --json",
            "alder train rows.txt --learner pomdr --trace trace.csv --limit 20 --quiet", "cat trace.csv",
            "alder train rows.txt --learner pomdr --repeat 3", "alder scale more.txt --method standard",
            "alder train rows.txt --learner pomdr --batch average --holdout 0.2",
            "| three.csv x,w,kind\\n" + "".join(f"{i % 3 + i % 7 / 10},{i % 2 + 0.5},{'red green blue'.split()[i % 3]}\\n"
                                                 for i in range(60)),
            "alder train three.csv --label-column kind --weight-column w --class-weight balanced -o three",
            "alder predict three three.csv --weight-column w --probabilities", "alder info three"],
    "numbers": [f"| rows.csv size,age,price\\n{NUMBERS}", "alder train rows.csv --label price --learner linear -o model",
                "alder info model", "alder train rows.csv --label price -i model --json --quiet",
                "alder predict model rows.csv --interval 0.8 --quantiles 0.5 -o -", "alder explain model rows.csv --rows 2",
                "alder train rows.csv --label price --learner linear --repeat 2 --holdout 0.25",
                "alder train rows.csv --label age --learner linear --task numbers --class-weight balanced",
                "alder predict model rows.csv --probabilities", "alder tune rows.csv --label price",
                "alder info model --json"],
    "learners": ["alder generate blobs -n 1500 -o rows.txt",
                 *(f"alder train rows.txt --learner {name} --quiet --json" for name in LEARNERS),
                 *(f"alder train rows.txt --learner {name}" for name in LEARNERS)],
}

MASKS = [
    (r"\d+ in [^ ]+ (ms|s)\b.*", "… in …"),
    (r'("(?:seconds|read_seconds|rows_per_second|peak_rss_bytes|model_bytes|mean_seconds|deviation_seconds)": )[0-9.e+-]+',
     r"\1…"),
    (r'("checksum": )"[0-9a-f]+"', r'\1"…"'),
    (r"checksum      [0-9a-f]{16}", "checksum      …"),
    (r"\d+ bytes, written by", "… bytes, written by"),  # numbers in a model's text are as long as their digits
    (r"[0-9.]+ KiB", "… KiB"),
    (r"--jobs N \[\d+\] +", "--jobs N […] "),
    (r"\b\d+\.\d+ s\b( ± [0-9.]+)?", "… s"),
    # The last two columns of the progress table: memory and speed.
    (r"^((?: +[0-9.]+%){2}(?: +[0-9.]+)?(?: +[0-9.]+%){2} +\d+ +\S+ +\S+ +\d+) +[0-9.]+ +\d+$", r"\1 …"),
    (r"^((?: +[0-9.e+-]+){0,4} +\d+ +-?[0-9.e+]+ +(?:none|-?[0-9.e+]+) +\d+) +[0-9]+\.[0-9] +\d+$", r"\1 …"),
]


def masked(text):
    for pattern, mask in MASKS:
        text = re.sub(pattern, mask, text, flags=re.MULTILINE)
    return text


def transcript(name, folder):
    """Runs the commands and returns what a person would see, standard output before standard error."""
    seen = []
    for command in COMMANDS[name]:
        if command.startswith("| "):
            file, text = command[2:].split(" ", 1)
            (folder / file).write_text(text.replace("\\n", "\n"))
            continue
        words = shlex.split(command)
        if words[0] == "alder":
            words[0] = ALDER
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, env={**TARGET})
        ending = f"[exit {done.returncode}]\n" if done.returncode != 0 else ""
        seen.append(f"$ {command}\n{done.stdout}{done.stderr}{ending}")
    return masked("\n".join(seen))


class Transcripts(ProgramTest):
    maxDiff = None

    def check(self, name):
        if name in ("run", "learners") and subprocess.run([ALDER, "--version"], env=TARGET, capture_output=True,
                                                          timeout=60).returncode != 0:
            self.skipTest("this machine has no AVX2")
        expected = (TRANSCRIPTS / f"{name}.txt").read_text()
        self.assertEqual(transcript(name, self.folder), expected)


for each in COMMANDS:
    setattr(Transcripts, f"test_{each}", lambda self, name=each: self.check(name))


if __name__ == "__main__":
    if sys.argv[1:] == ["--renew"]:
        import tempfile

        for each in COMMANDS:
            with tempfile.TemporaryDirectory() as temporary:
                (TRANSCRIPTS / f"{each}.txt").write_text(transcript(each, pathlib.Path(temporary)))
    else:
        unittest.main()
