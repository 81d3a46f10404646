"""Known tricks are found however they are spelled, and honest code is left alone."""

from __future__ import annotations

import base64
import time
from itertools import product

import pytest
from handed import NAMES, codes, evidence, kinds, solved

from rlvr_course.grading.evidence.tricks import trick_findings
from rlvr_course.grading.handin.seen import SeenCell, seen_cells
from rlvr_course.grading.records import Finding

HOOKS = ("input_transformers_post", "input_transformers_cleanup", "ast_transformers")
SHELLS = {
    "called": "get_ipython()",
    "imported": "__import__('IPython').get_ipython()",
    "instance": "__import__('IPython').core.interactiveshell.InteractiveShell.instance()",
}
SPELLINGS = {
    "plain": "{shell}.{hook}.append(f)",
    "alias": "ip = {shell}\nip.{hook}.append(f)",
    "getattr": "getattr({shell}, '{hook}').append(f)",
    "in parts": "getattr({shell}, '{half}' + '{rest}').append(f)",
    "joined": "getattr({shell}, ''.join(['{half}', '{rest}'])).append(f)",
    "backwards": "getattr({shell}, '{back}'[::-1]).append(f)",
    "vars": "vars({shell})['{half}' '{rest}'].append(f)",
    "exec": "exec(\"{shell}.{half}\" + \"{rest}.append(f)\")",
    "decoded": "import base64\nexec(base64.b64decode('{coded}').decode())",
    "in a function": "def g():\n    {shell}.{hook}.append(f)",
}  # fmt: skip


def found(source: str, *others: str) -> list[Finding]:
    cells = [SeenCell(n, "code", source=s, count=n) for n, s in enumerate((*others, source), 1)]
    return [f for f in trick_findings(cells) if f.cell == len(cells)]


@pytest.mark.parametrize(
    ("shell", "spelling", "hook"),
    list(product(SHELLS.values(), SPELLINGS.values(), HOOKS)),
    ids=["-".join(ids) for ids in product(SHELLS, SPELLINGS, HOOKS)],
)
def test_a_hook_in_the_kernel_is_found(shell: str, spelling: str, hook: str) -> None:
    plain = f"{shell}.{hook}.append(f)".encode()
    source = spelling.format(
        shell=shell,
        hook=hook,
        half=hook[:6],
        rest=hook[6:],
        back=hook[::-1],
        coded=base64.b64encode(plain).decode(),
    )
    assert "kernel_hook" in codes(found(source), "integrity")


PATCHES = {
    "rebound": "check = lambda *a: Passed()",
    "defined anew": "def check(name, solution):\n    return Passed()",
    "imported instead": "from cheat import check",
    "global": "def f():\n    global check\n    check = fake\nf()",
    "in globals": "globals()['che' + 'ck'] = fake",
    "updated globals": "globals().update(check=fake)",
    "on its class": "type(check).__call__ = fake",
    "on its __class__": "check.__class__.__call__ = fake",
    "by setattr": "setattr(check, '_spec', fake)",
    "of the package": "import rlvr_course\nrlvr_course.check = fake",
    "of a module": "import rlvr_course.classroom.check as c\nc.run_check = fake",
    "through sys.modules": "import sys\nsys.modules['rlvr_course.classroom.check'].run_check = f",
    "an alias of sys.modules": "import sys\nm = sys.modules\nm['rlvr_course'].check = fake",
    "through vars": "import sys\nvars(sys.modules['rlvr_course'])['che' + 'ck'] = fake",
    "through importlib": "import importlib as i\ni.import_module('rlvr_course').check = fake",
    "by mock": "from unittest import mock\nmock.patch('rlvr_course.check', fake).start()",
}


@pytest.mark.parametrize("source", PATCHES.values(), ids=PATCHES)
def test_a_patched_check_is_found(source: str) -> None:
    assert "course_patched" in codes(found(source, "from rlvr_course import check"), "integrity")


