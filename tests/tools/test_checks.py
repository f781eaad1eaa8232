"""The checks of this folder find what they are there for, and nothing else."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import check_coverage
import check_style


def rules(path: str, text: str) -> list[str]:
    """The rules that a file of this content breaks."""
    return [rule for _, rule in check_style.faults(path, text)]


class Style(unittest.TestCase):
    """check_style.py."""

    def test_clean_files_pass(self) -> None:
        self.assertEqual(rules("core/src/a.rs", "//! A.\n\nfn f() -> u8 {\n    1\n}\n"), [])
        self.assertEqual(rules("tests/a.py", '"""A."""\n'), [])
        self.assertEqual(
            rules("README.md", "See /workspace, https://login.example/root/x and ./work/x.\n"), []
        )

    def test_long_files_are_found_but_not_data(self) -> None:
        long = "x\n" * 801
        self.assertEqual(rules("docs/a.md", long), ["over 800 lines: split it"])
        self.assertEqual(rules("docs/a.md", "x\n" * 800), [])
        self.assertEqual(rules("tests/vectors/a.json", long), [])

    def test_unfinished_work_is_found(self) -> None:
        for text in [
            "// FIX" + "ME later",
            "    to" + "do!()",
            "unimpl" + 'emented!("x")',
            "# TO" + "DO: x",
        ]:
            self.assertEqual(rules("a.md", text), ["unfinished work"], text)

    def test_hosts_and_machine_paths_are_found_everywhere_but_in_cargo_lock(self) -> None:
        host = "https://registry.npm" + "js.org/x"
        self.assertEqual(rules("package-lock.json", host), ["the host of a package registry"])
        self.assertEqual(rules("Cargo.lock", host), [])
        self.assertEqual(rules("a.md", "see /ro" + "ot/x"), ["a path of one machine"])

    def test_the_outer_layers_may_not_panic(self) -> None:
        rule = "the outer layers never unwrap, expect or panic"
        for call in ["x.unwrap()", 'x.expect("y")', 'panic!("y")', "unreachable!()", "assert!(x)"]:
            self.assertEqual(rules("ffi/src/a.rs", f"//! A.\nlet y = {call};\n"), [rule], call)
            self.assertEqual(rules("core/src/a.rs", f"//! A.\nlet y = {call};\n"), [], call)
        self.assertEqual(
            rules("ffi/src/a.rs", "//! A.\nlet y = x.unwrap_or(1);\n// x.unwrap()\n"), []
        )
        self.assertEqual(
            rules("ffi/src/a.rs", "//! A.\n#[cfg(test)]\nmod tests { x.unwrap() }\n"), []
        )
        reasoned = (
            '//! A.\n#[expect(clippy::panic, reason = "a test")]\nfn f() {\n    panic!()\n}\n'
        )
        self.assertEqual(rules("ffi/src/a.rs", reasoned), [])

    def test_unsafe_code_lives_in_ffi(self) -> None:
        text = "//! A.\nunsafe { f() }\n"
        self.assertEqual(rules("ffi/src/a.rs", text), [])
        self.assertEqual(rules("bindings-node/src/a.rs", text), ["unsafe code lives in ffi only"])
        self.assertIn("the core forbids unsafe code", rules("core/src/lib.rs", "//! A.\n"))

    def test_modules_say_what_they_are_for(self) -> None:
        self.assertEqual(len(rules("core/src/a.rs", "fn f() {}\n")), 1)
        self.assertEqual(len(rules("tests/a.py", "import x\n")), 1)
        self.assertEqual(len(rules("scripts/a.sh", "#!/bin/bash\nset -e\n")), 1)


class Coverage(unittest.TestCase):
    """check_coverage.py."""

    HEAD = "| rule | tests |\n|---|---|\n"

    def check(self, rows: str) -> tuple[int, list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "a.rs").write_text("fn in_rust() {}\n")
            (root / "a.py").write_text("def in_python() -> None: ...\n")
            (root / "a.mjs").write_text("test('in JavaScript', () => {});\n")
            (root / "a.c").write_text("static void in_c(void) {}\n")
            (root / "a.json").write_text(json.dumps({"cases": [{"name": "in a vector"}]}))
            return check_coverage.check(self.HEAD + rows, root)

    def test_named_tests_are_found_in_every_language(self) -> None:
        named = [
            "a.rs::in_rust",
            "a.py::in_python",
            "a.mjs::in JavaScript",
            "a.c::in_c",
            "a.json::in a vector",
        ]
        row = ", ".join(f"`{reference}`" for reference in named)
        self.assertEqual(self.check(f"| r | {row} |\n"), (1, []))

    def test_what_does_not_exist_is_reported(self) -> None:
        for reference in [
            "b.rs::x",
            "a.rs::x",
            "a.py::in_rust",
            "a.mjs::x",
            "a.c::x",
            "a.json::cases",
        ]:
            self.assertEqual(len(self.check(f"| r | `{reference}` |\n")[1]), 1, reference)

    def test_a_rule_without_a_test_needs_a_reason(self) -> None:
        self.assertEqual(self.check("| r | not ours: the transport's |\n"), (1, []))
        self.assertEqual(len(self.check("| r | not ours: |\n")[1]), 1)
        self.assertEqual(len(self.check("| r |  |\n")[1]), 1)

    def test_an_empty_page_fails(self) -> None:
        self.assertEqual(self.check(""), (0, ["the page has no rule"]))


if __name__ == "__main__":
    unittest.main()
