import Testing

/// The words of the app, which it has from the catalogs.
@Suite(
    "The words on a phone", .serialized,
    .enabled(if: WebDriver.isInstalled, "chromium and chromedriver are not installed: apt-get install chromium-driver"))
struct PhoneWordsTests {
    @Test("a number of things has the plural form that the shared table says")
    func plurals() throws {
        let world = try PhoneWorld()
        try world.browser.see("Short one", in: "#list")
        let table = try Command.vectors("plurals")
        let wrong = try world.browser.asyncScript(
            """
            const done = arguments[0], vectors = \(table);
            import('./words.js').then(words => {
              const wrong = [];
              const forms = { en: { one: 'question', other: 'questions' }, ru: { one: 'вопрос', few: 'вопроса', many: 'вопросов' } };
              for (const { language, category, numbers } of vectors.filter(vector => vector.language in forms)) {
                words.speak(language);
                for (const number of numbers) {
                  if (words.questions(number) !== `${number} ${forms[language][category]}`) wrong.push(`${language} ${number}`);
                }
              }
              done([String(vectors.length >= 5), ...wrong]);
            }, error => done([String(error)]));
            """)
        #expect(wrong.texts == ["true"])
        try world.close()
    }
}
