"""The way in: files and folders of every form that people have, as submissions; one idea a module."""
