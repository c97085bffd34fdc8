import FoundationEssentials
import Model
import RichText

/// The frame of a page for paper. It is complete in itself: its style and its pictures are within, it runs nothing and loads nothing.
package enum PrintedPage {
    /// What a server says about the page.
    package static let policy =
        "default-src 'none'; style-src 'sha256-\(Data(Digest(sha256Of: style.utf8).bytes).base64EncodedString())'; "
        + "img-src data:; base-uri 'none'; form-action 'none'"

    static func html(
        title: String, language tag: String, direction: TextDirection = .leftToRight, _ body: HTMLWriter
    ) -> String {
        let side = direction == .rightToLeft ? " dir=\"rtl\"" : ""
        return """
            <!doctype html>
            <html lang="\(HTMLWriter.escaped(tag))"\(side)><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <title>\(HTMLWriter.escaped(title))</title><style>\(style)</style></head><body><main>
            \(body.html)
            </main></body></html>

            """
    }
}
