"""The smallest change of a schedule that makes it valid, and the best schedule that keeps an order."""
