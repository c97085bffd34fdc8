/// One place where two versions of a document differ.
public struct DocumentDifference: Hashable, Sendable, Codable {
    /// Like `questions[q2].text`: an element of a list is named by its id where it has one, else by its index.
    public var field: String
    /// `nil` where that version has no value.
    public var mine: JSONValue?
    public var theirs: JSONValue?

    package init(field: String, mine: JSONValue?, theirs: JSONValue?) {
        self.field = field
        self.mine = mine
        self.theirs = theirs
    }

    /// The differences between two documents, field by field, sorted by name.
    ///
    /// - Parameter ignoring: members of the outermost object to ignore.
    package static func between(
        _ mine: JSONValue?, _ theirs: JSONValue?, ignoring: Set<String> = []
    ) -> [DocumentDifference] {
        var found: [DocumentDifference] = []
        compare(mine, theirs, at: "", ignoring: ignoring, &found)
        return found
    }

    private static func compare(
        _ mine: JSONValue?, _ theirs: JSONValue?, at field: String, ignoring: Set<String>,
        _ found: inout [DocumentDifference]
    ) {
        if mine == theirs { return }
        switch (mine, theirs) {
        case (.object(let left), .object(let right)):
            for name in Set(left.keys).union(right.keys).subtracting(ignoring).sorted() {
                compare(left[name], right[name], at: field.isEmpty ? name : field + "." + name, ignoring: [], &found)
            }
        case (.array(let left), .array(let right)):
            guard let (leftByID, order) = byID(left), let (rightByID, otherOrder) = byID(right) else {
                found.append(DocumentDifference(field: field, mine: mine, theirs: theirs))
                return
            }
            for id in order + otherOrder.filter({ leftByID[$0] == nil }) {
                compare(leftByID[id], rightByID[id], at: "\(field)[\(id)]", ignoring: [], &found)
            }
            let common = order.filter { rightByID[$0] != nil }
            if common != otherOrder.filter({ leftByID[$0] != nil }) {
                found.append(
                    DocumentDifference(
                        field: field, mine: .array(order.map { .string($0) }),
                        theirs: .array(otherOrder.map { .string($0) })))
            }
        default: found.append(DocumentDifference(field: field, mine: mine, theirs: theirs))
        }
    }

    /// The objects by id, if all have ids of their own.
    private static func byID(_ items: [JSONValue]) -> (items: [String: JSONValue], order: [String])? {
        var byID: [String: JSONValue] = [:]
        var order: [String] = []
        for item in items {
            guard case .object(let members) = item, case .string(let id)? = members["id"], byID[id] == nil else {
                return nil
            }
            byID[id] = item
            order.append(id)
        }
        return order.isEmpty ? nil : (byID, order)
    }
}

extension JSONValue {
    /// For people: a string unchanged, anything else as JSON on one line.
    package var inWords: String {
        if case .string(let text) = self { return text }
        guard let line = try? DocumentCoding.encodeLine(self) else { return "" }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}
