"""The guest's image: Debian's kernel, its siw module, and the RDMA programs, as a kernel in ELF and an initramfs.

Everything comes from Debian packages, unpacked and not installed. Debian leaves the Soft-iWARP module (siw) out, so it is
compiled from the source package of the same kernel; what are constants there of MPA become parameters of the module.
"""

import argparse
import glob
import hashlib
import lzma
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Programs of the guest. What else they need, of Debian's libraries, is looked up.
PROGRAMS = (
    "busybox-static", "dash", "kmod", "iproute2", "tcpdump", "ibverbs-utils", "ibverbs-providers", "rdmacm-utils", "perftest",
)  # fmt: skip
MODULES = (
    "virtio_pci", "virtio_net", "virtio_console", "virtio_rng", "rdma_rxe", "siw", "rdma_ucm", "sch_netem",
    "crc32c-intel", "crc32c_generic", "crc32-pclmul", "crc32_generic",
)  # fmt: skip
# Constants in siw_main.c, by the type that they have as parameters.
SIW_PARAMETERS = {
    "zcopy_tx": "bool",
    "try_gso": "bool",
    "loopback_enabled": "bool",
    "mpa_crc_required": "bool",
    "mpa_crc_strict": "bool",
    "peer_to_peer": "bool",
    "mpa_version": "byte",
}
UNUSED = ("doc", "man", "locale", "lintian", "bug", "gcc", "perl5", "bash-completion", "pci.ids", "misc")

PACKAGE_FILE = re.compile(r"'(?P<uri>[^']*)' (?P<name>\S+) (?P<size>\d+)")


class BuildError(Exception):
    """The image cannot be built; the text says what failed and what to do."""


class Unavailable(BuildError):
    """Debian's packages cannot be had: there is no network, or this is not Debian on amd64."""


def cache_folder():
    """Where the image and what it is made of lie."""
    if "RDMAWIRE_LAB" in os.environ:
        return pathlib.Path(os.environ["RDMAWIRE_LAB"]).absolute()
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rdmawire" / "lab"


def stamp():
    """What the image depends on, of this folder's files."""
    digest = hashlib.sha256()
    for name in ("image.py", "guest_init"):
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def folder():
    return cache_folder() / "image"


def is_built():
    try:
        return (folder() / "stamp").read_text(encoding="utf-8") == stamp()
    except OSError:
        return False


def output(*command, **kwargs):
    """What a command prints; BuildError with its last lines if it fails."""
    # depmod and modprobe lie where only root looks.
    environment = os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "LC_ALL": "C"}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False, **kwargs)
    if done.returncode:
        last = (done.stderr or done.stdout).decode(errors="replace").strip().split("\n")[-20:]
        kind = Unavailable if command[0] in ("apt-cache", "apt-get") else BuildError
        raise kind(f"{shlex.join(map(str, command))}: exit code {done.returncode}\n" + "\n".join(last))
    return done.stdout


def kernel_version():
    """The name of Debian's current kernel, as in its packages: 6.1.0-57-amd64."""
    text = output("apt-cache", "depends", "linux-image-amd64").decode()
    match = re.search(r"Depends: linux-image-(\S+)", text)
    if not match:
        raise Unavailable("apt knows no linux-image-amd64: this needs Debian's packages on amd64; try apt-get update")
    return match[1]


def headers_of(version):
    """The packages that a module of this kernel is compiled with; their names differ between releases of Debian."""
    headers = f"linux-headers-{version}"
    text = output("apt-cache", "depends", headers).decode()
    return [headers, *re.findall(r"Depends: (linux-(?:headers|kbuild)-\S+)", text)]


