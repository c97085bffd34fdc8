import HTTPCaching
import Model
import Sync

/// The content of `store.json`.
public struct StoreSettings: Sendable, Hashable, Codable {
    /// The version of the store's format that this program reads and writes.
    package static let currentFormat = 1

    package var format: Int
    /// The URL of the remote; a store without one works on its local content.
    public var remote: String?
    /// Names this device in its tests.
    public var deviceId: String
    public var quotaBytes: Int64?
    /// Content that was neither fetched nor used for this long is purged by a pull.
    public var ttlSeconds: Double?
    /// Rules that take the place of the server's Cache-Control.
    public var cacheControl: [CacheControlOverride]
    /// A file, readable by its owner alone, whose first line is the remote's bearer token.
    package var tokenFile: String?
    /// A file of certificates (PEM) that an https remote is trusted by, beside those that the machine knows.
    package var caFile: String?
    /// The HTTP proxy on the way to a server; `none` for no proxy, whatever the environment names.
    package var proxy: String?
    /// How often a program that watches syncs by itself while something waits, in seconds; 20 minutes when `nil`.
    package var syncEverySeconds: Double?
    /// Like `22:00-07:00`, by the machine's time zone: no program syncs by itself then.
    package var quietHours: QuietHours?
    /// Names of network interfaces that cost, like `wwan*`: no program syncs by itself over them.
    package var meteredInterfaces: [String]?
    /// Whether a watching program reports deliveries on the desktop.
    package var notifications: Bool?
    /// How to settle a change whose base is no longer the server's version; absent: the person is asked.
    public var conflicts: ConflictPolicy?
    /// The identity of the snapshot that the store is being made from; absent once that is complete.
    package var restoring: String?
    /// Whether the store was made by a program that knows people, or its person has read what that changes.
    package var knowsPeople: Bool
    /// Members that a newer program or a person added.
    package var otherFields: [String: JSONValue]

    public init(remote: String?, deviceId: String, quotaBytes: Int64? = nil) {
        format = Self.currentFormat
        self.remote = remote
        self.deviceId = deviceId
        self.quotaBytes = quotaBytes
        cacheControl = []
        knowsPeople = true
        otherFields = [:]
    }

    private enum Key: String, CodingKey, CaseIterable {
        case format, remote, deviceId, quotaBytes, ttlSeconds, cacheControl, tokenFile, caFile, proxy
        case syncEverySeconds, quietHours, meteredInterfaces, notifications, conflicts, restoring, people
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        format = try container.decode(Int.self, forKey: .format)
        remote = try container.decodeIfPresent(String.self, forKey: .remote)
        deviceId = try container.decode(String.self, forKey: .deviceId)
        quotaBytes = try container.decodeIfPresent(SizeSetting.self, forKey: .quotaBytes)?.bytes
        ttlSeconds = try container.decodeIfPresent(TimeSetting.self, forKey: .ttlSeconds)?.seconds
        cacheControl = try container.decodeIfPresent([CacheControlOverride].self, forKey: .cacheControl) ?? []
        tokenFile = try container.decodeIfPresent(PathSetting.self, forKey: .tokenFile)?.path
        caFile = try container.decodeIfPresent(PathSetting.self, forKey: .caFile)?.path
        proxy = try container.decodeIfPresent(String.self, forKey: .proxy)
        syncEverySeconds = try container.decodeIfPresent(TimeSetting.self, forKey: .syncEverySeconds)?.seconds
        quietHours = try container.decodeIfPresent(QuietHours.self, forKey: .quietHours)
        meteredInterfaces = try container.decodeIfPresent([String].self, forKey: .meteredInterfaces)
        notifications = try container.decodeIfPresent(Bool.self, forKey: .notifications)
        conflicts = try container.decodeIfPresent(ConflictPolicy.self, forKey: .conflicts)
        restoring = try container.decodeIfPresent(String.self, forKey: .restoring)
        knowsPeople = try container.decodeIfPresent(Bool.self, forKey: .people) ?? false
        otherFields = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    public func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherFields, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(format, forKey: .format)
        try container.encodeIfPresent(remote, forKey: .remote)
        try container.encode(deviceId, forKey: .deviceId)
        try container.encodeIfPresent(quotaBytes, forKey: .quotaBytes)
        try container.encodeIfPresent(ttlSeconds, forKey: .ttlSeconds)
        try container.encode(cacheControl, forKey: .cacheControl)
        try container.encodeIfPresent(tokenFile, forKey: .tokenFile)
        try container.encodeIfPresent(caFile, forKey: .caFile)
        try container.encodeIfPresent(proxy, forKey: .proxy)
        try container.encodeIfPresent(syncEverySeconds, forKey: .syncEverySeconds)
        try container.encodeIfPresent(quietHours, forKey: .quietHours)
        try container.encodeIfPresent(meteredInterfaces, forKey: .meteredInterfaces)
        try container.encodeIfPresent(notifications, forKey: .notifications)
        try container.encodeIfPresent(conflicts, forKey: .conflicts)
        try container.encodeIfPresent(restoring, forKey: .restoring)
        if knowsPeople { try container.encode(true, forKey: .people) }
    }

    /// A path that can be one: those that are longer than any are not taken apart.
    private struct PathSetting: Decodable {
        var path: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            path = try container.decode(String.self)
            guard path.utf8.count < Self.maximumBytes else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is longer than a path can be (\(Self.maximumBytes - 1) bytes)")
            }
        }

        /// Linux' PATH_MAX, which counts the byte at the end.
        private static let maximumBytes = 4096
    }

    /// A number of seconds, or a text such as “7d” for people who edit the file.
    private struct TimeSetting: Decodable {
        var seconds: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self), number >= 0 {
                seconds = number
                return
            }
            guard let span = (try? container.decode(String.self)).flatMap(TimeSpan.parse) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is not a time such as 604800 or \"7d\"")
            }
            seconds = span
        }
    }

    /// A number of bytes, or a text such as “200MB” for people who edit the file.
    private struct SizeSetting: Decodable {
        var bytes: Int64

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self), number >= 0 {
                bytes = number
                return
            }
            guard let size = (try? container.decode(String.self)).flatMap(ByteCount.parse) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is not a size such as 200000000 or \"200MB\"")
            }
            bytes = size
        }
    }
}
