"""The tests of the program themselves: one that hangs fails by its name."""
import io
import time
import unittest

from program import ProgramTest


class Hangs(ProgramTest):
    seconds = 1

    def runTest(self):
        self.process = self.start("train", "-")  # waits for rows, and so does the test
        self.process.stdout.read()
        time.sleep(60)


class Limits(unittest.TestCase):
    def test_a_test_that_hangs_fails_by_its_name(self):
        begin = time.monotonic()
        test = Hangs()
        result = unittest.TextTestRunner(stream=io.StringIO()).run(test)
        self.assertLess(time.monotonic() - begin, 30)
        (_, trace), = result.errors
        self.assertIn("TimeoutError: __main__.Hangs.runTest is not over after 1 s", trace)
        self.assertIsNotNone(test.process.returncode)


if __name__ == "__main__":
    unittest.main(defaultTest="Limits")
