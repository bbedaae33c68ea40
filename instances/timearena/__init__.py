"""TimeArena (Zhang et al., 2024): one decision a minute, actions that run on by themselves, occupied objects."""
