import Model
import Testing
import Wording

@Suite("Why a delivery failed is explained in the person's language")
struct DeliveryWordsTests {
    private func delivery(
        _ reason: String, _ status: Int? = nil, _ problem: [String: JSONValue]? = nil
    )
        -> Receipt.Delivery
    {
        Receipt.Delivery(
            attempts: 1, firstAttempt: .epoch, lastAttempt: .epoch, reason: reason, mayHaveArrived: true,
            httpStatus: status, problem: problem.map { .object($0) })
    }

    @Test("what our own servers say is said in Russian, with the field that is wrong")
    func problems() {
        let unfit = delivery(
            "The test cannot be read.", 422,
            ["type": .string("urn:quire:problem:invalid-test"), "field": .string("answers[2]")])
        #expect(unfit.reason(in: .russian) == "сервер не может прочитать этот тест (answers[2])")
        #expect(unfit.reason(in: .english) == "The test cannot be read.")
        for kind in [
            "digest-mismatch", "different-content", "invalid-test", "invalid-questionnaire", "test-unknown",
            "not-attached", "not-named", "version-mismatch", "deleted",
        ] {
            let known = delivery("In English.", 400, ["type": .string("urn:quire:problem:" + kind)])
            #expect(known.reason(in: .russian) != "In English.")
        }
    }

    @Test(
        "a status code is said in Russian",
        arguments: [202, 400, 401, 407, 408, 409, 412, 413, 415, 425, 429, 500, 502, 503, 504, 507, 511])
    func statuses(_ status: Int) {
        #expect(delivery("It is so (\(status)).", status).reason(in: .russian) != "It is so (\(status)).")
    }

    @Test("a sentence of another server, or of this device, stands as it is")
    func others() {
        let own = ["type": JSONValue.string("https://example.org/late")]
        #expect(delivery("The course is over.", 422, own).reason(in: .russian) == "The course is over.")
        #expect(delivery("Курс окончен.", 503, own).reason(in: .russian) == "Курс окончен.")
        #expect(delivery("Closed until Monday.", 503, own).reason(in: .russian) == "Closed until Monday.")
        #expect(delivery("At most 4194304 bytes.", 413, own).reason(in: .russian) == "At most 4194304 bytes.")
        #expect(delivery("It has moved: name it again.", 301).reason(in: .russian) == "It has moved: name it again.")
        #expect(delivery("no server answers").reason(in: .russian) == "no server answers")
        let unknown = delivery("Later.", 422, ["type": .string("urn:quire:problem:new")])
        #expect(unknown.reason(in: .russian) == "Later.")
    }
}
