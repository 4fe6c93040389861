"""The scanner: what in a text a person cannot see, or sees as something else."""
