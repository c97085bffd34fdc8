import Model
import Results
import WireFormat

/// A class list as a school hands it out: a table with the columns id, name, group and code.
package struct ClassListFile: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var line: Int
        package var person: Person
        package var code: PersonalCode?
    }

    /// In the order of the file.
    package let rows: [Row]
    /// The name of the encoding that was recognised.
    package let encoding: String
    /// Columns that are not read.
    package let ignoredColumns: [String]
    /// Lines that repeat an earlier one word for word.
    package let repeatedLines: [Int]

    /// A longer file is refused.
    package static let maximumBytes = 4 << 20
    private static let mostFaults = 5

    private enum Column: CaseIterable {
        case id, name, group, code

        /// The names of the column, in lowercase, separated by commas.
        func names(_ language: Language) -> String {
            switch self {
            case .id: language.text("id,number,no", context: "class list")
            case .name: language.text("name,full name,person,student", context: "class list")
            case .group: language.text("group,class", context: "class list")
            case .code: language.text("code", context: "class list")
            }
        }

        static func named(_ title: String) -> Column? {
            let title = title.lowercased()
            return allCases.first { column in
                Language.allCases.contains { language in
                    column.names(language).split(separator: ",").contains { $0 == title }
                }
            }
        }
    }

    /// Reads a file.
    ///
    /// - Throws: `HostError.classList` that names each faulty line; no part of such a file is used.
    package init(_ bytes: [UInt8], named file: String) throws(HostError) {
        guard let (text, encoding) = TextBytes.decode(bytes) else {
            throw .classList(file, reason: "it is no text in UTF-8, UTF-16 or Windows-1251: save it as CSV in UTF-8")
        }
        self.encoding = encoding.rawValue
        let lines: [SeparatedValues.Row]
        do {
            lines = try SeparatedValues.rows(text, separator: SeparatedValues.separator(of: text))
        } catch {
            throw .classList(file, reason: "line \(error.line): a quote is opened and not closed")
        }
        guard let header = lines.first else { throw .classList(file, reason: "it is empty") }
        let columns = header.fields.map(Column.named)
        func place(_ column: Column) -> Int? { columns.firstIndex(of: column) }
        guard let id = place(.id), let name = place(.name) else {
            throw .classList(
                file,
                reason: "line \(header.line): the first line must name the columns, with “id” and “name” among them, "
                    + "and optionally “group” and “code”")
        }
        for column in Column.allCases where columns.count(where: { $0 == column }) > 1 {
            throw .classList(
                file, reason: "line \(header.line): there are two columns “\(column.names(.english))”: leave one")
        }
        ignoredColumns = zip(header.fields, columns).filter { $1 == nil && !$0.isEmpty }.map(\.0)
        var (rows, faults, repeated): ([Row], [String], [Int]) = ([], [], [])
        var lineOfID: [String: Row] = [:]
        var lineOfCode: [PersonalCode: Int] = [:]
        for line in lines.dropFirst() {
            func field(_ place: Int?) -> String {
                place.flatMap { line.fields.indices.contains($0) ? line.fields[$0] : nil } ?? ""
            }
            let row: Row
            switch Self.row(
                line.line, id: field(id), name: field(name), group: field(place(.group)), field(place(.code)))
            {
            case .success(let read): row = read
            case .failure(let fault):
                faults.append("line \(line.line): \(fault.reason)")
                continue
            }
            if let former = lineOfID[row.person.id] {
                if former.person == row.person, former.code == row.code {
                    repeated.append(line.line)
                } else {
                    faults.append(
                        "line \(line.line): the id “\(row.person.id)” is in line \(former.line) with other words")
                }
                continue
            }
            if let code = row.code, let former = lineOfCode.updateValue(line.line, forKey: code) {
                faults.append("line \(line.line): the code is the one of line \(former): each person needs their own")
                continue
            }
            lineOfID[row.person.id] = row
            rows.append(row)
        }
        if !faults.isEmpty {
            let more = faults.count > Self.mostFaults ? "; and \(faults.count - Self.mostFaults) more" : ""
            throw .classList(file, reason: faults.prefix(Self.mostFaults).joined(separator: "; ") + more)
        }
        if rows.isEmpty { throw .classList(file, reason: "it names no person below its first line") }
        (self.rows, repeatedLines) = (rows, repeated)
    }

    private struct Fault: Error {
        var reason: String
    }

    private static func row(
        _ line: Int, id: String, name: String, group: String, _ code: String
    ) -> Result<Row, Fault> {
        for (column, text) in [("id", id), ("name", name), ("group", group)] where column != "group" || !text.isEmpty {
            if let reason = Person.fault(in: text) { return .failure(Fault(reason: "the \(column) \(reason)")) }
        }
        var row = Row(line: line, person: Person(id: id, name: name, group: group.isEmpty ? nil : group))
        if !code.isEmpty {
            guard let read = PersonalCode(code) else {
                let reason =
                    "the code is not \(PersonalCode.fewestCharacters) to \(PersonalCode.mostCharacters) Latin letters and digits: "
                    + "leave it out, and `quire host people cards` makes one"
                return .failure(Fault(reason: reason))
            }
            row.code = read
        }
        return .success(row)
    }
}
