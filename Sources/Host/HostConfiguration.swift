import Disk
import Model
import ObjectStores
import SystemPackage

/// The configuration of a host.
package struct HostConfiguration: Sendable {
    /// The folder of the tests and receipts; it is made when it is missing.
    package var data: FilePath
    /// A bucket in its place, which any number of hosts share; `data` then names it for people.
    package var bucket: (any ObjectStore)?
    /// The folder of the questionnaires; `nil` for `questionnaires` in the data folder. With a bucket, its files are published
    /// there.
    package var questionnaires: FilePath?
    package var listen: HostAndPort
    /// The token that clients need to fetch questionnaires and send tests; `nil` for none.
    package var token: AccessToken?
    /// The token that clients need to change questionnaires and list all tests.
    package var authorToken: AccessToken?
    /// Whether, without an author's token, everyone who may send tests may also change questionnaires and list tests.
    package var isOpen = false
    /// The parts of receipts that takers see.
    package var release = ReceiptRelease()
    /// The Cache-Control of questionnaires, their list and their media.
    package var cacheControl: String
    /// How many requests a client may make a minute; `nil` for as many as it likes.
    package var requestsPerMinute: Int?

    /// Further names that the host answers to, such as that of a reverse proxy.
    package var names: [String] = []
    /// How many connections it has; `nil` for as many as the process's open files allow.
    package var connections: ConnectionBounds?

    /// A longer file that belongs to a test is refused.
    package var maximumMediaBytes = Attachment.maximumBytes

    package static let standardListen = HostAndPort(host: "127.0.0.1", port: 8484)
    package static let standardCacheControl = "max-age=3600"

    package init(
        data: FilePath, questionnaires: FilePath? = nil, listen: HostAndPort = HostConfiguration.standardListen,
        token: AccessToken? = nil,
        cacheControl: String = HostConfiguration.standardCacheControl
    ) {
        self.data = data
        self.questionnaires = questionnaires
        self.listen = listen
        self.token = token
        self.cacheControl = cacheControl
    }

    /// Whether changes and lists need no author's token. Without any token, those on this machine are trusted.
    var allowsAuthoringWithoutToken: Bool {
        authorToken == nil && (isOpen || (token == nil && listen.isLoopback))
    }

    /// The folder of questionnaires that is used in the end.
    package var questionnaireFolder: FilePath { questionnaires ?? data.pushing(HostLayout.questionnaires) }
}
