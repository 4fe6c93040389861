"""The configuration: foreword.toml, the environment and arguments, as typed settings."""
