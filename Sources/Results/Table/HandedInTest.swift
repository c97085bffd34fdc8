import Model

/// A test that was handed in, with the receipt of the host and the version that it was taken with.
package struct HandedInTest: Sendable {
    package var record: TestRecord
    package var receipt: Receipt
    /// `nil` where the host does not know the version.
    package var version: Questionnaire?

    package init(record: TestRecord, receipt: Receipt, version: Questionnaire?) {
        self.record = record
        self.receipt = receipt
        self.version = version
    }
}
