"""Small trees with a breach each: layering.check must find it, and nothing else."""

import pathlib
import tempfile
import unittest

from tools.layering import layering

TABLE = pathlib.Path(__file__).resolve().parent / "layers.bzl"


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return layering.check(root, layering.Table(TABLE))


class LayeringTest(unittest.TestCase):
    def assert_one(self, files, *words):
        breaches = check(files)
        self.assertEqual(len(breaches), 1, breaches)
        for word in words:
            self.assertIn(word, breaches[0])

    def test_uses_that_point_down_are_fine(self):
        files = {
            "codec/base/a.h": "#include <chrono>\n#include <array>\n",
            "codec/frame.h": '#include "codec/base/a.h"\n',
            "pcap/x_test.cc": '#include <string>\n#include "codec/frame.h"\n#include "pcap/reassembly/r.h"\n',
            "pcap/reassembly/r.h": '#include "codec/base/a.h"\n',
            "pcap/BUILD": 'cc_library(name = "pcap", deps = [":x", "//codec", "//tools/sysdeps:y", "@zlib//:zlib"])\n',
        }
        self.assertEqual(check(files), [])

    def test_include_that_points_up(self):
        self.assert_one({"codec/base/a.h": '#include "codec/ib/b.h"\n', "codec/ib/b.h": ""}, "codec/base/a.h", "codec/ib/b.h")

    def test_codec_folder_must_not_use_the_whole_frame(self):
        self.assert_one({"codec/ib/b.h": '#  include "codec/frame.h"\n', "codec/frame.h": ""}, "codec/frame.h")

    def test_sibling(self):
        self.assert_one({"codec/iwarp/a.h": '#include "codec/ib/b.h"\n', "codec/ib/b.h": ""}, "codec/iwarp must not use")

    def test_test_that_points_up(self):
        self.assert_one({"codec/ib/b_test.cc": '#include "pcap/p.h"\n', "pcap/p.h": ""}, "pcap/p.h")

    def test_dissector_takes_only_the_reassembler_of_pcap(self):
        files = {"dissector/d.cc": '#include "pcap/reassembly/r.h"\n#include "pcap/p.h"\n'}
        self.assert_one({**files, "pcap/p.h": "", "pcap/reassembly/r.h": ""}, "dissector/d.cc", "pcap/p.h")

    def test_dependency_that_points_up(self):
        build = 'rdmawire_library(name = "b", deps = ["//codec/base"] + select({"//tools:x": ["//pcap:reader"]}))\n'
        self.assert_one({"codec/ib/BUILD": build}, "codec/ib/BUILD", "//pcap:reader")

    def test_header_not_included_from_the_root(self):
        self.assert_one({"codec/ib/b.h": '#include "c.h"\n', "codec/ib/c.h": ""}, "path from the root")
        self.assert_one({"codec/ib/b.h": "#include <codec/ib/c.h>\n", "codec/ib/c.h": ""}, "quotes")

    def test_folder_without_a_layer(self):
        self.assert_one({"extra/e.cc": '#include "codec/a.h"\n', "codec/a.h": ""}, "no layer")

    def test_allocating_header_in_the_codec(self):
        self.assert_one({"codec/net/n.cc": "#include <vector>\n", "codec/net/n_test.h": "#include <vector>\n"}, "<vector>")

    def test_clock_in_the_codec(self):
        text = "// steady_clock is not used\nauto now() { return std::chrono::system_clock::now(); }\n"
        self.assert_one({"codec/net/n.cc": text}, "system_clock")

    def test_long_file(self):
        self.assert_one({"cli/c.cc": "\n" * 601, "cli/d.cc": "\n" * 600}, "cli/c.cc", "601")


if __name__ == "__main__":
    unittest.main()
