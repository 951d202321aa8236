"""Help and mistyped words: the program says what was probably meant."""
import unittest

from program import ProgramTest


class Help(ProgramTest):
    def test_help_is_a_verb(self):
        self.assertEqual(self.alder("help").stdout, self.alder("--help").stdout)
        self.assertEqual(self.alder("help", "help").stdout, self.alder("--help").stdout)
        for verb in ("train", "predict", "info", "learners", "generate", "scale", "tune", "diagnose", "regret", "bench"):
            self.assertEqual(self.alder("help", verb).stdout, self.alder(verb, "--help").stdout, verb)

    def test_help_of_a_learner_has_its_options(self):
        shown = self.alder("help", "train", "--learner", "fogd").stdout
        self.assertIn("--frequencies", shown)
        self.assertEqual(shown, self.alder("train", "--learner", "fogd", "--help").stdout)

    def test_help_of_no_verb_is_wrong_usage(self):
        self.assertIn("unknown verb trian; ", self.alder("help", "trian", status=2).stderr)


class Mistyped(ProgramTest):
    def check(self, expected, *arguments):
        done = self.alder(*arguments, status=2)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        self.assertTrue(done.stderr.startswith("alder: "), done.stderr)
        self.assertIn(expected, done.stderr)
        return done.stderr

    def test_verbs_are_suggested(self):
        for word, meant in (("trian", "train"), ("Train", "train"), ("predit", "predict"), ("gen", "generate"),
                            ("learner", "learners"), ("tunes", "tune"), ("diagnosis", "diagnose")):
            self.check(f"unknown verb {word}; expected train, predict, ", word)
            self.check(f"; did you mean '{meant}'?", word)
        for word in ("fly", "x", "a" * 1000, "\x01", ""):
            self.assertNotIn("did you mean", self.check("expected ", word))

    def test_options_of_the_verb_are_suggested(self):
        for meant, *arguments in (("learner", "train", "--lerner", "pomdr", "x"), ("learner", "train", "x", "--lerner=pomdr"),
                                  ("threshold", "train", "x", "-threshold", "1"), ("shuffle", "tune", "x", "--shuffel"),
                                  ("probabilities", "predict", "m", "x", "--prob"),
                                  ("probabilities", "predict", "--probabilites"), ("rows", "generate", "rings", "--row", "5"),
                                  ("version", "--verison"), ("theorem", "regret", "x", "--theorm"),
                                  ("frequencies", "train", "x", "--learner", "fogd", "--frequences", "3")):
            error = self.check(f"; did you mean '--{meant}'?", *arguments)
            self.assertIn(" has no option -", error)

    def test_without_a_close_one_the_help_is_named(self):
        self.check("train has no option --xyzzy; `alder help train` lists those there are", "train", "x", "--xyzzy")
        self.check("train has no option -x; `alder help train`", "train", "x", "-x")
        self.check("'b' is one argument too many; `alder help info` says", "info", "a", "b")
        self.check("DATA is required; `alder help train` says", "train")
        self.check("--sigma needs a value; `alder help train` says", "train", "x", "--sigma")
        self.check("expected a verb; `alder help` lists them")

    def test_choices_are_suggested(self):
        for words, *arguments in (
                ("--learner is pomdrr; expected alder, pomdr, ", "train", "x", "--learner", "pomdrr"),
                ("; did you mean 'pomdr'?", "train", "x", "--learner", "pomdrr"),
                ("--scale is min; expected none, minmax, standard or online; did you mean 'minmax'?",
                 "train", "x", "--scale", "min"),
                ("--precision is flaot; expected float or double; did you mean 'float'?", "train", "x", "--precision", "flaot"),
                ("NAME is ring; expected rings, blobs, checkerboard, ", "generate", "ring"),
                ("; did you mean 'rings'?", "generate", "ring"),
                ("--kernel is gausian; ", "train", "x", "--kernel", "gausian"),
                ("; did you mean 'gaussian'?", "train", "x", "--kernel", "gausian")):
            self.check(words, *arguments)
        self.assertNotIn("did you mean", self.check("--format is xml; expected auto, csv, json, arff, libsvm or vw", "train", "x", "--format",
                                                    "xml"))

    def test_numbers_are_checked_in_words(self):
        for text in ("x", "-1", "1.5", "1e5", ""):
            self.check(f"--seed is {text}; expected a whole number from 0 on", "train", "x", "--seed", text)
        self.check("--ball is -1; expected a number above 0", "regret", "x", "--ball", "-1")


if __name__ == "__main__":
    unittest.main()
