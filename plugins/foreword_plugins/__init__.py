"""The sources that ship with foreword, each registered through an entry point like anybody's."""
