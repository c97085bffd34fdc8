import HTTPTypes
import Testing

@testable import Web

@Suite("A program that is no browser, such as curl")
struct ProgramAccessTests {
    @Test("a program that follows the printed address has access, and uses up the code only when it comes back")
    func program() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, opened in
            let code = opened.authenticator.code
            var visitor = browser
            visitor.cookie = ""
            func offered(_ fields: HTTPFields = [.accept: "*/*"]) async throws -> String {
                let step = try await visitor.get("/open/\(code)", fields)
                return String((step.headers[.setCookie] ?? "").prefix { $0 != ";" })
            }
            // Neither a browser of an earlier year nor a guesser gets one.
            #expect(try await offered([.accept: "text/html,*/*;q=0.8"]).isEmpty)
            #expect(try await visitor.get("/open/wrong", [.accept: "*/*"]).headers[.setCookie] == nil)
            let (first, second) = (try await offered(), try await offered())
            #expect(!first.isEmpty && first != second && opened.authenticator.code == code)
            visitor.cookie = first
            // A preview with cookies that looks again is not there yet.
            #expect(try await visitor.get("/open?code=\(code)").status == .seeOther)
            #expect(opened.authenticator.code == code)
            #expect(try await visitor.get("/").status == .ok)
            #expect(opened.authenticator.code != code)
            #expect(try await visitor.get("/outbox").status == .ok)
            #expect(try await visitor.post("/q/capitals/begin", withToken: false).status == .forbidden)
            // The code was used once; a cookie that was changed is none.
            visitor.cookie = second
            #expect(try await visitor.get("/").status == .unauthorized)
            visitor.cookie = first + "0"
            #expect(try await visitor.get("/").status == .unauthorized)
            // What a form used up is not offered any longer.
            let next = opened.authenticator.code
            visitor.cookie = ""
            let late = try await visitor.get("/open/\(next)", [.accept: "*/*"]).headers[.setCookie] ?? ""
            #expect(try await visitor.post("/open", [("code", next)], withToken: false).status == .seeOther)
            visitor.cookie = String(late.prefix { $0 != ";" })
            #expect(!late.isEmpty && !late.contains("Max-Age"))
            #expect(try await visitor.get("/").status == .unauthorized)
        }
    }
}
