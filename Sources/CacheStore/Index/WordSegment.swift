import Disk
import Model
import TextSearch

/// The words of some documents, and the documents of each word: a part of the index of texts, `WordSegment` in
/// catalog.proto.
///
/// A search looks for words within words, so it needs each word only once: that takes less than a third of the texts.
/// The message is written and read in place here: for ten thousand documents it has some ten megabytes.
struct WordSegment {
    /// More documents start another segment.
    static let mostDocuments = 256
    /// Documents with this many bytes of words get a segment of their own.
    private static let plentyBytes = 4 << 20

    private static let space = UInt8(ascii: " ")

    // MARK: Making one

    struct Builder {
        private var digests: [Digest] = []
        /// The indexes of the documents that have a word, in order.
        private var places: [String: [UInt32]] = [:]
        private var wordBytes = 0

        var isEmpty: Bool { digests.isEmpty }
        var isFull: Bool { digests.count >= WordSegment.mostDocuments || wordBytes >= WordSegment.plentyBytes }

        /// - Parameter text: folded: words, separated by single spaces.
        mutating func add(_ digest: Digest, _ text: String) {
            add(digest, words: text.utf8.split(separator: WordSegment.space).lazy.map { String(Substring($0)) })
        }

        mutating func add(_ digest: Digest, words: some Sequence<String>) {
            let place = UInt32(digests.count)
            digests.append(digest)
            for word in words where !word.isEmpty {
                if places[word]?.last == place { continue }
                if places[word] == nil { wordBytes += word.utf8.count + 1 }
                places[word, default: []].append(place)
            }
        }

        /// The segment as a message of field 1.
        func encoded() -> [UInt8] {
            let words = places.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            var names: [UInt8] = []
            names.reserveCapacity(wordBytes)
            var postings: [UInt8] = []
            for (word, places) in words {
                names += word.utf8
                names.append(WordSegment.space)
                FieldWriter.append(UInt64(places.count), to: &postings)
                var former: UInt32 = 0
                for place in places {
                    FieldWriter.append(UInt64(place - former), to: &postings)
                    former = place
                }
            }
            var message = FieldWriter()
            message.add(1, digests.flatMap(\.bytes))
            message.add(2, names)
            message.add(3, postings)
            return FieldWriter.framed(message.bytes)
        }
    }

    // MARK: Reading one

    let digests: [Digest]
    private let names: UnsafeRawBufferPointer
    private let postings: UnsafeRawBufferPointer

    /// - Parameter message: must stay valid as long as this value is used.
    init(_ message: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var (names, postings, digests) = (nothing, nothing, nothing)
        var reader = FieldReader(message)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: digests = try value.bytes()
            case 2: names = try value.bytes()
            case 3: postings = try value.bytes()
            default: break
            }
        }
        guard digests.count % 32 == 0 else { throw FieldReader.Fault() }
        var found: [Digest] = []
        found.reserveCapacity(digests.count / 32)
        for start in stride(from: 0, to: digests.count, by: 32) {
            guard let digest = Digest(bytes: UnsafeRawBufferPointer(rebasing: digests[start..<(start + 32)])) else {
                throw FieldReader.Fault()
            }
            found.append(digest)
        }
        (self.digests, self.names, self.postings) = (found, names, postings)
    }

    /// Delivers each word with the indexes of its documents, if `isWanted` returns true.
    func eachWord(
        _ isWanted: (UnsafeRawBufferPointer) -> Bool, _ body: (UnsafeRawBufferPointer, [Int]) -> Void
    ) throws(FieldReader.Fault) {
        var numbers = FieldReader.Numbers(postings)
        var start = 0
        while start < names.count {
            guard let length = names[start...].firstIndex(of: Self.space).map({ $0 - start }) else {
                throw FieldReader.Fault()
            }
            let word = UnsafeRawBufferPointer(rebasing: names[start..<(start + length)])
            start += length + 1
            let count = try numbers.next()
            guard count <= UInt64(digests.count) else { throw FieldReader.Fault() }
            guard isWanted(word) else {
                for _ in 0..<count { _ = try numbers.next() }
                continue
            }
            var places: [Int] = []
            places.reserveCapacity(Int(count))
            var place: UInt64 = 0
            for _ in 0..<count {
                let (next, isBeyond) = place.addingReportingOverflow(try numbers.next())
                guard !isBeyond, next < UInt64(digests.count) else { throw FieldReader.Fault() }
                place = next
                places.append(Int(place))
            }
            body(word, places)
        }
        guard numbers.isAtEnd else { throw FieldReader.Fault() }
    }

    /// Which words of a search each document has; one without any is omitted.
    ///
    /// - Parameter languages: those of a document.
    func documents(
        having search: WordSearch, languages: (Digest) -> WordSearch.Languages
    ) throws(FieldReader.Fault) -> [Digest: [Bool]] {
        var has = [[Bool]](repeating: [], count: digests.count)
        func note(_ index: Int, in place: Int) {
            if has[place].isEmpty { has[place] = [Bool](repeating: false, count: search.words.count) }
            has[place][index] = true
        }
        let languages = digests.map(languages)
        let present = languages.reduce(WordSearch.Languages()) { $0.union($1) }
        var matching: [Int] = []
        /// Other forms of a word count in the documents of these languages.
        var forms: [(index: Int, languages: WordSearch.Languages)] = []
        try eachWord { word in
            matching.removeAll(keepingCapacity: true)
            forms.removeAll(keepingCapacity: true)
            for index in search.words.indices {
                if TextFolding.contains(word, search.words[index]) {
                    matching.append(index)
                } else {
                    let found = search.languages(present, havingFormOf: index, word)
                    if !found.isEmpty { forms.append((index, found)) }
                }
            }
            return !matching.isEmpty || !forms.isEmpty
        } _: { _, places in
            for place in places {
                for index in matching { note(index, in: place) }
                for form in forms where !form.languages.isDisjoint(with: languages[place]) {
                    note(form.index, in: place)
                }
            }
        }
        var found: [Digest: [Bool]] = [:]
        for (digest, has) in zip(digests, has) where !has.isEmpty { found[digest] = has }
        return found
    }

    /// The words of each document, sorted by their bytes.
    func wordsOfDocuments() throws(FieldReader.Fault) -> [(digest: Digest, words: [String])] {
        var words = [[String]](repeating: [], count: digests.count)
        try eachWord { _ in
            true
        } _: { word, places in
            let text = String(decoding: word, as: UTF8.self)
            for place in places { words[place].append(text) }
        }
        return zip(digests, words).map { ($0, $1) }
    }

    /// The distinct words of a folded text, sorted by their bytes, as a segment has them.
    static func distinctWords(_ text: String) -> String {
        Set(text.split(separator: " ").map { String($0) }).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .joined(separator: " ")
    }
}
