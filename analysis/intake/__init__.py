"""Readers of submissions: files and folders of many formats."""
