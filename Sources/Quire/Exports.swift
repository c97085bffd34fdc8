// `import Quire` exports everything that its calls accept, return and throw: the public declarations of the modules
// below it, and the types of other packages that those use. Everything else is `package`; docs/api.txt lists the public
// API.
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
