"""The project's own targets: one place for warnings and for how a test is made."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//tools/layering:layers.bzl", "visibility_of")

WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
]

# What an embedder may build with: the codec and the machines use neither.
_EMBEDDABLE = [
    "-fno-exceptions",
    "-fno-rtti",
]

# For what calls virtual functions of embeddable libraries: this check of UBSan would ask for their RTTI.
NO_VPTR = ["-fno-sanitize=vptr"]

def rdmawire_library(name, embeddable = False, copts = [], **kwargs):
    """A library of the project, visible to the layers above. embeddable: it builds without exceptions and RTTI."""
    if "visibility" not in kwargs:
        kwargs["visibility"] = visibility_of(native.package_name())
    cc_library(
        name = name,
        copts = WARNINGS + (_EMBEDDABLE if embeddable else []) + copts,
        **kwargs
    )

def rdmawire_binary(name, copts = [], **kwargs):
    cc_binary(name = name, copts = WARNINGS + copts, **kwargs)

def rdmawire_test(name, srcs, deps = [], copts = [], size = "small", **kwargs):
    """A Boost.Test program; its main and its module name come from //tools/test:boost_main."""
    cc_test(
        name = name,
        srcs = srcs,
        copts = WARNINGS + copts,
        size = size,
        deps = deps + [
            "//tools/sysdeps:boost_test",
            "//tools/test:boost_main",
        ],
        **kwargs
    )

def rdmawire_python_test(name, args, data, size = "small", **kwargs):
    """A test in Python: args are those of `python3 -m`, data has the sources and all else that it reads."""
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tools/test:python_test.sh"],
        args = args,
        data = data,
        **kwargs
    )
