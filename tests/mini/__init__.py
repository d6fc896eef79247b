"""What must never need code? A second article: another ladder, other units, a figure of its own, two cards."""
