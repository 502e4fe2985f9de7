"""Families of chores, each proven once and kept as a skill: is the next one nearly free, and never wrong?"""
