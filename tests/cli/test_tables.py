"""Tables: words, dates, missing cells and text as they come, in CSV and other formats; columns of other files."""
import json
import unittest

from table_test import HEAD, TableTest, lines, made_up

class ATable(TableTest):
    """Of all kinds of columns."""

    def setUp(self):
        super().setUp()
        self.records = made_up(600)
        self.write("table.csv", lines([HEAD] + self.records))

    def test_of_all_kinds_trains_saves_predicts_and_resumes(self):
        done = self.train("table.csv")
        self.assertEqual(self.summary(done, "columns"),
                         "age number, job category (3), since time, member boolean, note text (17 words)")
        self.assertEqual(self.summary(done, "label"), "column 6 'answer', as given")
        right = [line == record[5] for line, record in
                 zip(self.alder("predict", "model", "table.csv", "--quiet").stdout.splitlines(), self.records)]
        self.assertGreater(sum(right), 480)
        resumed = self.alder("train", "table.csv", "-i", "model", "-o", "more")
        self.assertEqual(self.summary(resumed, "label"), "column 6 'answer', as in the model")
        self.assertIn("1200 in all", self.summary(resumed, "rounds"))

    def test_goes_on_as_if_never_interrupted(self):
        records = made_up(3000, new_jobs_from=1500)
        for name, part in (("all", records), ("first", records[:1500]), ("second", records[1500:])):
            self.write(name, lines([HEAD] + part))
        self.train("all", model="at-once")
        self.train("first", model="half")
        self.alder("train", "second", "-i", "half", "-o", "resumed", "--quiet")
        self.assertNotIn(b"pilot", self.read("half"))
        self.assertIn(b"pilot", self.read("resumed"))
        self.assertTrue(self.read("resumed") == self.read("at-once"))

    def test_is_matched_by_the_names_of_its_columns(self):
        self.train("table.csv")
        order = [4, 5, 0, 3, 1, 2]
        self.write("shuffled", lines([[record[i] for i in order] for record in [HEAD] + self.records]))
        self.write("extra", lines([["colour", *HEAD, "more"]] + [["red", *record, "7"] for record in self.records]))
        self.write("unlabelled", lines([record[:5] for record in [HEAD] + self.records]))
        for file in ("shuffled", "extra", "unlabelled"):
            self.same_scores((file, "model"), ("table.csv", "model"))
        self.assertIn("600 labelled rows", self.alder("predict", "model", "shuffled").stderr)
        self.alder("train", "shuffled", "-i", "model", "-o", "a", "--quiet")
        self.alder("train", "table.csv", "-i", "model", "-o", "b", "--quiet")
        self.assertTrue(self.read("a") == self.read("b"))

    def test_without_a_column_of_the_model_is_an_error_that_names_it(self):
        self.train("table.csv")
        self.write("fewer", lines([[*record[:1], *record[2:]] for record in [HEAD] + self.records]))
        expected = ("alder: fewer:1: no column 'job'; expected all columns of the model, of which this is one. "
                    "The header has age, since, member, note, answer\n")
        self.assertEqual(self.alder("predict", "model", "fewer", status=1).stderr, expected)
        self.assertEqual(self.alder("train", "fewer", "-i", "model", "--quiet", status=1).stderr, expected)

    def test_without_a_header_is_matched_by_number(self):
        records = self.records[:500]
        self.write("named", lines([HEAD] + records))
        self.write("bare", lines(records))
        self.write("unlabelled", lines(record[:5] for record in records))
        self.train("named")
        self.alder("train", "bare", "-o", "by-number", "--quiet")
        for model in ("model", "by-number"):
            for file in ("named", "bare", "unlabelled"):
                self.same_scores((file, model), ("named", "model"))
        self.write("few", lines(record[:4] for record in self.records))
        self.write("many", lines([*record, "1"] for record in self.records))
        for file, count in (("few", 4), ("many", 7)):
            error = self.alder("predict", "by-number", file, status=1).stderr
            self.assertEqual(error, f"alder: {file}:1: {count} columns; expected 6 as in the model\n")

    def test_without_a_header_is_learned_like_one_with_it(self):
        self.write("bare", lines(self.records))
        self.train("table.csv")
        self.alder("train", "bare", "-o", "by-number", "--quiet")
        self.same_scores(("bare", "by-number"), ("table.csv", "model"))

    def test_has_a_header_if_that_is_said(self):
        self.assertEqual(self.train_json("table.csv", "--label", 6)["examples"], 600)
        self.assertEqual(self.train_json("table.csv", "--label", 6, "--header", "yes")["examples"], 600)
        self.assertEqual(self.train_json("table.csv", "--label", 6, "--header", "no")["examples"], 601)
        self.write("words", "red,small\nblue,large\n" * 20)
        self.assertEqual(self.train_json("words", "--header", "yes")["columns"][0]["name"], "red")
        self.assertEqual(self.train_json("words", "--header", "no")["columns"][0]["name"], "column 1")
        self.train("table.csv")
        self.write("bare", lines(self.records))
        self.assertIn("no column 'age'", self.alder("predict", "model", "bare", "--header", "yes", status=1).stderr)
        self.alder("train", "table.csv", "--header", "perhaps", status=2)

    def test_may_have_values_at_prediction_that_were_never_met(self):
        self.train("table.csv")
        self.write("new", lines([HEAD, ["30", "astronaut", "2020-01-02", "true", "zebra stripes", "no"],
                                 ["30", "plumber", "2020-01-02", "true", "zebra stripes", "no"]]))
        one, other = self.scores("new").splitlines()
        self.assertEqual(one, other)
        self.assertNotIn(b"astronaut", self.read("model"))

    def test_rows_of_other_formats_without_columns_are_refused(self):
        self.train("table.csv")
        self.write("rows.txt", "yes 1:2 2:3\nno 1:1 2:0\n")
        expected = ("alder: rows.txt:1: LIBSVM text, which has no columns; expected a table with the columns that the "
                    "model knows\n")
        self.assertEqual(self.alder("predict", "model", "rows.txt", status=1).stderr, expected)
        self.assertEqual(self.alder("train", "-i", "model", "rows.txt", "--quiet", status=1).stderr, expected)

    def test_is_described_by_info(self):
        self.train("table.csv")
        found = json.loads(self.alder("info", "model", "--json").stdout)
        self.assertEqual([(column["name"], column["kind"], column["values"]) for column in found["columns"]],
                         [("age", "number", 0), ("job", "category", 3), ("since", "time", 0), ("member", "boolean", 0),
                          ("note", "text", 17)])
        self.assertEqual(found["label_column"], "answer")
        names = {importance["name"] for importance in found["importances"]}
        self.assertLessEqual({"age", "job=cook", "job missing", "age missing", "member", "note=fox", "since year"}, names)
        text = self.alder("info", "model").stdout
        self.assertRegex(text, r"(?m)^columns +age number, job category \(3\), since time, member boolean, note text")
        self.assertRegex(text, r"(?m)^that matter .*\bjob=cook \d")

    def test_is_described_by_info_as_by_train(self):
        trained = self.summary(self.train("table.csv"), "columns")
        info = next(line for line in self.alder("info", "model").stdout.splitlines() if line.startswith("columns"))
        self.assertEqual(info.split(None, 1)[1], trained)


