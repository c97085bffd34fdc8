import FuzzTargets
import Glibc

private func complain(_ sentence: String) {
    let bytes = Array("\(sentence)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Which target is driven: `$FUZZ_TARGET`.
private let target: FuzzTarget = {
    guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), let target = FuzzTarget(rawValue: name) else {
        complain("FUZZ_TARGET must be one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
        exit(64)
    }
    return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(BrokenPromise) {
        try target.run(bytes)
    } catch {
        complain("broken promise: \(error)")
        abort()
    }
    return 0
}
