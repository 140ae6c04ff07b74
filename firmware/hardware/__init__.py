"""What is soldered, sawn and bought: the builder's book, its data and the programs that draw it."""
