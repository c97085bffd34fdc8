import Foundation
import Testing

/// Times on the desk: by the reader's clock on screens, by the host's with the name of its zone without a script and on paper.
@Suite(
    "Times on the desk", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct DeskTimesTests {
    private static let exam = """
        {"id": "exam", "title": "Exam", "answerKey": {"q1": "a"},
         "availability": {"opensAt": "2026-01-31T22:30:45Z", "closesAt": "2099-07-01T10:00:00Z", "late": "mark"},
         "questions": [{"id": "q1", "text": "Which?", "options": ["a", "b"]}]}
        """
    /// Half an hour beside all zones of whole hours.
    private static let zone = "IST-5:30"

    private func world(hasScript: Bool) throws -> (DeskWorld, test: String) {
        let world = try DeskWorld(["exam": Self.exam], hasScript: hasScript, zone: Self.zone)
        let device = try Device(world.folder.path, of: world.host)
        let test = try device.take("exam", answers: #"{"q1": "a"}"#)
        try device.done("sync")
        try world.browser.chromium("Emulation.setTimezoneOverride", ["timezoneId": "America/New_York"])
        try world.logIn("teacher")
        return (world, test)
    }

    @Test("with the script each time is by the reader's clock, and a time that is typed is the reader's")
    func script() throws {
        let (world, test) = try world(hasScript: true)
        let browser = world.browser
        for (path, selector) in [
            ("q/exam", "td time"), ("t/\(test)", ".facts time"), ("q/exam/watching", ".facts time"),
            ("write/of/exam", "strong time"),
        ] {
            try browser.open(world.host.address + "/desk/" + path)
            _ = try browser.find(selector)
            let shown = try browser.script(
                """
                const time = document.querySelector(arguments[0]);
                return [time.textContent, new Intl.DateTimeFormat('en', {dateStyle: 'medium', timeStyle: 'short',
                  timeZone: 'America/New_York'}).format(new Date(time.dateTime))];
                """, selector
            ).texts
            #expect(shown.count == 2 && shown.first == shown.last, "\(path): \(shown)")
        }
        try browser.open(world.host.address + "/desk/")
        try browser.reach("form[action='/desk/write/of'] button", press: Browser.Key.enter)
        try browser.reach("a[href$='/settings']", press: Browser.Key.enter)
        try browser.see("Times are those of your time zone (America/New_York).")
        #expect(try browser.value("#opens") == "2026-01-31T17:30")
        #expect(try browser.value("#closes") == "2099-07-01T06:00")
        try browser.script(
            "const closes = document.querySelector('#closes'); closes.value = '2099-07-01T07:15'; closes.dispatchEvent(new Event('input'))"
        )
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
        let availability = try world.draft()["availability"]
        // A time that was not changed keeps its seconds.
        #expect(availability["opensAt"].text == "2026-01-31T22:30:45Z")
        #expect(availability["closesAt"].text == "2099-07-01T11:15:00Z")
        try world.close()
    }

    @Test("without the script they are by the host's clock, with the name of its zone, also on paper; files have UTC")
    func host() throws {
        let (world, test) = try world(hasScript: false)
        let browser = world.browser
        let clock = /\d\d\d\d-\d\d-\d\d \d\d:\d\d IST/
        for path in ["q/exam", "t/\(test)", "q/exam/watching", "write/of/exam", "q/exam/report", "t/\(test)/print"] {
            try browser.open(world.host.address + "/desk/" + path)
            let text = try browser.text("body")
            #expect(text.contains(clock) && !text.contains("UTC"), "\(path): \(text)")
        }
        let received = try JSON(file: "\(world.host.data)/receipts/\(test).receipt.json")["receivedAt"].text ?? "-"
        let csv = try world.office.quire(
            [
                "host", "results", "exam", "--csv", "--data", world.host.data, "--questionnaires",
                world.host.questionnaires,
            ],
            environment: ["TZ": Self.zone])
        #expect(received.hasSuffix("Z") && csv.output.contains(received))
        try browser.open(world.host.address + "/desk/")
        try browser.reach("form[action='/desk/write/of'] button", press: Browser.Key.enter)
        try browser.reach("a[href$='/settings']", press: Browser.Key.enter)
        try browser.see("Times are those of the host (IST).")
        #expect(try browser.value("#opens") == "2026-02-01T04:00")
        #expect(try browser.value("#closes") == "2099-07-01T15:30")
        // Month, day, year, hour and minute are fields of their own.
        try browser.reach("#closes", press: "07022099")
        try browser.press(Browser.Key.tab)
        try browser.press("0530P")
        try browser.reach("button.main", press: Browser.Key.enter)
        try browser.see("Saved.")
        let availability = try world.draft()["availability"]
        #expect(availability["opensAt"].text == "2026-01-31T22:30:45Z")
        #expect(availability["closesAt"].text == "2099-07-02T12:00:00Z")
        try world.close()
    }
}
