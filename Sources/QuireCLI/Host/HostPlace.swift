import Disk
import FoundationEssentials
import Host
import Model
import ObjectStores
import S3

/// Where a command's files are: a folder, or a bucket at an address such as `s3://bucket/prefix`.
enum HostPlace {
    /// - Returns: `nil` for a folder.
    static func address(_ place: String) throws -> (S3Bucket, S3Settings)? {
        guard S3Bucket.isAddress(place) else { return nil }
        let settings = try S3Settings(ProcessInfo.processInfo.environment)
        let bucket =
            place.lowercased().hasPrefix("s3://")
            ? try S3Bucket(short: place, endpoint: settings.endpoint, region: settings.region, style: settings.style)
            : try S3Bucket(place, style: settings.style)
        return (bucket, settings)
    }

    /// - Returns: `nil` for a folder.
    static func store(_ place: String) throws -> S3ObjectStore? {
        try address(place).map { S3ObjectStore($0, $1, clock: SystemClock()) }
    }
}
