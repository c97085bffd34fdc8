import Foundation
import Testing

/// Takes the pictures of the desk for the documents: `make pictures`.
@Suite(
    "Pictures of the desk", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["QUIRE_PICTURES"] != nil, "only make pictures takes them"))
struct DeskPicturesTests {
    @Test("each screen in each look", arguments: Look.all)
    func pictures(_ look: Look) throws {
        try DeskTour(look) { try PagePicturesTests.save($1, "desk-\($0)", in: look) }.walk()
    }
}
