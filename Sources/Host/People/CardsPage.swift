import Model
import QRCode
import RichText
import WireFormat

/// A printable page of cards: for each person the name, the group, the code and its QR code. It loads nothing.
package struct CardsPage: Sendable {
    package struct Card: Sendable {
        package var person: Person
        package var code: PersonalCode

        package init(person: Person, code: PersonalCode) {
            self.person = person
            self.code = code
        }
    }

    package var cards: [Card]
    package var language: Language

    package init(cards: [Card], language: Language) {
        self.cards = cards
        self.language = language
    }

    package var html: String {
        let title = language.text("Access codes")
        return """
            <!doctype html>
            <html lang="\(language.rawValue)">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>\(HTMLWriter.escaped(title))</title>
            <style>\(Self.style)</style>
            <h1>\(HTMLWriter.escaped(title))</h1>
            <p class="note">\(HTMLWriter.escaped(language.text("Cut the cards out and give each person their own. The codes are shown only here: keep this page to yourself.")))</p>
            <main>
            \(cards.map(card).joined(separator: "\n"))
            </main>
            </html>

            """
    }

    private func card(_ card: Card) -> String {
        let group = card.person.group.map { "<p class=\"group\" dir=\"auto\">\(HTMLWriter.escaped($0))</p>" } ?? ""
        return """
            <section>\(symbol(card.code))<div><h2 dir="auto">\(HTMLWriter.escaped(card.person.name))</h2>\(group)\
            <p class="code">\(HTMLWriter.escaped(card.code.grouped))</p></div></section>
            """
    }

    private func symbol(_ code: PersonalCode) -> String {
        guard let symbol = QRSymbol(Array(code.text.utf8)) else { return "" }
        return symbol.svg(label: HTMLWriter.escaped(language.text("QR code of the access code")))
    }

    private static let style = """
        body{font:16px/1.35 system-ui,"Noto Sans",sans-serif;margin:1.5rem;color:#111;background:#fff}\
        h1{font-size:1.25rem;margin:0 0 .25rem}.note{margin:0 0 1rem;color:#444}\
        main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:0}\
        section{display:flex;gap:.75rem;align-items:center;padding:.75rem;border:1px dashed #888;margin:-1px 0 0 -1px;\
        break-inside:avoid}\
        svg{width:7rem;height:7rem;flex:none}div{min-width:0}h2{font-size:1.1rem;margin:0;overflow-wrap:anywhere}\
        .group{margin:0;color:#444}.code{font:600 1.15rem ui-monospace,"DejaVu Sans Mono",monospace;margin:.5rem 0 0;\
        white-space:nowrap}\
        @media print{body{margin:0;font-size:11pt}.note{display:none}main{grid-template-columns:1fr 1fr}\
        svg{width:28mm;height:28mm}.code{font-size:11pt}}
        """
}
