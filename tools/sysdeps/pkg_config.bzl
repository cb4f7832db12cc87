"""System libraries as Bazel repositories, found with pkg-config and never downloaded."""

def _packages(rctx):
    """The Debian packages of the modules, from the project's one list."""
    names = []
    for line in rctx.read(Label("//tools:packages.txt")).split("\n"):
        words = [word for word in line.split(" ") if word]
        if len(words) > 3 and words[2] == "module" and words[3] in rctx.attr.modules:
            names.append(words[1])
    return names

def _ask(rctx, tool, args):
    result = rctx.execute([tool] + args + rctx.attr.modules)
    if result.return_code != 0:
        fail("@%s: pkg-config does not know %s; install it with `apt-get install %s`\n%s" % (
            rctx.name,
            " ".join(rctx.attr.modules),
            " ".join(_packages(rctx)),
            result.stderr,
        ))
    return [word for word in result.stdout.strip().split(" ") if word]

def _impl(rctx):
    tool = rctx.which("pkg-config")
    if tool == None:
        fail("@%s: no pkg-config on PATH; `apt-get install pkg-config`" % rctx.name)
    includes = []
    defines = []
    copts_dropped = []
    for word in _ask(rctx, str(tool), ["--cflags"]):
        if word.startswith("-I"):
            path = word[2:]
            if path == "/usr/include":
                continue  # the compiler looks there anyway
            link = "include/%d" % len(includes)
            rctx.symlink(path, link)
            includes.append(link)
        elif word.startswith("-D"):
            defines.append(word[2:])
        else:
            copts_dropped.append(word)  # -pthread and the like: set for the link below
    linkopts = _ask(rctx, str(tool), ["--libs"])
    linkopts = [w for w in linkopts if w not in rctx.attr.drop_linkopts]
    version = rctx.execute([str(tool), "--modversion", rctx.attr.modules[0]]).stdout.strip()
    rctx.file("defs.bzl", "VERSION = %r\n" % version)
    rctx.file("BUILD.bazel", """\
cc_library(
    name = {name},
    hdrs = glob({globs}, allow_empty = True),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)

# The headers alone, for what is linked by its host (a plugin).
cc_library(
    name = "headers",
    hdrs = glob({globs}, allow_empty = True),
    defines = {defines},
    includes = {includes},
    visibility = ["//visibility:public"],
)
""".format(
        name = repr(rctx.name),
        globs = repr([i + "/**/*.h" for i in includes] + [i + "/**/*.hpp" for i in includes]),
        includes = repr(includes),
        defines = repr(defines),
        linkopts = repr(linkopts),
    ))

pkg_config_repository = repository_rule(
    implementation = _impl,
    attrs = {
        "drop_linkopts": attr.string_list(),
        "modules": attr.string_list(mandatory = True),
    },
    configure = True,
    environ = ["PATH", "PKG_CONFIG_PATH"],
    local = True,
)
