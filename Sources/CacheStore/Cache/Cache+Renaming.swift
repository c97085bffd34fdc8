import Disk
import Model

/// Renames entries whose URLs were written by earlier programs.
extension Cache {
    /// Renames entries whose URLs are not in their normal form (`NormalURL`) to the names that lookups use. Their
    /// content stays unchanged; if both exist, the newer one stays.
    ///
    /// - Returns: whether something was renamed.
    package func normaliseURLs(of records: [CatalogRecord]) throws -> Bool {
        var isChanged = false
        for record in records {
            let url = NormalURL.normalised(record.url)
            let hasFormerMedia = record.document?.media.contains { NormalURL.normalised($0) != $0 } ?? false
            guard url != record.url || hasFormerMedia else { continue }
            if try rename(record.url, to: url) { isChanged = true }
        }
        return isChanged
    }

    /// - Returns: false for passing content: the paths of other servers keep their spelling.
    private func rename(_ former: String, to url: String) throws -> Bool {
        try space.withSpace { used in
            guard var entry = try entry(url: former).value, entry.isPulled || entry.document != nil else {
                return false
            }
            if let media = entry.document?.media { entry.document?.media = media.map { NormalURL.normalised($0) } }
            if former != url, let present = try self.entry(url: url).value, !entry.isNewer(than: present) {
                try files.removeEntry(url: former, used: &used)
                return true
            }
            entry.url = url
            let bytes = try DocumentCoding.encode(entry)
            let needed = files.roomForEntry(bytes)
            if let quotaBytes, used + needed > quotaBytes {
                used = try space.recount()
                // It is fetched again under its new name.
                if used + needed > quotaBytes { return false }
            }
            try index.book(used + needed)
            let path = CacheLayout.entryPath(url: url)
            let before = try fileSystem.status(at: CacheLayout.entryPath(url: former))
            // An edit made here exists nowhere else.
            try files.replaceEntry(at: path, bytes, used: &used, isDurable: entry.edited != nil)
            if let before { try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds) }
            if former != url { try files.removeEntry(url: former, used: &used) }
            return true
        }
    }
}

extension CacheEntry {
    fileprivate func isNewer(than other: CacheEntry) -> Bool {
        if edited != nil || other.edited != nil { return other.edited == nil }
        return response.responseTime > other.response.responseTime
    }
}
