// Whoever imports Quire can name whatever its calls take, give and throw, and use all of it: the rooms below it as a whole,
// of other packages what those speak of. (With a type that is exported here by itself, its members come along.)
@_exported import CacheStore
@_exported import Disk
@_exported import HTTPCaching
@_exported import Model
@_exported import OutboxStore
@_exported import Sync

@_exported import struct HTTPTypes.HTTPField
@_exported import struct HTTPTypes.HTTPFields
@_exported import struct HTTPTypes.HTTPRequest
@_exported import struct HTTPTypes.HTTPResponse
@_exported import struct SystemPackage.Errno
@_exported import struct SystemPackage.FilePath
@_exported import struct SystemPackage.FilePermissions
