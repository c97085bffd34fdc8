import Model

extension TestArchive {
    /// What is given out of a receipt now.
    ///
    /// - Parameters:
    ///   - stored: the bytes of its file.
    ///   - record: its test, if that was read already.
    /// - Returns: the same bytes where nothing is kept back or added.
    func released(_ stored: [UInt8], of record: TestRecord? = nil) throws -> [UInt8] {
        let receipt = try DocumentCoding.decode(Receipt.self, from: stored)
        guard receipt.action == nil, receipt.evaluation != nil else { return stored }
        let released = release.released(receipt, by: try terms(of: receipt, record), now: clock.now)
        return released == receipt ? stored : try DocumentCoding.encode(released)
    }

    /// The terms of the version that a test was taken with. Where the time was extended since, others may be taking it still:
    /// then it is not closed before they are.
    private func terms(of receipt: Receipt, _ record: TestRecord?) throws -> ReceiptRelease.Terms {
        guard receipt.status == .rated, let record = try record ?? self.record(of: receipt.test) else { return .init() }
        // A person rated a test whose version is not known here: nothing of a key can be given out.
        guard var terms = try version(of: record).map(ReceiptRelease.Terms.init) else { return .init() }
        let current = try catalog.document(id: record.questionnaire.id)?.published.questionnaire.closesAt
        terms.closesAt = [terms.closesAt, current].compactMap(\.self).max()
        return terms
    }
}