def with_libraries(programs):
    """The packages and all libraries that they need. Other packages they name serve to install and to set up."""
    options = ["--no-" + kind for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    text = output("apt-cache", "depends", "--recurse", *options, *programs).decode()
    needs, package = {}, None
    for line in text.splitlines():
        words = line.split()
        if not line.startswith(" "):
            package = words[0]
        elif words[0] in ("Depends:", "PreDepends:"):
            needs.setdefault(package, []).append(words[1])
    wanted, todo = set(), list(programs)
    while todo:
        package = todo.pop()
        if package not in wanted:
            wanted.add(package)
            todo += [need for need in needs.get(package, ()) if need.startswith(("lib", "zlib"))]
    return sorted(wanted)


def packages(names, debs):
    """The files of these packages by name, downloaded into the folder debs where they are not there yet."""
    debs.mkdir(parents=True, exist_ok=True)
    as_root = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
    # It leaves out what lies in the folder that it runs in.
    with tempfile.TemporaryDirectory() as empty:
        text = output("apt-get", "--print-uris", "download", *names, cwd=empty).decode()
    files, missing = {}, []
    for match in PACKAGE_FILE.finditer(text):
        name = match["name"].split("_")[0]
        files[name] = debs / match["name"]
        if not files[name].exists() or files[name].stat().st_size != int(match["size"]):
            missing.append(name)
    if unknown := set(names) - set(files):
        raise Unavailable(f"apt has no package {', '.join(sorted(unknown))}; try apt-get update")
    if missing:
        output("apt-get", *as_root, "download", *missing, cwd=debs)
    return files


def unpack(file, into):
    into.mkdir(parents=True, exist_ok=True)
    output("dpkg", "-x", file, into)


def kernel_elf(bzimage):
    """The kernel in a bzImage. QEMU starts it through PVH, without a BIOS and without unpacking it in the guest."""
    start = bzimage.find(b"\xfd7zXZ\0")
    if start >= 0:
        elf = lzma.LZMADecompressor().decompress(bzimage[start:])
    else:
        start = bzimage.find(b"\x28\xb5\x2f\xfd")
        # What follows the kernel in the file makes zstd fail after it has unpacked it.
        elf = subprocess.run(["zstd", "-dcq"], input=bzimage[start:], stdout=subprocess.PIPE, check=False).stdout
    if elf[:4] != b"\x7fELF":
        raise BuildError("the kernel is packed neither with xz nor with zstd")
    return elf


def build_siw(source_deb, headers, version, work):
    """siw.ko from the kernel's source package, with SIW_PARAMETERS."""
    release = ".".join(version.split(".")[:2])
    tree = f"linux-source-{release}"
    siw = work / "siw"
    siw.mkdir()
    pipeline = (
        f"dpkg-deb --fsys-tarfile {shlex.quote(str(source_deb))} | tar -xO ./usr/src/{tree}.tar.xz"
        f" | tar -xJ -C {shlex.quote(str(siw))} --strip-components=5 {tree}/drivers/infiniband/sw/siw"
    )
    output("bash", "-o", "pipefail", "-c", pipeline)
    main, header = siw / "siw_main.c", siw / "siw.h"
    source, declarations = main.read_text(encoding="utf-8"), header.read_text(encoding="utf-8")
    for name, kind in SIW_PARAMETERS.items():
        source, found = re.subn(rf"^(?:const )?(\w+ {name}\b)", r"\1", source, flags=re.MULTILINE)
        if not found:
            raise BuildError(f"siw_main.c of {tree} has no {name}")
        declarations = re.sub(rf"^extern const (\w+ {name};)", r"extern \1", declarations, flags=re.MULTILINE)
        source += f"module_param({name}, {kind}, 0644);\n"
    main.write_text(source, encoding="utf-8")
    header.write_text(declarations, encoding="utf-8")
    # The headers were unpacked elsewhere than they say.
    kernel = headers / "usr/src" / f"linux-headers-{version}"
    makefile = kernel / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    makefile.write_text(text.replace("/usr/src/", f"{headers}/usr/src/"), encoding="utf-8")
    output("make", "-s", "-j2", "-C", kernel, f"M={siw}", "CONFIG_RDMA_SIW=m", "modules")
    output("strip", "--strip-debug", siw / "siw.ko")
    return siw / "siw.ko"


def copy_modules(version, kernel, root):
    """MODULES and what they need, from the kernel's files to the guest's."""
    output("depmod", "-b", kernel, version)
    source, target = kernel / "lib/modules" / version, root / "lib/modules" / version
    target.mkdir(parents=True)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        shutil.copy(source / name, target)
    for module in MODULES:
        text = output("modprobe", "-d", kernel, "-S", version, "--show-depends", module).decode()
        for path in re.findall(rf"^insmod \S*/lib/modules/{re.escape(version)}/(\S+)", text, re.MULTILINE):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / path, target / path)
    output("depmod", "-b", root, version)


