import Disk
import Dispatch
import SystemPackage

/// A disk with the processes that use it, and what is to go wrong: what the mutex of `SimulatedDisk` guards.
struct SimulationState: Sendable {
    struct Description: Sendable {
        var process: Int
        var node: DiskImage.NodeID
        var path: FilePath
        var isWritable: Bool
    }

    var image: DiskImage
    var log: [Operation] = []
    var operationCount = 0
    var faults: [Int: Fault] = [:]
    var firedFaults: [Fault] = []
    var interludes: [Int: @Sendable () -> Void] = [:]
    var playedInterludes = 0
    var syncCounts: [SyncCall: Int] = [:]
    var ignored: [SyncCall: Set<Int>] = [:]
    var firedMutations = 0
    var isPowered = true
    var isReadOnly = false
    /// The error of all calls from now on.
    var lastingError: Errno?
    var capacityBytes: Int64?

    private var descriptions: [Int32: Description] = [:]
    private var nextDescriptor: Int32 = 3
    private var processes: Set<Int> = []
    private var processCount = 0
    private var lockHolders: [DiskImage.NodeID: Int32] = [:]
    private var waiters: [DispatchSemaphore] = []
    private var halvesNextWrite = false

    init(image: DiskImage) { self.image = image }

    // MARK: - The beginning of a call

    /// Counts and logs a call, and lets happen what was planned for it.
    ///
    /// - Returns: an error to report when the call has done its work.
    mutating func begin(
        _ kind: Operation.Kind, process: Int, _ path: FilePath, target: FilePath? = nil, file: OpenFile? = nil
    ) throws(Errno) -> Errno? {
        try checkAlive(process)
        operationCount += 1
        let operation = Operation(number: operationCount, process: process, kind: kind, path: path, target: target)
        log.append(operation)
        if let fault = faults.removeValue(forKey: operationCount) {
            firedFaults.append(fault)
            switch fault {
            case .powerCut:
                cutPower()
                throw .ioError
            case .killed:
                kill(process)
                throw .ioError
            case .shortWrite: halvesNextWrite = kind == .write
            case .error(.interrupted) where kind == .close || kind == .lock: break
            case .lasting(let code): lastingError = code
            case .error(let code):
                if kind == .close { return code }
                if kind == .sync, code != .interrupted, let file, let open = descriptions[file.descriptor] {
                    image.nodes[open.node]?.isPoisoned = true
                }
                throw code
            case .errorAfterEffect(let code): return code
            }
        }
        if isReadOnly, operation.changesNames { throw .readOnlyFileSystem }
        if let lastingError, try fails(operation, with: lastingError, file) { return lastingError }
        return nil
    }

    /// Lets a call fail for good; a close does its work all the same, for which it returns true.
    private mutating func fails(
        _ operation: Operation, with code: Errno, _ file: OpenFile?
    ) throws(Errno) -> Bool {
        switch code {
        case .noSpace, .diskQuotaExceeded:
            let isNew = operation.kind == .update && (try? image.resolve(operation.path).node) == nil
            if operation.takesSpace || isNew { throw code }
            return false
        case .readOnlyFileSystem:
            if operation.changesNames || operation.takesSpace || operation.kind == .update { throw code }
            return false
        default:
            if operation.kind == .close { return true }
            if operation.kind == .sync, let file, let open = descriptions[file.descriptor] {
                image.nodes[open.node]?.isPoisoned = true
            }
            throw code
        }
    }

    func checkAlive(_ process: Int) throws(Errno) {
        guard isAlive(process) else { throw .ioError }
    }

    func isAlive(_ process: Int) -> Bool { isPowered && processes.contains(process) }

    /// Whether this sync is one that a mutation takes out.
    mutating func isIgnored(_ call: SyncCall) -> Bool {
        let count = syncCounts[call, default: 0] + 1
        syncCounts[call] = count
        guard ignored[call]?.contains(count) == true else { return false }
        firedMutations += 1
        return true
    }

    // MARK: - Processes and open files

    mutating func startProcess() -> Int {
        processCount += 1
        processes.insert(processCount)
        return processCount
    }

    mutating func kill(_ process: Int) {
        processes.remove(process)
        for (descriptor, open) in descriptions where open.process == process { release(descriptor, open) }
        wakeWaiters()
    }

    mutating func cutPower() {
        isPowered = false
        wakeWaiters()
    }

    func openCount(of process: Int) -> Int { descriptions.values.count { $0.process == process } }

    func path(of file: OpenFile) -> FilePath { descriptions[file.descriptor]?.path ?? FilePath() }