class TheLabel(TableTest):
    def setUp(self):
        super().setUp()
        self.records = [record[:2] + record[5:] for record in made_up(300)]
        self.write("table.csv", lines([["age", "job", "answer"]] + self.records))

    def test_is_given_by_name_or_number(self):
        for words in (["--label", "answer"], ["--label", 3], ["--label", -1], ["--label-column", "answer"]):
            self.assertEqual(self.train_json("table.csv", *words, "-o", "model")["label_column"],
                             {"name": "answer", "number": 3, "found": "given"})
        found = self.train_json("table.csv", "--label", "job", "--skip-bad", 300)
        self.assertEqual([column["name"] for column in found["columns"]], ["age", "answer"])
        self.assertEqual(found["classes"], ["clerk", "cook", "smith"])

    def test_is_found_by_its_name_in_the_model_or_last(self):
        self.write("named.csv", lines([["Class", "age", "job"]] + [[r[2], r[0], r[1]] for r in self.records]))
        self.assertEqual(self.train_json("named.csv")["label_column"], {"name": "Class", "number": 1, "found": "name"})
        found = self.train_json("table.csv", "-o", "model")
        self.assertEqual(found["label_column"], {"name": "answer", "number": 3, "found": "last"})
        self.assertIn("labels are taken from column 3 'answer', the last", found["warnings"][0])
        self.assertEqual(self.train_json("table.csv", "-i", "model")["label_column"]["found"], "model")

    def test_of_a_wrong_name_or_number_is_an_error_that_lists_the_columns(self):
        self.assertEqual(self.alder("train", "table.csv", "--label", "answr", "--quiet", status=1).stderr,
                         "alder: table.csv:1: no column 'answr' in the header; expected it beside age, job, answer\n")
        self.assertEqual(self.alder("train", "table.csv", "--label", 9, "--quiet", status=1).stderr,
                         "alder: table.csv:1: 3 columns; expected a label in column 9\n")

    def test_that_is_a_feature_of_the_model_is_an_error_that_says_so(self):
        self.train("table.csv")
        error = self.alder("train", "table.csv", "-i", "model", "--label", "job", "--quiet", status=1).stderr
        self.assertIn("job", error)
        self.assertNotIn("no column 'job'", error)

    def test_may_be_of_a_third_class(self):
        self.train("table.csv")
        self.write("third.csv", "age,job,answer\n30,cook,yes\n40,smith,no\n50,cook,maybe\n")
        done = self.alder("predict", "model", "third.csv", "--json")
        self.assertEqual(["label" in json.loads(line) for line in done.stdout.splitlines()], [True, True, False])
        self.assertIn("of 2 labelled rows", done.stderr)
        self.assertEqual(self.train_json("third.csv", "-i", "model")["classes"], ["maybe", "no", "yes"])
        error = self.alder("train", "third.csv", "--label", "answer", "--labels", "no,yes", "--quiet", status=1).stderr
        self.assertEqual(error, "alder: third.csv:4: label 'maybe'; expected no or yes\n")


