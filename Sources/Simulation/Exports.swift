// The clock and the remote of a simulation are those that programs test with.
@_exported import InMemory

/// The remote of a simulation: a host that fails where a trial says so.
package typealias FaultyRemote = ScriptedRemote
