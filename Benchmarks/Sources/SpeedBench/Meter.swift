import Glibc

/// Times a piece of work and writes one line of JSON: seconds of wall time and of CPU, operations.
enum Meter {
    static func measure(operations: Int, _ work: () throws -> Void) rethrows {
        let began = now()
        let usage = cpuSeconds()
        try work()
        report(wall: now() - began, cpu: cpuSeconds() - usage, operations: operations)
    }

    static func measure(operations: Int, _ work: () async throws -> Void) async rethrows {
        let began = now()
        let usage = cpuSeconds()
        try await work()
        report(wall: now() - began, cpu: cpuSeconds() - usage, operations: operations)
    }

    private static func report(wall: Double, cpu: Double, operations: Int) {
        print("{\"wall\": \(wall), \"cpu\": \(cpu), \"operations\": \(operations)}")
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
