"""Tables that are broken, or too large for memory: a clear message, and little memory."""
import resource
import unittest

from program import ProgramTest

ROWS = "3,5,no\n4,6,yes\n"


class AHostileTable(ProgramTest):
    def fails(self, name, text):
        """What train says of the file, in a gibibyte, with nothing saved."""
        self.write(name, text)
        done = self.alder_in_a_gibibyte("train", name, "--label", "y", "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_of_too_many_columns_is_an_error(self):
        head = ",".join(f"c{i}" for i in range(299_999)) + ",y\n"
        error = self.fails("wide.csv", head + (",".join(["1"] * 300_000) + "\n") * 2)
        self.assertIn("wide.csv:1: 300000 columns; expected at most 262144", error)

    def test_with_one_row_of_too_many_cells_is_an_error(self):
        error = self.fails("one.csv", "a,b,y\n" + ROWS + ",".join(["1"] * 300_000) + "\n")
        self.assertEqual(error, "alder: one.csv:4: 300000 fields; expected 3\n")

    def test_with_other_counts_of_cells_is_an_error_that_names_the_line(self):
        self.assertEqual(self.fails("few.csv", "a,b,y\n" + ROWS * 4 + "3,5\n" + ROWS),
                         "alder: few.csv:10: 2 fields; expected 3\n")
        self.assertEqual(self.fails("many.csv", "a,b,y\n" + ROWS * 4 + "3,5,7,no\n" + ROWS),
                         "alder: many.csv:10: 4 fields; expected 3\n")
        done = self.alder("train", "few.csv", "--label", "y", "--skip-bad", 1)
        self.assertIn("1 bad row was skipped:\n  few.csv:10: 2 fields; expected 3\n", done.stderr)

    def test_with_a_category_for_each_row_has_a_small_model(self):
        self.write("words.csv", "n,word,y\n" + "".join(f"{i * 31 % 17},w{i},{'yes' if i * 31 % 17 > 8 else 'no'}\n"
                                                       for i in range(20_000)))
        found = self.train_json("words.csv", "--label", "y", "--columns", "word=category", "-o", "model")
        self.assertEqual(found["columns"][1]["values"], 1256)
        self.assertLess(len(self.read("model")), 4 << 20)
        self.assertLess(found["mistake_rate"], 0.05)
        self.assertIn("20000 labelled rows", self.alder("predict", "model", "words.csv").stderr)

    def test_with_a_nul_byte_is_an_error_that_names_the_line(self):
        self.assertEqual(self.fails("nul.csv", "a,b,y\n" + ROWS * 40 + "3,\0005,no\n"),
                         "alder: nul.csv:82: a NUL byte; expected text\n")
        self.assertEqual(self.fails("word.csv", "a,b,y\n3,x,no\n4,z\0z,yes\n"), "alder: word.csv:3: a NUL byte; expected text\n")


class AQuoteThatIsNeverClosed(ProgramTest):
    head = b'a,b,y\n3,x,no\n4,"'

    def test_before_64_mebibytes_in_one_line_is_an_error(self):
        self.write("huge.csv", self.head + b"x" * (64 << 20))
        done = self.alder_in_a_gibibyte("train", "huge.csv", "--label", "y", "--quiet")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "alder: huge.csv:3: a line of more than 67108864 bytes; a text file with one row on each line "
                             "is expected\n"))

    def test_before_few_lines_is_an_error_that_names_the_line(self):
        self.write("open.csv", self.head + b"x\n" * 100)
        self.assertEqual(self.alder("train", "open.csv", "--label", "y", "--quiet", status=1).stderr,
                         "alder: open.csv:3: a quote that is not closed; expected its end before that of the file\n")

    def test_takes_time_that_grows_no_faster_than_the_file(self):
        self.write("open.csv", self.head + (b"x" * 99 + b"\n") * 10_000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.alder("train", "open.csv", "--label", "y", "--quiet", status=1)
        self.assertIn("open.csv:3: a quote that is not closed", done.stderr)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 1)


if __name__ == "__main__":
    unittest.main()
