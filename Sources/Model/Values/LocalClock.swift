/// The clock on the wall of the person who reads: texts for people have its times while it is set.
package struct LocalClock: Sendable {
    /// Set around the commands of one person at a terminal; a server's texts are for people in other zones.
    @TaskLocal package static var current: LocalClock?

    /// Its seconds before UTC at a moment; `nil` where it shows UTC itself.
    let offsetSeconds: @Sendable (Timestamp) -> Int?

    package init(offsetSeconds: @escaping @Sendable (Timestamp) -> Int?) { self.offsetSeconds = offsetSeconds }
}
