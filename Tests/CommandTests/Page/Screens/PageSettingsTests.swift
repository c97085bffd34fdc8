import Testing

@Suite(
    "Settings on the page", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PageSettingsTests {
    @Test("what is set in a terminal holds for a page that runs, and a folder that is not there is said in a sentence")
    func settings() throws {
        let world = try PageWorld(questionnaires: [Questionnaire(id: "other", title: "Another").json])
        let browser = world.browser
        try world.device.done("remote", "set", "http://127.0.0.1:9")
        try browser.open(world.page.address + "/settings")
        #expect(try browser.value("#url") == "http://127.0.0.1:9")
        try browser.type("5 MB", into: "#quota")
        try browser.click("form[action='/settings/quota'] button")
        try browser.see("of 5 MB used")
        #expect(try world.device.done("remote", "show").output.contains("http://127.0.0.1:9"))
        try browser.script("document.querySelector('#url').value = 'file:///nonexistent'")
        try browser.click("form[action='/settings/remote'] button")
        try browser.see("plug the stick in")
        #expect(!(try browser.text("main").contains("Failure(")))
        try world.close()
    }
}
