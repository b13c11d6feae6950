"""Checks data/published/times.csv: every row can be read, its source and its GPU exist, and some rows are predicted as
data/published/predicted_times.csv says. Usage: published_times.py PROGRAM ROOT"""
import os
import pathlib
import sys
import unittest

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ["BANKWISE"] = PROGRAM
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
from comparisons import published

# One quick row of several programs, architectures and units, by what it is about.
QUICK = [("gpu-strides", "A40", "strides_float"), ("LeetCUDA-339", "RTX 4090", "turn_diagonal"), ("llm.c-274", "RTX 3070", "encoder_wide"),
         ("cuda-kernels-from-scratch", "T4", "tile_padded"), ("parallel-reductions", "RTX 3090", "sum_two_loads"),
         ("gpu-small-kernels", "L40", "stream_scale"), ("cccl-7391", "B200", "add_wide")]


class PublishedTimes(unittest.TestCase):
    def setUp(self):
        self.rows, self.results = published.rows_of(published.TABLE), published.rows_of(published.RESULTS)

    def test_there_are_many_rows_on_many_gpus(self):
        self.assertGreaterEqual(len(self.rows), 150)
        self.assertGreaterEqual(len({r["gpu"] for r in self.rows}), 8)

    def test_every_source_has_an_address_and_rows(self):
        known = published.sources()
        self.assertEqual(set(known), {r["source"] for r in self.rows})
        for s in known.values():
            self.assertTrue(s["url"].startswith("https://"), s)
            self.assertIn(s["half"], published.HALVES)

    def test_every_row_is_a_time(self):
        for n, r in enumerate(self.rows, 1):
            with self.subTest(row=n):
                self.assertIn(r["unit"], {*published.UNITS, "clocks", "GB/s", "GFLOP/s"})
                self.assertIn(r["caches"], {"cold", "warm"})
                self.assertGreater(published.seconds_of(r, 1), 0)
                source = ROOT / f"examples/published/times/{r['program']}.cu"
                self.assertRegex(source.read_text(), rf"__global__[^;{{]*\b{r['kernel']}\(")

    def test_every_row_has_a_prediction(self):
        self.assertEqual([int(r["row"]) for r in self.results], list(range(1, len(self.rows) + 1)))

    def test_the_program_predicts_what_the_table_says(self):
        for source, gpu, kernel in QUICK:
            n = next(n for n, r in enumerate(self.rows, 1) if (r["source"], r["gpu"], r["kernel"]) == (source, gpu, kernel))
            with self.subTest(row=n):
                self.assertEqual([str(x) for x in published.predict(n, self.rows[n - 1])],
                                 [self.results[n - 1][name] for name in published.NAMES])


unittest.main(argv=sys.argv[:1])
