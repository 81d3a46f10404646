"""What each exercise earns: definitions taken out, asked in the sandbox, judged in this process."""
