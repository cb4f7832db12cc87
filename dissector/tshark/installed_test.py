"""./rdmawire install-plugin with the Wireshark, the pkg-config and the plugin that are there: only Bazel is one that has
built already. (install_test.sh has all versions and errors, with programs that only say what they are told to.)"""

import os
import shutil
import subprocess
import tempfile
import unittest

from dissector.tshark.wireshark import as_user, version_of


def nobody():
    """Words before a command that start it as another user; in a sandbox of Bazel only a user namespace makes one."""
    prefix = as_user()
    return prefix if prefix[:1] == ["unshare"] else ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Installed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        os.chmod(self.top, 0o755)
        self.home = self.make("home")
        tree = self.make("tree")
        for path in ("rdmawire", "dissector/install.sh", "dissector/rdmawire.so"):
            target = os.path.join(tree, "bin" if path.endswith(".so") else ".", path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(path, target)
        for name in ("tools/packages.sh", "tools/stale_system.sh"):
            self.program(os.path.join("tree", name), ":")
        self.program("path/bazel", '[ "$1" = build ] || echo %s/bin' % tree)
        # Where a build leaves its log.
        os.chmod(self.make("tree/.build"), 0o777)
        self.launcher = os.path.join(tree, "rdmawire")
        self.plugin = os.path.join(self.home, ".local/lib/wireshark/plugins", version_of("tshark"), "epan/rdmawire.so")

    def make(self, name):
        path = os.path.join(self.top, name)
        os.makedirs(path)
        return path

    def program(self, name, text):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/bash\n%s\n" % text)
        os.chmod(path, 0o755)

    def run_in_home(self, command):
        """(exit code, all that it says)"""
        environment = {"HOME": self.home, "PATH": os.path.join(self.top, "path") + ":" + os.environ["PATH"],
                       "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()

    def install(self, *options, user=()):
        return self.run_in_home(list(user) + [self.launcher, "install-plugin"] + list(options))

    def loaded(self):
        """The plugin's line in tshark's list."""
        code, out = self.run_in_home(as_user() + ["tshark", "-G", "plugins"])
        self.assertEqual(code, 0, out)
        return [[cell.strip() for cell in line.split("\t")] for line in out.splitlines() if line.startswith("rdmawire.so")]

    def test_tshark_loads_what_was_installed_until_it_is_removed(self):
        self.assertEqual(self.loaded(), [])
        code, out = self.install()
        self.assertEqual(code, 0, out)
        self.assertIn("Installed %s, for Wireshark %s." % (self.plugin, version_of("tshark")), out)
        self.assertEqual(self.loaded(), [["rdmawire.so", "0.1.0", "dissector", self.plugin]])
        self.assertEqual(self.install("--uninstall"), (0, "Removed %s\n" % self.plugin))
        self.assertEqual(self.loaded(), [])
        self.assertEqual(self.install("--uninstall")[0], 1)

    def test_another_wireshark_than_the_headers_are_for_is_refused(self):
        for name in ("tshark", "wireshark"):
            self.program("path/" + name, "echo 'TShark (Wireshark) 4.6.0.'")
        for options in ((), ("--system",)):
            code, out = self.install(*options)
            self.assertEqual(code, 1)
            self.assertIn("your Wireshark is 4.6, but the headers (libwireshark-dev) are of %s" % version_of_headers(), out)
        self.assertFalse(os.path.exists(self.plugin))

    @unittest.skipIf(os.getuid() != 0, "changes the user")
    def test_the_folder_of_all_users_is_refused_without_the_right_to_write_there(self):
        folder = self.make("all")
        self.program("path/pkg-config", 'case $* in *plugindir*) echo %s/x;; *) exec /usr/bin/pkg-config "$@";; esac' % folder)
        self.program("path/sudo", "echo 'sudo: a password is required' >&2; exit 1")
        code, out = self.install("--system", user=nobody())
        self.assertEqual(code, 1, out)
        self.assertIn("a password is required", out)
        self.assertEqual(os.listdir(folder), [])
        code, out = self.install("--system", "--uninstall", user=nobody())
        self.assertEqual(code, 1, out)
        # And with it.
        self.assertEqual(self.install("--system")[0], 0)
        installed = os.path.join(folder, "x/epan/rdmawire.so")
        self.assertTrue(os.path.exists(installed))
        code, out = self.install("--system", "--uninstall", user=nobody())
        self.assertEqual(code, 1, out)
        self.assertTrue(os.path.exists(installed))
        self.assertEqual(self.install("--system", "--uninstall"), (0, "Removed %s\n" % installed))


def version_of_headers():
    out = subprocess.run(["pkg-config", "--modversion", "wireshark"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return ".".join(out.split(".")[:2])


if __name__ == "__main__":
    unittest.main()
