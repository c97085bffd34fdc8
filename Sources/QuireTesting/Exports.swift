// `import QuireTesting` gives the files, the clock and the remote in memory, too.
@_exported import InMemory
