"""Recipe2Plan (Wu et al., 2025): two recipes, one cook, time constraints between steps."""
