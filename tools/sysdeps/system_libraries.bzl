"""Every system library the project may use; the Debian packages that bring them: //tools:packages.txt."""

load(":pkg_config.bzl", "pkg_config_repository")

# repository: pkg-config modules
_LIBRARIES = {
    "benchmark": ["benchmark"],
    "cli11": ["CLI11"],
    "fmt": ["fmt"],
    "isal": ["libisal"],
    "libpcap": ["libpcap"],
    "lz4": ["liblz4"],
    "nlohmann_json": ["nlohmann_json"],
    "wireshark": ["wireshark", "glib-2.0"],
    "zlib": ["zlib"],
    "zstd": ["libzstd"],
}

def system_libraries():
    for name, modules in _LIBRARIES.items():
        pkg_config_repository(name = name, modules = modules)
