"""Files: the one reader through which every source of a build reads."""
