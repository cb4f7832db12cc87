"""cc_fuzz_target: one source, two targets."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")
load("//tools:rules.bzl", "WARNINGS")

def cc_fuzz_target(name, deps, srcs = None, corpus = None, copts = [], **kwargs):
    """A function LLVMFuzzerTestOneInput, to be fuzzed and to be tested with the inputs in its corpus.

    NAME fuzzes, with --config=fuzz only: `fuzz/run.sh NAME SECONDS`. NAME_replay is an ordinary test on any compiler: it
    runs each file of the corpus once, and fails if there is none.

    Args:
      name: the target; its source is NAME.cc unless srcs says otherwise.
      deps: what it feeds.
      srcs: its sources.
      copts: options of the compiler, besides the warnings.
      corpus: its folder of inputs, named by what they show; corpus/NAME unless said otherwise.
      **kwargs: for both rules.
    """
    srcs = srcs or [name + ".cc"]
    corpus = corpus or "corpus/" + name
    native.filegroup(
        name = name + "_corpus",
        srcs = native.glob([corpus + "/**"], allow_empty = True),
    )
    cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        copts = WARNINGS + copts,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps,
        **kwargs
    )
    cc_test(
        name = name + "_replay",
        size = "small",
        srcs = srcs,
        # The folder and not its files: there may be more than a command line holds.
        args = [native.package_name() + "/" + corpus],
        copts = WARNINGS + copts,
        data = [":" + name + "_corpus"],
        deps = deps + ["//fuzz:replay_main"],
        **kwargs
    )