    mutating func open(_ id: DiskImage.NodeID, _ path: FilePath, process: Int, isWritable: Bool) -> OpenFile {
        let descriptor = nextDescriptor
        nextDescriptor += 1
        image.nodes[id]?.openCount += 1
        descriptions[descriptor] = Description(process: process, node: id, path: path, isWritable: isWritable)
        return OpenFile(descriptor: descriptor)
    }

    mutating func close(_ file: OpenFile, process: Int) throws(Errno) {
        release(file.descriptor, try description(file, process: process))
        wakeWaiters()
    }

    private mutating func release(_ descriptor: Int32, _ open: Description) {
        descriptions[descriptor] = nil
        if lockHolders[open.node] == descriptor { lockHolders[open.node] = nil }
        image.nodes[open.node]?.openCount -= 1
        if !image[open.node].isAlive { image.forgetTheDead() }
    }

    func description(_ file: OpenFile, process: Int) throws(Errno) -> Description {
        guard let open = descriptions[file.descriptor], open.process == process else { throw .badFileDescriptor }
        return open
    }

    // MARK: - Locks

    /// Takes the lock of the file's inode for this open file, unless another open file holds it.
    mutating func tryLock(_ file: OpenFile, process: Int) throws(Errno) -> Bool {
        try checkAlive(process)
        let node = try description(file, process: process).node
        if let holder = lockHolders[node], holder != file.descriptor { return false }
        lockHolders[node] = file.descriptor
        return true
    }

    mutating func addWaiter() -> DispatchSemaphore {
        let semaphore = DispatchSemaphore(value: 0)
        waiters.append(semaphore)
        return semaphore
    }

    /// Waiters for a lock check again.
    private mutating func wakeWaiters() {
        for waiter in waiters { waiter.signal() }
        waiters = []
    }

    // MARK: - Bytes

    mutating func write(
        _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64, process: Int, now: Int64
    ) throws(Errno) -> Int {
        let isHalved = halvesNextWrite
        halvesNextWrite = false
        let open = try writable(file, process: process, offset: offset)
        if bytes.isEmpty { return 0 }
        let wanted = isHalved ? max(1, bytes.count / 2) : bytes.count
        let range = Int(offset)..<Int(offset) + wanted
        let end = try place(range, in: open.node)
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<(end - range.lowerBound)])
        image.nodes[open.node]?.write(piece, at: Int(offset), now: now)
        return piece.count
    }

    /// Where bytes in this range must end for want of space.
    private func place(_ range: Range<Int>, in node: DiskImage.NodeID) throws(Errno) -> Int {
        let missing = image[node].missingBlocks(range)
        guard let free = freeBlocks, free < missing.count else { return range.upperBound }
        let end = missing[free] * DiskImage.blockSize
        guard end > range.lowerBound else { throw .noSpace }
        return end
    }

    mutating func allocate(_ file: OpenFile, sizeBytes: Int64, process: Int, now: Int64) throws(Errno) {
        guard sizeBytes > 0 else { throw .invalidArgument }
        let open = try writable(file, process: process, offset: sizeBytes)
        let range = 0..<Int(sizeBytes)
        let missing = image[open.node].missingBlocks(range)
        if let free = freeBlocks, free < missing.count { throw .noSpace }
        image.nodes[open.node]?.blocks.formUnion(missing)
        let size = max(image[open.node].content.bytes.count, range.upperBound)
        image.nodes[open.node]?.resize(to: size, now: now)
    }

    mutating func resize(_ file: OpenFile, to sizeBytes: Int64, process: Int, now: Int64) throws(Errno) {
        let open = try writable(file, process: process, offset: sizeBytes)
        image.nodes[open.node]?.resize(to: Int(sizeBytes), now: now)
    }

    private func writable(_ file: OpenFile, process: Int, offset: Int64) throws(Errno) -> Description {
        let open = try description(file, process: process)
        guard open.isWritable else { throw .badFileDescriptor }
        guard image[open.node].kind == .regular else { throw .illegalSeek }
        guard offset >= 0 else { throw .invalidArgument }
        // The bytes are in memory.
        guard offset < 1 << 30 else { throw .fileTooLarge }
        if isReadOnly { throw .readOnlyFileSystem }
        return open
    }

    var freeBytes: Int64 { max(0, (capacityBytes ?? 1 << 40) - image.usedBytes) }

    /// `nil` without a limit, so that nothing need be counted.
    var freeBlocks: Int? { capacityBytes == nil ? nil : Int(freeBytes) / DiskImage.blockSize }
}