TRICKS = {
    "builtins": ("builtins_patched", "import builtins as b\nb.all = lambda x: True"),
    "__builtins__": ("builtins_patched", "__builtins__.isinstance = lambda a, b: True"),
    "own print": ("builtins_patched", "def print(*args): pass"),
    "replaced module": ("modules_patched", "import sys\nsys.modules['rlvr_course'] = Fake()"),
    "eq": ("equal_to_everything", "class A:\n    def __eq__(self, other): return True"),
    "eq of a str": ("equal_to_everything", "class A(str):\n    __eq__ = lambda s, o: True"),
    "eq in a function": ("equal_to_everything",
                         "def f():\n    class A:\n        def __eq__(s, *o): return 1"),
    "eq that pretends": ("equal_to_everything",
                         "class A:\n    def __eq__(s, o):\n        o\n        return o == o"),
    "eq by type": ("equal_to_everything", "A = type('A', (), {'__e' + 'q__': f})"),
    "eq set later": ("equal_to_everything", "A.__eq__ = lambda s, o: True"),
    "mock.ANY": ("equal_to_everything", "from unittest.mock import ANY as x\nmine = x"),
    "log opened": ("log_written", "open('artifacts/x/verifier.jsonl', 'ab').write(b'')"),
    "log written": ("log_written", "run.log.path.write_bytes(b'')"),
    "log by folder": ("log_written", "(run.dir / 'verifier' '.jsonl').write_text('')"),
    "log removed": ("log_written", "import os\nos.remove(run.log.path)"),
    "log reopened": ("log_written", "AuditLog(run.log.path)"),
    "check logged": ("log_written", "run.log.append({'event': 'check', 'check': 'q01a'})"),
    "log by shell": ("log_written", "!sed -i s/failed/passed/ artifacts/x/verifier.jsonl"),
    "log moved": ("log_written", "import shutil\nshutil.move('b', run.log.path)"),
    "log replaced": ("log_written", "Path('b').replace(run.log.path)"),
    "log copied over": ("log_written", "import shutil\nshutil.copy('b', run.log.path)"),
    "log by subprocess": ("log_written",
                          "import subprocess as s\ns.run(['rm', '-f', 'verifier.jsonl'])"),
    "log by system": ("log_written", "import os\nos.system('echo >> verifier.jsonl')"),
    "log by bash": ("log_written", "%%bash\nrm artifacts/x/verifier.jsonl"),
    "exit": ("kernel_ended", "import os\nos._exit(0)"),
    "exit imported": ("kernel_ended", "from os import _exit as leave\nleave(0)"),
    "printed": ("fake_check_text", "print('q01c: public checks passed (7 of 7)')"),
    "f-string": ("fake_check_text", "print(f'{q}: public checks passed ({n} of {n})')"),
    "html": ("fake_check_text", "HTML('<b>public ' + 'checks passed</b>')"),
    "repr": ("fake_check_text",
             "class R:\n    def _repr_html_(self): return 'public checks passed'"),
    "backwards": ("fake_check_text", "print('dessap skcehc cilbup'[::-1])"),
    "javascript": ("fake_check_text", "%%javascript\nx.innerHTML = 'public checks passed'"),
    "gc": ("reads_insides", "import gc\ngc.get_objects()"),
    "frames": ("reads_insides", "import sys\nsys._getframe(1).f_locals"),
    "code": ("reads_insides", "last_box.__code__ = other.__code__"),
    "closure": ("reads_insides", "getattr(f, '__clo' + 'sure__')[0]"),
    "ctypes": ("reads_insides", "import ctypes"),
    "specs": ("reads_the_checks", "from rlvr_course.classroom.specs import SPECS"),
    "checks": ("reads_the_checks", "import rlvr_course.classroom.checks_01 as k"),
    "specs by name": ("reads_the_checks",
                      "import importlib as i\ni.import_module('rlvr_course.classroom.specs')"),
    "decoded": ("hidden_code", "import zlib\nexec(zlib.decompress(data))"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "source"), TRICKS.values(), ids=TRICKS)
def test_a_trick_is_found(code: str, source: str) -> None:
    assert code in codes(found(source), "integrity")


