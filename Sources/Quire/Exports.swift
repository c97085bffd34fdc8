// Whoever imports Quire can name the nouns and the paths that its calls take and give.
@_exported import Model

@_exported import struct HTTPCaching.CachePolicy
@_exported import struct Sync.HTTPBody
@_exported import class Sync.HTTPCache
@_exported import struct Sync.HTTPReply
@_exported import struct Sync.RemoteFailure
@_exported import struct SystemPackage.FilePath
