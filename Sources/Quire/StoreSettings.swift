import HTTPCaching
import Model

/// What `store.json` holds.
public struct StoreSettings: Sendable, Hashable, Codable {
    /// The version of the store's format that this program reads and writes.
    public static let currentFormat = 1

    public var format: Int
    /// The URL of the remote; a store without one works on what it has.
    public var remote: String?
    /// Names this device in its tests.
    public var deviceId: String
    public var quotaBytes: Int64?
    /// Content that was neither fetched nor used for so long is purged by a pull.
    public var ttlSeconds: Double?
    /// Rules that take the place of the server's Cache-Control.
    public var cacheControl: [CacheControlOverride]
    /// A file, readable by its owner alone, whose first line is the remote's bearer token.
    public var tokenFile: String?

    public init(remote: String?, deviceId: String, quotaBytes: Int64? = nil) {
        format = Self.currentFormat
        self.remote = remote
        self.deviceId = deviceId
        self.quotaBytes = quotaBytes
        cacheControl = []
    }

    private enum Key: String, CodingKey {
        case format, remote, deviceId, quotaBytes, ttlSeconds, cacheControl, tokenFile
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        format = try container.decode(Int.self, forKey: .format)
        remote = try container.decodeIfPresent(String.self, forKey: .remote)
        deviceId = try container.decode(String.self, forKey: .deviceId)
        quotaBytes = try container.decodeIfPresent(SizeSetting.self, forKey: .quotaBytes)?.bytes
        ttlSeconds = try container.decodeIfPresent(Double.self, forKey: .ttlSeconds)
        cacheControl = try container.decodeIfPresent([CacheControlOverride].self, forKey: .cacheControl) ?? []
        tokenFile = try container.decodeIfPresent(String.self, forKey: .tokenFile)
    }

    /// A number of bytes, or a text such as “200MB” for those who edit the file.
    private struct SizeSetting: Decodable {
        var bytes: Int64

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self), number >= 0 {
                bytes = number
                return
            }
            guard let size = ByteCount.parse(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is not a size such as 200000000 or \"200MB\"")
            }
            bytes = size
        }
    }
}
