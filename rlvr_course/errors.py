"""Every error that the package raises on purpose, drawn as a tree.

    RlvrError
    +-- NotRecorded          a replay was asked for a request that is not in the recording
    +-- PolicyUnavailable    a policy can't answer: no key, wrong key, dead endpoint
    +-- DataError            a data file is missing, cut, altered or not what it says
    +-- AuditError           an audit log can't be written or read
    |   +-- AuditTampered    its hash chain or anchor does not hold
    +-- TrainingError        a training run can't be started, continued or written
    |   +-- TrainingUnavailable   the packages that it needs are not installed
    +-- SandboxUnavailable   no sandbox of the kind asked for can be had on this machine
    +-- Ungraded             a completion is masked, at a door that knows no mask
    +-- NotebookError        a notebook is malformed, missing or failed

A caller's mistake (a value out of range, an unknown option) is a plain ``ValueError``.
Each message names the value and the way on; the command line prints it as one line and exits 1.
"""

from __future__ import annotations


class RlvrError(Exception):
    """Base of the package's own errors."""


class NotRecorded(RlvrError):
    """A replay was asked for a request that is not in the recording."""


class PolicyUnavailable(RlvrError):
    """A policy can't answer: no key, wrong key, dead endpoint."""


class DataError(RlvrError):
    """A data file is missing, cut, altered or not what it says."""


class AuditError(RlvrError):
    """An audit log can't be written or read."""


class AuditTampered(AuditError):
    """An audit log's hash chain or anchor does not hold."""


class TrainingError(RlvrError):
    """A training run can't be started, continued or written."""


class TrainingUnavailable(TrainingError):
    """The packages that training needs are not installed."""


class SandboxUnavailable(RlvrError):
    """No sandbox of the kind asked for can be had on this machine."""


class Ungraded(RlvrError):
    """A completion that no grader could judge is masked, at a door that knows no mask."""


class NotebookError(RlvrError):
    """A notebook is malformed, missing or failed."""
