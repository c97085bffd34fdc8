import Model
import WireFormat

/// The sender of a request, as far as its key identifies it.
struct Caller: Hashable, Sendable {
    var role: AccessRole
    /// Whether it showed a right key or token.
    var isOfKey = false
    /// The id of the key that it showed.
    var key: String?
    /// Whether its key is a short code of a person.
    var isGuessable = false
    /// The person that its key belongs to.
    var person: String?
    var expires: Timestamp?
    /// The owner of its favourites.
    var favorites = FavoriteArchive.everybody

    /// For whose tests alone it may ask; `nil` for a caller that may ask for each test whose UUID it knows.
    var boundPerson: String? { role < .teacher ? person : nil }
}
