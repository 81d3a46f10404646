"""Reading and comparing JSON answers: strict text, bounded schemas, one rule for each field."""
