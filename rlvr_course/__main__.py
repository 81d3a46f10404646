"""``python -m rlvr_course`` is the command ``rlvr-course``."""

from rlvr_course.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
