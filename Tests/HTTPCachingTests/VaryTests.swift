import HTTPCaching
import HTTPTypes
import Testing

/// RFC 9111 section 4.1.
@Suite("Vary decides which requests share a response")
struct VaryTests {
    private func matches(_ vary: [String], stored: HTTPFields, asked: HTTPFields) throws -> Bool {
        var response = HTTPFields()
        for value in vary { response.append(HTTPField(name: .vary, value: value)) }
        guard let selected = VaryMatch.selectingFields(of: stored, vary: response) else { return false }
        return VaryMatch.matches(
            StoredResponse(
                status: 200, fields: response, requestTime: noon, responseTime: noon, varyingFields: selected),
            request: asked)
    }

    @Test("without Vary every request matches")
    func noVary() throws {
        #expect(try matches([], stored: fields(("Accept", "a")), asked: fields(("Accept", "b"))))
        #expect(try matches([""], stored: fields(("Accept", "a")), asked: fields()))
        #expect(try matches([" , "], stored: fields(("Accept", "a")), asked: fields()))
    }

    @Test("a star matches nothing", arguments: [["*"], ["Accept, *"], ["Accept", " * "]])
    func star(_ vary: [String]) throws {
        #expect(try !matches(vary, stored: fields(), asked: fields()))
    }

    @Test("the fields that it names must be equal, and no others")
    func named() throws {
        let stored = try fields(("Accept", "a"), ("User-Agent", "x"))
        #expect(try matches(["accept"], stored: stored, asked: fields(("ACCEPT", "a"), ("User-Agent", "y"))))
        #expect(try !matches(["Accept"], stored: stored, asked: fields(("Accept", "b"))))
        #expect(try !matches(["Accept"], stored: stored, asked: fields()))
        #expect(try !matches(["Accept"], stored: fields(), asked: fields(("Accept", "a"))))
        #expect(try matches(["Accept"], stored: fields(), asked: fields(("User-Agent", "y"))))
        #expect(try !matches(["Accept", "User-Agent"], stored: stored, asked: fields(("Accept", "a"))))
        #expect(try !matches(["Accept,User-Agent"], stored: stored, asked: fields(("Accept", "a"))))
    }

    @Test("spaces and the split over several fields do not matter, the order of values does")
    func normalised() throws {
        let stored = try fields(("Accept", "a, b;q=0.5"))
        #expect(try matches(["Accept"], stored: stored, asked: fields(("Accept", " a ,  b;q=0.5 "))))
        #expect(try matches(["Accept"], stored: stored, asked: fields(("Accept", "a"), ("Accept", "b;q=0.5"))))
        #expect(try !matches(["Accept"], stored: stored, asked: fields(("Accept", "b;q=0.5, a"))))
        #expect(try matches(["Accept, accept"], stored: stored, asked: stored))
    }

    @Test("names that no field can have are passed over", arguments: ["a b", ":path", "(x)", "é"])
    func impossibleNames(_ vary: String) throws {
        #expect(try matches([vary], stored: fields(("Accept", "a")), asked: fields(("Accept", "b"))))
    }
}
