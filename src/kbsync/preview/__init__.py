"""The live local site: server, watcher, reload. Its pages come from `site`."""
