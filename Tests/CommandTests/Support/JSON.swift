import Foundation

/// JSON as a test looks at it.
enum JSON: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(parsing text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    /// - Throws: when the file is not JSON.
    init(file path: String) throws {
        do {
            self = try JSONDecoder().decode(JSON.self, from: try Files.read(path))
        } catch {
            throw Unexpected("\(path) is not JSON: \(error)")
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    subscript(_ name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    subscript(_ index: Int) -> JSON {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var text: String? { if case .string(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var whole: Int? { number.flatMap { Int(exactly: $0) } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var elements: [JSON] { if case .array(let value) = self { value } else { [] } }
    var texts: [String] { elements.compactMap(\.text) }
    var keys: Set<String> { if case .object(let value) = self { Set(value.keys) } else { [] } }
}
