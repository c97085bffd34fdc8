import Model
import Testing

@Suite("A host and its port")
struct HostAndPortTests {
    @Test(
        "this machine's own names and addresses are distinguished from those that only look like them",
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("localhost", true), ("LocalHost", true),
            ("page.localhost", false), ("127.example.org", false), ("127.0.0.1.example.org", false), ("127.1", false),
            ("127.0.0.256", false), ("127.+0.0.1", false), ("0127.0.0.1", false), ("127.0.0.01", false),
            ("128.0.0.1", false), ("localhost.example.org", false),
            ("mylocalhost", false), ("0.0.0.0", false), ("::", false), ("", false),
        ])
    func loopback(_ host: String, _ isLoopback: Bool) {
        #expect(HostAndPort.isLoopback(host) == isLoopback)
        #expect(HostAndPort(host: host, port: 1).isLoopback == isLoopback)
    }

    @Test("an IPv4 address is four figures of a byte each")
    func ipv4() {
        #expect(HostAndPort.ipv4("1.2.3.255") == 0x0102_03FF)
        for other in ["1.2.3", "1.2.3.4.5", "1.2.3.", "1.2.3.x", "::1", "", "1.2.3.-4"] {
            #expect(HostAndPort.ipv4(other) == nil)
        }
    }
}
