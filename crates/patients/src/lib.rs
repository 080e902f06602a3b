//! Linked tables: from a folder and a recipe to a release in which persons are protected over all tables.
