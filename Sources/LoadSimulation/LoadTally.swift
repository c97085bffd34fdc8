/// What is counted in the course of a day, simulated or real. Times are seconds since its beginning.
struct LoadTally: Sendable {
    private let plan: LoadPlan
    var report = LoadReport()
    private var perSecond: [Int: Int] = [:]
    private var delays: [Double] = []
    private var lastFinish = 0.0
    private var lastDelivery = 0.0

    init(_ plan: LoadPlan) {
        self.plan = plan
        report.tests = plan.devices * plan.testsPerDevice
    }

    mutating func noteRequest(_ request: LoadDevice.Request, at time: Double) {
        report.requests += 1
        perSecond[Int(time), default: 0] += 1
        if request.isDelivery { report.deliveries += 1 }
    }

    mutating func noteFinish(at time: Double) { lastFinish = max(lastFinish, time) }

    mutating func noteDelivery(at time: Double, finishedAt end: Double) {
        report.delivered += 1
        if end <= plan.outageEnds ?? .infinity { lastDelivery = max(lastDelivery, time) }
        if !plan.isInOutage(end) { delays.append(time - end) }
    }

    /// The report, with what can be said at the end only.
    func finished() -> LoadReport {
        var report = report
        if let peak = perSecond.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) {
            (report.peakSecond, report.peakPerSecond) = (peak.key, peak.value)
        }
        let sorted = delays.sorted()
        if !sorted.isEmpty {
            report.medianDelaySeconds = sorted[sorted.count / 2]
            report.slowest1PercentSeconds = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        }
        report.secondsUntilAllDelivered = max(0, lastDelivery - (plan.outageEnds ?? lastFinish))
        return report
    }
}
