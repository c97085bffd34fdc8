import Foundation
import Testing

/// The document of `quire why --json`, which scripts read.
@Suite("An explanation as JSON")
struct ExplanationDocumentTests {
    private static let rated = "11111111-1111-4111-8111-111111111111"
    private static let rejected = "22222222-2222-4222-8222-222222222222"

    private let folder: TemporaryFolder
    private let device: Device

    init() throws {
        folder = try TemporaryFolder()
        device = Device(folder.path)
        try device.done("init")
        for status in ["rated", "rejected", "conflict"] { try Files.makeFolder("\(device.store)/outbox/\(status)") }
    }

    /// A test of one answer, the same bytes each time.
    private static func test(_ id: String, minute: Int, _ members: String = "") -> String {
        let version = "sha256:" + String(repeating: "a", count: 64)
        return """
            {"id": "\(id)", "questionnaire": {"id": "q", "title": "Quiz", "digest": "\(version)"}, "deviceId": "tablet",
             "sequence": 1, "dateStarted": "2026-11-25T06:00:00.000Z", "dateFinished": "2026-11-25T06:\(minute):00.000Z",
             \(members)"answers": [{"questionId": "q1", "answer": "A"}]}
            """
    }

    @Test("of a rated test that was returned, with all that a receipt has")
    func rated() throws {
        let (id, parent) = (Self.rated, Self.rejected)
        let digest = "sha256:16af40048ad48f40bb66b15bf4da661a382f07a71d8832cc9dcb03b74e6ab45e"
        try Files.write(Self.test(id, minute: 30, #""parent": "\#(parent)", "#), to: device.testPath(id, "rated"))
        try Files.write(Self.test(parent, minute: 20), to: device.testPath(parent, "rejected"))
        try Files.write(
            """
            {"test": "\(id)", "digest": "\(digest)", "status": "rated",
             "receivedAt": "2026-11-25T07:00:00.000Z", "late": true, "releasesAt": "2126-01-01T00:00:00.000Z",
             "evaluation": {"score": 8, "maximum": 10, "ratedAt": "2026-11-25T08:00:00.000Z", "ratedBy": "Ada",
               "questions": [{"questionId": "q1", "correct": true, "points": 1, "maximum": 1}]},
             "former": {"score": 4, "maximum": 10}, "review": [{"questionId": "q2", "correct": false}],
             "returned": {"at": "2026-11-25T09:00:00.000Z", "by": "Ada", "comment": "Say why."},
             "timeTaken": {"limitSeconds": 1200, "tookSeconds": 1800, "measuredBy": "activeTime"}}
            """, to: device.receiptPath(id, "rated"))
        #expect(
            try device.done("why", id, "--json").output == """
                {
                  "evaluation" : {
                    "maximum" : 10,
                    "questions" : [
                      {
                        "correct" : true,
                        "maximum" : 1,
                        "points" : 1,
                        "questionId" : "q1"
                      }
                    ],
                    "ratedAt" : "2026-11-25T08:00:00.000Z",
                    "ratedBy" : "Ada",
                    "score" : 8
                  },
                  "facts" : [
                    "Started 2026-11-25 06:00 UTC, 1 answer.",
                    "Finished 2026-11-25 06:30 UTC.",
                    "A revision of \(Self.rejected) (revision 2).",
                    "The server stored it 2026-11-25 07:00 UTC.",
                    "The receipt matches this file (\(digest)).",
                    "Score: 8 of 10.",
                    "The rating was changed 2026-11-25 08:00 UTC. Before, it was 4 of 10.",
                    "Returned to be corrected by Ada, 2026-11-25 09:00 UTC: Say why.",
                    "More of the result is shown after 2126-01-01 00:00 UTC.",
                    "The time limit of 20 min was exceeded: it took 30 min (time with the test open)."
                  ],
                  "file" : "\(device.store)/outbox/rated/\(Self.rated).test.json",
                  "former" : {
                    "maximum" : 10,
                    "score" : 4
                  },
                  "id" : "\(Self.rated)",
                  "late" : true,
                  "next" : "Correct it with “quire outbox reopen \(Self.rated)”.",
                  "otherVersions" : [

                  ],
                  "questionnaire" : "q",
                  "releasesAt" : "2126-01-01T00:00:00.000Z",
                  "returned" : {
                    "at" : "2026-11-25T09:00:00.000Z",
                    "by" : "Ada",
                    "comment" : "Say why."
                  },
                  "review" : [
                    {
                      "correct" : false,
                      "questionId" : "q2"
                    }
                  ],
                  "state" : "Rated",
                  "status" : "rated",
                  "title" : "Quiz"
                }

                """)
    }

    @Test("of two versions under one id, the second one among the members of the first")
    func versions() throws {
        let id = Self.rejected
        for status in ["rejected", "conflict"] {
            try Files.write(Self.test(id, minute: 20), to: device.testPath(id, status))
        }
        try Files.write(
            """
            {"test": "\(id)", "delivery": {
               "attempts": 2, "firstAttempt": "2026-11-25T07:00:00.000Z", "lastAttempt": "2026-11-25T07:10:00.000Z",
               "reason": "the server cannot read this test", "mayHaveArrived": false, "httpStatus": 422,
               "problem": {"type": "urn:quire:problem:invalid-test"}}}
            """, to: device.receiptPath(id, "rejected"))
        #expect(
            try device.done("why", id, "--json").output == """
                {
                  "facts" : [
                    "Started 2026-11-25 06:00 UTC, 1 answer.",
                    "Finished 2026-11-25 06:20 UTC.",
                    "Tried 2 times, last 2026-11-25 07:10 UTC: the server cannot read this test.",
                    "Another version of it lies in conflict."
                  ],
                  "file" : "\(device.store)/outbox/rejected/\(Self.rejected).test.json",
                  "id" : "\(Self.rejected)",
                  "next" : "You decide: “quire outbox retry \(Self.rejected)”, “quire outbox reopen \(Self.rejected)” (a new revision) or “quire outbox discard \(Self.rejected)”.",
                  "otherVersions" : [
                    {
                      "facts" : [
                        "Started 2026-11-25 06:00 UTC, 1 answer.",
                        "Finished 2026-11-25 06:20 UTC."
                      ],
                      "file" : "\(device.store)/outbox/conflict/\(Self.rejected).test.json",
                      "id" : "\(Self.rejected)",
                      "next" : "You decide: “quire outbox reopen \(Self.rejected)” (a new revision of this one) or “quire outbox discard \(Self.rejected)”.",
                      "otherVersions" : [

                      ],
                      "questionnaire" : "q",
                      "state" : "Changed elsewhere",
                      "status" : "conflict",
                      "title" : "Quiz"
                    }
                  ],
                  "questionnaire" : "q",
                  "state" : "Not accepted: the server cannot read this test",
                  "status" : "rejected",
                  "title" : "Quiz"
                }

                """)
        // The next attempt of one that waits is a member of its own.
        try Files.move(device.testPath(id, "rejected"), device.testPath(id, "done"))
        try Files.remove(device.testPath(id, "conflict"))
        #expect(try device.json("why", id)["nextAttempt"].text?.hasSuffix("Z") == true)
    }
}
