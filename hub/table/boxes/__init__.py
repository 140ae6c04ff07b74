"""The seat boxes: captions, controls, displays, and the sealed choices that they lock."""