def merge_usr(root):
    """/bin and the like become links into /usr, as Debian has them; some packages still ship files there."""
    for name in ("bin", "sbin", "lib", "lib64"):
        there, merged = root / name, root / "usr" / name
        merged.mkdir(parents=True, exist_ok=True)
        if there.is_dir() and not there.is_symlink():
            shutil.copytree(there, merged, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(there)
        there.symlink_to(f"usr/{name}")


def build_root(files, kernel, version, root):
    for file in files:
        unpack(file, root)
    for name in UNUSED:
        shutil.rmtree(root / "usr/share" / name, ignore_errors=True)
    for name in ("usr/lib/x86_64-linux-gnu/gconv", "var"):
        shutil.rmtree(root / name, ignore_errors=True)
    merge_usr(root)
    for name in ("proc", "sys", "dev", "tmp", "run", "root", "etc"):
        (root / name).mkdir(exist_ok=True)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="utf-8")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n", encoding="utf-8")
    shell = root / "usr/bin/sh"
    shell.unlink(missing_ok=True)
    # Not busybox's: it would take its own ip and tc for those of iproute2.
    shell.symlink_to("dash")
    for applet in output(root / "usr/bin/busybox", "--list").decode().split():
        places = [root / "usr" / folder / applet for folder in ("bin", "sbin")]
        if not any(os.path.lexists(place) for place in places):
            places[0].symlink_to("busybox")
    copy_modules(version, kernel, root)
    shutil.copy(HERE / "guest_init", root / "init")
    (root / "init").chmod(0o755)


def build(say=lambda text: print(text, file=sys.stderr, flush=True)):
    """Makes the image if it is not there or was made by other files than these; gives its folder."""
    if is_built():
        return folder()
    cache = cache_folder()
    work = cache / "work"
    shutil.rmtree(work, ignore_errors=True)
    root, kernel, headers = (work / name for name in ("root", "kernel", "headers"))
    version = kernel_version()
    release = ".".join(version.split(".")[:2])
    programs = with_libraries(PROGRAMS)
    image, source = f"linux-image-{version}", f"linux-source-{release}"
    sources = headers_of(version)
    say(f"lab: building the guest's image with kernel {version} in {cache} ...")
    files = packages([image, source, *sources, *programs], cache / "debs")
    unpack(files[image], kernel)
    for name in sources:
        unpack(files[name], headers)
    siw = build_siw(files[source], headers, version, work)
    extra = kernel / "lib/modules" / version / "extra"
    extra.mkdir()
    shutil.copy(siw, extra)
    build_root([files[name] for name in programs], kernel, version, root)
    made = work / "image"
    made.mkdir()
    (made / "vmlinux").write_bytes(kernel_elf((kernel / "boot" / f"vmlinuz-{version}").read_bytes()))
    # Not compressed: under TCG, unpacking takes longer than reading.
    output("bash", "-o", "pipefail", "-c", f"find . | cpio -o -H newc --quiet >{shlex.quote(str(made / 'initrd'))}", cwd=root)
    (made / "version").write_text(version + "\n", encoding="utf-8")
    (made / "stamp").write_text(stamp(), encoding="utf-8")
    shutil.rmtree(folder(), ignore_errors=True)
    made.rename(folder())
    shutil.rmtree(work)
    kept = set(files.values())
    for name in glob.glob(str(cache / "debs/*.deb")):
        if pathlib.Path(name) not in kept:
            os.unlink(name)
    return folder()


def missing(install=False):
    """What the host lacks, as text; empty if nothing. install: installs it first."""
    if is_built() and shutil.which("qemu-system-x86_64"):
        return ""
    check = [] if install else ["--check"]
    done = subprocess.run(
        [ROOT / "tools/packages.sh", *check, "lab"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.strip() if done.returncode else ""


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="build",
        description="Builds the image of the lab's guests, if it is not there yet, and prints its folder.",
        epilog="It lies in $RDMAWIRE_LAB, else $XDG_CACHE_HOME/rdmawire/lab, else ~/.cache/rdmawire/lab.",
    )
    parser.add_argument("--install", action="store_true", help="install what the host lacks (Debian, as root or with sudo)")
    options = parser.parse_args(arguments)
    if lacks := missing(options.install):
        print(lacks, file=sys.stderr)
        return 1
    try:
        print(build())
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    return 0
