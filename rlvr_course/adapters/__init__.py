"""One reward, every trainer's door.

A ``VerifiedReward`` is a verifier with its prices. Each module here carries it through one door
and adds nothing to it, so that the same completion earns the same wherever it is trained:

| door | module | an ungraded completion |
|---|---|---|
| TRL: GRPO, RLOO | ``trl_reward`` | None: masked |
| veRL: ``compute_score`` | ``verl_score`` | the floor, with ``ungraded`` 1.0 beside it |
| OpenRLHF: reward server | ``openrlhf_server``, ``serving`` | the same |
| ``verifiers.v1``: taskset | ``verifiers_v1`` | raises: the trace is an error, not a zero |
| Inspect: task and scorer | ``inspect_task`` | ``Score.unscored()`` |

The modules are named so that none shadows the package that it speaks to, even when a trainer puts
this folder on its path.
"""

from rlvr_course.adapters.scored import Scored, VerifiedReward

__all__ = ["Scored", "VerifiedReward"]