class AFile(TableTest):
    """The same small table, written in many ways."""

    def setUp(self):
        super().setUp()
        self.head = ["age", "job", "answer"]
        self.records = [record[:2] + record[5:] for record in made_up(300)]
        self.write("plain.csv", lines([self.head] + self.records))
        self.train("plain.csv", "--quiet", model="plain")

    def same(self, name, text, plain="plain"):
        """The file gives the same model as the plain one, and the same scores."""
        self.write(name, text)
        self.train(name, "--quiet", model="other")
        self.assertTrue(self.read("other") == self.read(plain), name)
        self.same_scores((name, plain), ("plain.csv", plain))

    def replaced(self, old, new):
        return [[new if cell == old else cell for cell in record] for record in [self.head] + self.records]

    def test_may_have_any_line_ends_a_mark_and_blanks(self):
        rows = [self.head] + self.records
        for name, text in (("crlf", lines(rows, end="\r\n")), ("cr", lines(rows, end="\r")), ("mark", "\ufeff" + lines(rows)),
                           ("blanks", lines(rows, ", ")), ("tabs", lines(rows, "\t")), ("bars", lines(rows, "|")),
                           ("no-end", lines(rows)[:-1]), ("empty-lines", lines(rows, end="\n\n")),
                           ("quoted", lines([[f'"{cell}"' for cell in row] for row in rows]))):
            with self.subTest(name):
                self.same(name, text)

    def test_may_call_a_missing_cell_by_many_words(self):
        for word in ("NA", "NaN", "nan", "null", "?", " ", "None", "N/A"):
            with self.subTest(word):
                self.same("missing", lines(self.replaced("", word)))

    def write_decimals(self):
        halves = [[record[0] and record[0] + ".5", *record[1:]] for record in self.records]
        self.write("points", lines([self.head] + halves))
        self.write("commas", lines([self.head] + halves, ";").replace(".", ","))
        self.train("points", "--quiet")

    def test_may_have_decimal_commas(self):
        self.write_decimals()
        self.train("commas", "--quiet", model="other")
        self.assertTrue(self.read("other") == self.read("model"))

    def test_may_have_decimal_commas_where_it_is_predicted(self):
        self.write_decimals()
        self.same_scores(("commas", "model"), ("points", "model"))

    def test_may_have_decimal_commas_where_a_model_goes_on(self):
        self.write_decimals()
        for file in ("points", "commas"):
            self.alder("train", file, "-i", "model", "-o", file + ".model", "--quiet")
        self.assertTrue(self.read("commas.model") == self.read("points.model"))

    def write_latin_1(self):
        text = lines(self.replaced("cook", "café")).replace("yes", "über")
        self.write("utf8.csv", text)
        self.write("latin1.csv", text.encode("latin-1"))

    def test_may_be_latin_1(self):
        self.write_latin_1()
        self.train("utf8.csv", "--quiet", model="utf8")
        done = self.train("latin1.csv", model="latin1")
        self.assertTrue(self.read("latin1") == self.read("utf8"))
        self.assertEqual(self.summary(done, "classes").split(";")[0], "no (negative) and über (positive)")
        self.assertEqual(set(self.alder("predict", "utf8", "latin1.csv", "--quiet").stdout.split()), {"no", "über"})
        self.same_scores(("latin1.csv", "utf8"), ("utf8.csv", "utf8"))
        self.assertIn("job=café", self.alder("info", "latin1").stdout)

    def test_that_is_taken_for_latin_1_is_said_to_be(self):
        self.write_latin_1()
        self.assertIn("are taken for Latin-1", self.train("latin1.csv").stderr)
        self.assertNotIn("Latin-1", self.train("utf8.csv").stderr)

    def test_between_tabs_may_have_plain_quotes(self):
        text = lines(self.replaced("cook", '5" cook'), "\t")
        self.write("tabs.tsv", text)
        self.train("tabs.tsv", "--quiet", model="tabs")
        self.write("doubled.csv", lines(self.replaced("cook", '"5"" cook"')))
        self.train("doubled.csv", "--quiet", model="doubled")
        self.assertTrue(self.read("tabs") == self.read("doubled"))
        self.assertIn('job=5" cook', self.alder("info", "tabs").stdout)

    def test_may_have_line_ends_in_quotes(self):
        self.write("lines.csv", lines(self.replaced("cook", '"co\nok, ""x"""')))
        found = self.train_json("lines.csv", "--label", "answer", "-o", "model")
        self.assertEqual((found["examples"], found["columns"][1]["values"]), (300, 3))
        self.same_scores(("lines.csv", "model"), ("plain.csv", "plain"))

    def test_may_have_infinite_values(self):
        rows = [["inf" if i % 50 == 0 else "-Infinity" if i % 50 == 1 else record[0], *record[1:]]
                for i, record in enumerate(self.records)]
        self.write("infinite.csv", lines([self.head] + rows))
        done = self.train("infinite.csv")
        self.assertIn("age has cells that are no number: 2 different ones, such as 'inf'", done.stderr)
        self.assertTrue(all(abs(float(score)) < 1e6 for score in self.scores("infinite.csv").split()))

    def test_may_have_names_that_are_numbers_or_the_same(self):
        rows = [[f"n{i % 4}", i * 7 % 13, f"{i * 5 % 11}.5", i % 2] for i in range(60)]
        for head, columns in ((["name", "2019", "2020", "y"], ["name", "2019", "2020"]),
                              (["name", "size", "size", "y"], ["name", "size", "size#3"])):
            self.write("named.csv", lines([head] + rows))
            found = self.train_json("named.csv")
            self.assertEqual([column["name"] for column in found["columns"]], columns)
            self.assertEqual(found["examples"], 60)
        # A record whose first cell is no number is no header.
        self.write("unnamed.csv", lines([["unknown", 3, 4, 1]] + [[i, i * 7 % 13, i % 5, i % 2] for i in range(60)]))
        self.assertEqual(self.train_json("unnamed.csv")["examples"], 61)

    def test_may_begin_with_a_field_that_holds_a_line_end(self):
        self.write("first.csv", '"a\nb",y\n' + "".join(f"{i % 7},{i % 2}\n" for i in range(60)))
        found = self.train_json("first.csv")
        self.assertEqual((found["examples"], [column["name"] for column in found["columns"]]), (60, ["a\nb"]))

    def test_may_be_json_lines(self):
        objects = [{"age": int(age) if age else None, "job": job or None, "answer": answer}
                   for age, job, answer in self.records]
        self.same("rows.jsonl", "".join(json.dumps(each) + "\n" for each in objects))

    def test_may_be_arff(self):
        head = "@relation t\n@attribute age numeric\n@attribute job {cook,smith,clerk}\n@attribute answer {no,yes}\n@data\n"
        self.write("rows.arff", head + lines([cell or "?" for cell in record] for record in self.records))
        self.train("rows.arff", "--quiet", model="arff")
        for model in ("arff", "plain"):
            for file in ("rows.arff", "plain.csv"):
                self.same_scores((file, model), ("plain.csv", "plain"))

    def test_may_be_of_vowpal_wabbit(self):
        self.write("rows.vw", "".join(f"{1 if answer == 'yes' else -1} |f age:{age or 0} job={job}\n"
                                      for age, job, answer in self.records))
        self.alder("train", "rows.vw", "-o", "vw", "--quiet")
        accuracy = float(self.alder("predict", "vw", "rows.vw").stderr.split("%")[0].split()[1])
        self.assertGreater(accuracy, 75)
        error = self.alder("predict", "vw", "plain.csv", status=1).stderr
        self.assertIn("expected features by name, in Vowpal Wabbit's format, as in the model", error)