HONEST = {
    "equality of fields": "class P:\n    def __eq__(self, other): return self.x == other.x",
    "a name called start": "import time\nstart = time.perf_counter()\nend = start + 1",
    "a local check": "def f(x):\n    check = x > 1\n    return check",
    "novices' names": "list = [1]\nsum = 0\nmax = 3\nid = 'a'\ninput = 'text'",
    "a file of one's own": "(run.dir / 'mine.csv').write_text('a')\nopen('n.txt', 'w').close()",
    "a logged rollout": "rollout([p], run.policy, verify, reward, on_sample=run.log.append)",
    "the log verified": "print(verify_audit(run.log.path, anchor=run.log.anchor).ok)",
    "the log read": "rows = open(run.log.path).read()\nopen(run.log.path, 'rb')",
    "the log's path shown": "print(str(run.log.path).replace('artifacts', '…'))",
    "a copy of the log": "import shutil\nshutil.copy(run.log.path, 'mine.jsonl')",
    "the log hashed": "import subprocess\nsubprocess.run(['sha256sum', run.log.path])",
    "attributes by name": "for n in ('a', 'b'):\n    print(getattr(run, n, None))",
    "a table of its own": "from IPython.display import HTML\nHTML('<table><tr><td>1')",
    "a plot": "import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 8\nax = plt.gca()",
    "a hint": "check.hint('q01c', 2)",
    "the check again": "result = check('q01c', last_box)\nresult",
    "text about a trick": "note = 'get_ipython().input_transformers_post is a trick'",
    "a hostile program as data": "p = 'class S:\\n def __eq__(self, o): return True'",
    "a decorator": "import functools\n@functools.lru_cache\ndef f(x): return x",
}


@pytest.mark.parametrize("source", HONEST.values(), ids=HONEST)
def test_honest_code_is_left_alone(source: str) -> None:
    assert found(source, "from rlvr_course import check, rollout, start, verify_audit") == []


MENTIONED = {
    "eval": ("runs_text", "value = eval(text)"),
    "the log read in a shell": ("shell_line", "!sed -n 1p verifier.jsonl 2>/dev/null | sha256sum"),
    "pip": ("shell_line", "!pip install numpy"),
    "run": ("shell_line", "%run other.py"),
    "javascript": ("shell_line", "%%javascript\nalert(1)"),
    "the shell": ("kernel_access", "get_ipython().run_line_magic('matplotlib', 'inline')"),
}


@pytest.mark.parametrize(("code", "source"), MENTIONED.values(), ids=MENTIONED)
def test_what_may_be_honest_is_a_note(code: str, source: str) -> None:
    assert codes(found(source)) == {code} and kinds(found(source)) == {"note"}


CHEAT = "get_ipython().ast_transformers.append(f)"
UNSEEN = {
    "a runner's tag": SeenCell(1, "code", source=CHEAT, tags=frozenset({"injected-parameters"})),
    "a runner's tag, with values": SeenCell(
        1, "code", source=f"n = 5\nm = {CHEAT}", tags=frozenset({"injected-parameters"})
    ),
    "never run": SeenCell(1, "code", source=CHEAT),
    "after much text": seen_cells(
        {"cells": [{"cell_type": "markdown", "source": "a" * 199_999}] * 6
         + [{"cell_type": "code", "source": CHEAT}]}
    )[-1],
}  # fmt: skip


@pytest.mark.parametrize("cell", UNSEEN.values(), ids=UNSEEN)
def test_no_cell_that_is_graded_hides_from_the_search(cell: SeenCell) -> None:
    assert "kernel_hook" in codes(trick_findings([cell]), "integrity")


@pytest.mark.parametrize("name", NAMES)
def test_the_course_itself_plays_no_tricks(name: str) -> None:
    assert "integrity" not in kinds(evidence(solved(name), name))


LONG = {
    "chain of calls": "p" + ".replace('verifier', 'a')" * 900,
    "long sum": " + ".join(["'verifier.'"] * 900),
    "many calls": "open('verifier', 'r')\n" * 9000,
    "many classes": "class A:\n    def __eq__(self, o): return self.a == o.a\n" * 2000,
    "long list": f"x = {[str(n) for n in range(15000)]!r}",
}


@pytest.mark.parametrize("source", LONG.values(), ids=LONG)
def test_a_long_cell_takes_seconds_at_most(source: str) -> None:
    began = time.process_time()
    found(source)
    assert time.process_time() - began < 10.0
