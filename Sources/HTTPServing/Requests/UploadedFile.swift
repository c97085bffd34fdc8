/// A file of a form, in memory: within the bounds of forms with files.
package struct UploadedFile: Sendable {
    package var name: String
    package var bytes: [UInt8] = []

    /// The reader looks through what it has not read yet for each part, so it gets a little at a time.
    private static let pieceBytes = 64 << 10

    /// Reads a form with a file (`multipart/form-data`, RFC 7578).
    ///
    /// - Returns: `nil` for any other form.
    package static func read(_ body: [UInt8], _ contentType: String) -> (form: FormFields, file: UploadedFile?)? {
        guard var reader = MultipartReader(contentType: contentType) else { return nil }
        enum Target { case field, file, other }
        var fields: [(name: String, value: [UInt8])] = []
        var file: UploadedFile?
        var target = Target.other
        do throws(MultipartReader.Fault) {
            for start in stride(from: 0, to: body.count, by: pieceBytes) {
                for event in try reader.read(Array(body[start..<min(start + pieceBytes, body.count)])) {
                    switch event {
                    case .part(let name, nil, _):
                        fields.append((name, []))
                        target = .field
                    case .part(_, let fileName?, _):
                        // Of several files the first one counts.
                        target = file == nil ? .file : .other
                        file = file ?? UploadedFile(name: fileName)
                    case .bytes(let bytes):
                        switch target {
                        case .field: fields[fields.count - 1].value += bytes
                        case .file: file?.bytes += bytes
                        case .other: break
                        }
                    case .endOfPart: target = .other
                    }
                }
            }
            try reader.finish()
        } catch {
            return nil
        }
        return (FormFields(fields.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }), file)
    }
}
