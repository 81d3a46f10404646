"""CodeVerifier: does a program do what its tests ask, as seen from outside the program?

    fences.py      the program in a model's reply
    syntax.py      reading Python without running it
    cases.py       tests: what goes in, what is expected, which of them are hidden
    outputs.py     printed text against expected text
    values.py      returned values against expected values
    inside.py      the end of a function test that runs in the sandbox
    calls.py       the end that stays outside
    report.py      what each test showed
    scoring.py     tests to sandboxed runs, runs to a report
    soundness.py   whether tests agree with their own reference solution
    code.py        CodeVerifier itself
    suite_hacks.py programs written for the tests and not for the task, with literals.py,
                   hardcoded.py and tampering.py; planted.py scores the detectors
    partial_credit.py  what a constant earns, and tests weighed by their answers
    candidates.py  the attack suite's programs
    ray_engine.py  the same batch on a Ray cluster

Nothing here runs a program in this process. Programs run in ``rlvr_course.sandbox``; expected
values never go in, and what comes out is compared here.
"""
