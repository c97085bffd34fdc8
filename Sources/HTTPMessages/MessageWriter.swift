import HTTPTypes
import NIOCore

/// Writes messages (RFC 9112).
package enum MessageWriter {
    package static func request(_ request: HTTPRequest, fields: HTTPFields) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(512)
        buffer.writeString(request.method.rawValue)
        buffer.writeString(" ")
        buffer.writeString(request.path ?? "/")
        buffer.writeString(" HTTP/1.1\r\n")
        write(fields, to: &buffer)
        return buffer
    }

    /// - Parameter body: follows at once.
    package static func response(_ head: HTTPResponse, fields: HTTPFields, body: [UInt8] = []) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(512 + body.count)
        buffer.writeString("HTTP/1.1 ")
        buffer.writeString(String(head.status.code))
        buffer.writeString(" ")
        buffer.writeString(ReasonPhrase.of(head.status))
        buffer.writeString("\r\n")
        write(fields, to: &buffer)
        buffer.writeBytes(body)
        return buffer
    }

    package static func chunk(_ bytes: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(bytes.count + 20)
        writeChunk(bytes, to: &buffer)
        return buffer
    }

    package static func writeChunk(_ bytes: [UInt8], to buffer: inout ByteBuffer) {
        buffer.writeString(String(bytes.count, radix: 16))
        buffer.writeString("\r\n")
        buffer.writeBytes(bytes)
        buffer.writeString("\r\n")
    }

    package static func lastChunk(_ trailers: HTTPFields) -> ByteBuffer {
        var buffer = ByteBuffer(string: "0\r\n")
        write(trailers, to: &buffer)
        return buffer
    }

    private static func write(_ fields: HTTPFields, to buffer: inout ByteBuffer) {
        for field in fields {
            buffer.writeString(field.name.rawName)
            buffer.writeString(": ")
            field.withUnsafeBytesOfValue { _ = buffer.writeBytes(UnsafeRawBufferPointer($0)) }
            buffer.writeString("\r\n")
        }
        buffer.writeString("\r\n")
    }
}
