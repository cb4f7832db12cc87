"""Which folder may use which: the one table.

layering.py checks sources and BUILD files by it, rules.bzl takes the visibility of libraries from it. The constants are
read by Python as well: they must stay literals.
"""

# folder: (what it may use, why). A file belongs to the longest folder here that it lies under. It may use that folder,
# what the row names (with all that lies under it) and //tools. Tests obey like all others.
LAYERS = {
    "codec/base": ([], "the vocabulary of all others"),
    "codec/crc": (["codec/base"], "CRCs know octets, no protocol"),
    "codec/net": (["codec/base", "codec/crc"], "what carries RDMA; SCTP has a CRC-32C"),
    "codec/ib": (["codec/base", "codec/crc", "codec/net"], "the ICRC masks fields of the IP and UDP headers before it"),
    "codec/mad": (["codec/base", "codec/ib"], "MADs are the payload of InfiniBand packets"),
    "codec/iwarp": (["codec/base", "codec/crc", "codec/net"], "MPA and DDP lie on TCP or SCTP; nothing of InfiniBand"),
    "codec": (["codec"], "whole frames and streams, over all headers"),
    "protocol": (["codec"], "machines: octets and time in, octets out"),
    "protocol/observe": (["codec", "protocol"], "judges packets by the machines' own tables"),
    "pcap": (["codec", "protocol", "pcap"], "capture files, and their replay into the machines"),
    "pcap/reassembly": (["codec"], "TCP reassembly; stands alone, so that the dissector can take it"),
    "conformance": (["codec", "protocol"], "requirements, scenarios and targets"),
    "dissector": (["codec", "protocol/observe", "pcap/reassembly"], "lives in Wireshark, which reads captures itself"),
    "cli": (["codec", "protocol", "pcap", "conformance"], "the command, over all libraries"),
    "dissector/tshark": (["dissector", "cli"], "the plugin in tshark, held against the command"),
    "fuzz": (["codec", "protocol", "pcap", "conformance", "dissector"], "feeds everything that reads"),
    "bench": (["codec", "protocol", "pcap", "conformance", "dissector"], "measures everything"),
    "examples": (["codec", "protocol", "pcap", "conformance"], "what an embedder may use"),
    "tools": ([], "build, test and lint; not part of the product"),
}

# Folders that anybody may use, outside this table too.
PUBLIC = ["codec", "tools"]

# (folders, headers that must not be included there, why). Tests (*_test.cc, *_test.h) and programs
# (*_main.cc) are exempt.
FORBIDDEN_HEADERS = [
    (
        ["codec"],
        [
            "any",
            "deque",
            "exception",
            "filesystem",
            "forward_list",
            "functional",
            "list",
            "map",
            "memory",
            "memory_resource",
            "queue",
            "regex",
            "set",
            "stack",
            "stdexcept",
            "string",
            "unordered_map",
            "unordered_set",
            "vector",
        ],
        "the codec neither allocates nor throws: take std::span, std::string_view, std::array or the caller's buffer",
    ),
    (
        ["codec", "protocol"],
        [
            "cstdio",
            "format",
            "fstream",
            "iomanip",
            "iostream",
            "istream",
            "ostream",
            "print",
            "sstream",
            "stdio.h",
            "syncstream",
            "fmt/core.h",
            "fmt/format.h",
            "fmt/ostream.h",
            "sys/socket.h",
            "unistd.h",
        ],
        "no input, output or printing: octets come from the caller and go to the caller",
    ),
    (
        ["codec", "protocol"],
        [
            "condition_variable",
            "ctime",
            "future",
            "mutex",
            "random",
            "stop_token",
            "sys/time.h",
            "thread",
            "time.h",
        ],
        "no clock, thread or randomness: time and seeds come from the caller (<chrono> for durations is fine)",
    ),
]

# (folders, words that must not stand in code there, why). Tests and programs are exempt.
FORBIDDEN_WORDS = [
    (
        ["codec", "protocol"],
        ["system_clock", "steady_clock", "high_resolution_clock"],
        "no clock: time comes from the caller",
    ),
]

# A longer source file has a seam to split at.
MAX_LINES = 600

def _lies_under(folder, other):
    return folder == other or folder.startswith(other + "/")

def layer_of(package):
    """The layer that a package belongs to, or None."""
    best = None
    for layer in LAYERS:
        if _lies_under(package, layer) and (best == None or len(layer) > len(best)):
            best = layer
    return best

def group_name(layer):
    return "users_of_" + layer.replace("/", "_")

def users_of(layer):
    """Patterns of the packages that may use the layer."""
    return [
        "//%s/..." % user
        for user, (uses, _) in LAYERS.items()
        if user == layer or [used for used in uses if _lies_under(layer, used)]
    ]

def visibility_of(package):
    """The visibility of a library in this package; None where the table says nothing."""
    layer = layer_of(package)
    if layer == None:
        return None
    if [folder for folder in PUBLIC if _lies_under(layer, folder)]:
        return ["//visibility:public"]
    return ["//tools/layering:" + group_name(layer)]
