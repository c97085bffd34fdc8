import Testing

@testable import Remotes

@Suite("Addresses of this machine")
struct MachineAddressesTests {
    private static let found = [
        MachineAddresses.Found(interface: "lo", address: "127.0.0.1"),
        MachineAddresses.Found(interface: "docker0", address: "172.17.0.1"),
        MachineAddresses.Found(interface: "wlan0", address: "fd00::5"),
        MachineAddresses.Found(interface: "wlan0", address: "fe80::1%wlan0"),
        MachineAddresses.Found(interface: "wlan0", address: "192.168.1.5"),
        MachineAddresses.Found(interface: "usb0", address: "169.254.7.7"),
        MachineAddresses.Found(interface: "lo", address: "::1"),
    ]

    @Test("all networks: what others can reach, networks that lead on and IPv4 first")
    func everyNetwork() {
        #expect(
            MachineAddresses.chosen(from: Self.found, for: "0.0.0.0", routes: ["wlan0"]) == [
                "192.168.1.5", "172.17.0.1",
            ])
        #expect(
            MachineAddresses.chosen(from: Self.found, for: "::", routes: ["wlan0"])
                == ["192.168.1.5", "fd00::5", "172.17.0.1"])
        #expect(MachineAddresses.chosen(from: [], for: "::", routes: []).isEmpty)
    }

    @Test(
        "an address of one network, or a name, is itself",
        arguments: ["192.168.1.5", "127.0.0.1", "hub.local", "fd00::5"])
    func oneNetwork(_ host: String) { #expect(MachineAddresses.reachable(host) == [host]) }

    @Test("the machine's own networks have no address that stands for all of them, nor loopback")
    func thisMachine() {
        for host in ["0.0.0.0", "::"] {
            let addresses = MachineAddresses.reachable(host)
            #expect(!addresses.contains("0.0.0.0") && !addresses.contains("::") && !addresses.contains("127.0.0.1"))
        }
    }
}
