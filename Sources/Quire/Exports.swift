// Whoever imports Quire can name the nouns and the paths that its calls take and give.
@_exported import Model

@_exported import struct SystemPackage.FilePath
