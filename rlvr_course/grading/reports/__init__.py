"""What a person reads: pages for a learner and for a class, the queue, tables."""
