import HTTPTypes
import Model

extension Oracle {
    enum Decision: Equatable {
        case use(age: Int)
        /// Served stale, and asked after behind its back.
        case useAndRefresh(age: Int)
        case ask
        case gatewayTimeout
    }

    /// Section 4 for one stored response whose Vary fits, with the directives of section 5.2, RFC 5861 and RFC 8246.
    static func decide(
        request: Lines, stored: Stored, now: Int, shared: Bool, offline: Bool, unlimitedOffline: Bool
    ) -> Decision {
        let age = age(stored, now: now)
        let lifetime = lifetime(stored, shared: shared)
        let fresh = lifetime > age
        let response = stored.fields

        var forbidden = hasUnqualified("no-cache", response)
        if !fresh {
            if has("must-revalidate", response) { forbidden = true }
            if shared, has("proxy-revalidate", response) { forbidden = true }
            if shared, has("s-maxage", response) { forbidden = true }
        }

        if offline {
            if forbidden { return .gatewayTimeout }
            if fresh || unlimitedOffline { return .use(age: age) }
            for window in [
                number("stale-if-error", response), number("stale-while-revalidate", response),
                number("stale-if-error", request),
            ] {
                if let window, age < lifetime + window { return .use(age: age) }
            }
            return permitsStale(request, by: age - lifetime) ? .use(age: age) : .gatewayTimeout
        }

        var wanted = !hasUnqualified("no-cache", request)
        let pragma = values("Pragma", request).joined(separator: ",")
        if values("Cache-Control", request).isEmpty, pragma.contains("no-cache") { wanted = false }
        if let limit = number("max-age", request), age > limit || limit == 0, !(fresh && has("immutable", response)) {
            wanted = false
        }
        if let margin = number("min-fresh", request), age + margin > lifetime { wanted = false }

        if !forbidden, wanted {
            if fresh { return .use(age: age) }
            if let window = number("stale-while-revalidate", response), age < lifetime + window {
                return .useAndRefresh(age: age)
            }
            if permitsStale(request, by: age - lifetime) { return .use(age: age) }
        }
        return has("only-if-cached", request) ? .gatewayTimeout : .ask
    }

    /// Section 5.2.1.2.
    private static func permitsStale(_ request: Lines, by seconds: Int) -> Bool {
        guard let directive = directives(request).first(where: { $0.name == "max-stale" }) else { return false }
        guard let argument = directive.argument else { return true }
        return seconds <= (deltaSeconds(argument) ?? 0)
    }

    /// Section 4.1: the named fields of both requests are the same, after combining lines and trimming list members.
    static func varyMatches(vary: [String], one: Lines, other: Lines) -> Bool {
        for name in vary.flatMap(members) {
            if name == "*" { return false }
            let left = values(name, one)
            let right = values(name, other)
            if left.isEmpty != right.isEmpty { return false }
            if left.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false).map({
                trimmed(String($0))
            })
                != right.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
                .map({ trimmed(String($0)) })
            {
                return false
            }
        }
        return true
    }

    /// RFC 9110 section 14.1.2: the bytes that a Range field names, one by one.
    static func bytes(_ range: String, length: Int) -> Set<Int>? {
        guard range.hasPrefix("bytes=") else { return nil }
        var result: Set<Int> = []
        var any = false
        for member in members(String(range.dropFirst(6))) {
            any = true
            let parts = member.split(separator: "-", omittingEmptySubsequences: false).map { String($0) }
            guard parts.count == 2 else { return nil }
            if parts[0].isEmpty {
                guard let count = Int(parts[1]), count >= 0 else { return nil }
                for place in 0..<length where place >= length - count { result.insert(place) }
            } else {
                guard let first = Int(parts[0]) else { return nil }
                let last = parts[1].isEmpty ? length - 1 : Int(parts[1])
                guard let last, parts[1].isEmpty || last >= first else { return nil }
                for place in 0..<length where place >= first && place <= last { result.insert(place) }
            }
        }
        return any ? result : nil
    }
}
