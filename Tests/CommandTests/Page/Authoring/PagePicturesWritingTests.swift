import Foundation
import Testing

/// Takes the pictures of the page's screens for authors: `make pictures`.
@Suite(
    "Pictures of the page for authors", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct PagePicturesWritingTests {
    @Test("each screen in each look", arguments: Look.all)
    func pictures(_ look: Look) throws {
        try WritingTour(look) { try PagePicturesTests.save($1, "write-\($0)", in: look) }.walk()
    }
}