class Columns(TableTest):
    def setUp(self):
        super().setUp()
        records = made_up(300)
        self.write("table.csv", lines([["id", "key", *HEAD]] + [[str(i + 1), f"k{i * 7919 % 10007}x", *record]
                                                                for i, record in enumerate(records)]))

    def test_that_name_the_rows_are_ignored_and_said_so(self):
        done = self.train("table.csv")
        self.assertTrue(self.summary(done, "columns").startswith(
            "id ignored (counts or names the rows), key ignored (another value in nearly every row), age number, "))
        first, second = self.train_json("table.csv", "--label", "answer")["columns"][:2]
        self.assertEqual(first, {"name": "id", "kind": "ignore", "values": 0, "reason": "counts or names the rows"})
        self.assertEqual(second["reason"], "another value in nearly every row")

    def test_are_of_the_kinds_given(self):
        found = self.columns("table.csv", "--columns", "id=number,key=category,age=category,member=category,job=text,note=ignore")
        self.assertEqual(found, {"id": "number", "key": "category", "age": "category", "job": "text", "since": "time",
                                 "member": "category", "note": "ignore"})
        self.assertEqual(self.columns("table.csv", "--columns", "3=category")["age"], "category")

    def test_are_ignored_if_that_is_said(self):
        found = self.columns("table.csv", "--ignore", "age,5")
        self.assertEqual((found["age"], found["since"], found["job"]), ("ignore", "ignore", "category"))
        self.assertIn("age ignored, job", self.summary(self.train("table.csv", "--ignore", "age"), "columns"))

    def test_of_a_wrong_name_or_kind_are_an_error_that_says_it(self):
        for flags in (["--columns", "ages=number"], ["--ignore", "ages"]):
            self.assertEqual(self.train("table.csv", *flags, "--quiet", status=1).stderr,
                             "alder: table.csv:1: no column 'ages' in the header; expected it beside id, key, age, job, "
                             "since, member, note, answer\n")
        error = self.train("table.csv", "--columns", "age=numbr", status=2).stderr
        self.assertIn("--columns: a column of the kind 'numbr'; expected number, category, boolean, time, text or ignore", error)
        self.assertIn("expected NAME=KIND", self.train("table.csv", "--columns", "age", status=2).stderr)
        self.assertIn("column 77", self.train("table.csv", "--ignore", 77, "--quiet", status=1).stderr)


if __name__ == "__main__":
    unittest.main()
