import HTTPServing
import Model

/// Pictures and sounds as the template of the taker’s page shows them.
struct MediaModels {
    let page: DraftPage

    func models(_ media: [Media]) -> [[String: any Sendable]] { media.map { model($0.path, $0.type, $0.alt ?? "") } }

    func model(_ path: String, _ stated: String?, _ alt: String) -> [String: any Sendable] {
        MediumModel.model(MediaKind(stated ?? MediaType.of(fileName: path)), src: src(path), alt: alt, page.language)
    }

    private func src(_ path: String) -> String {
        page.href(
            "file/" + path.split(separator: "/").map { PercentEncoding.encode(String($0)) }.joined(separator: "/"))
    }
}
