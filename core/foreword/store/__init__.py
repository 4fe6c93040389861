"""Durable writing below one directory: files replaced whole, under a lock."""
