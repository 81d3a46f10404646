"""Problems: the recorded data and how files of problems and rollouts are read."""
