"""Run programs that nobody has read: one that a model wrote is hostile until shown otherwise.

    with SandboxPool("auto") as pool:
        results = pool.run_many([Program("print(6 * 7)")])

A fork server inside Linux namespaces, with Landlock, seccomp and resource limits, is both safer
and faster than a new ``python -c`` for each program. See ``tiers`` for what each tier holds and
``rlvr-course sandbox doctor`` for what this machine can do.
"""
