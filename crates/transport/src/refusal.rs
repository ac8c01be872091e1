//! What a transport itself answers when it refuses: a JSON-RPC error without an id (2025-11-25 basic/transports), since no message was read.

use bytes::{BufMut, Bytes, BytesMut};

/// JSON-RPC's code for what is not a request we take.
pub(crate) const INVALID_REQUEST: i32 = -32600;

/// The error response as one line of JSON.
pub(crate) fn body(code: i32, message: &str) -> Bytes {
    let mut out = BytesMut::with_capacity(message.len() + 80);
    out.put_slice(format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":""#).as_bytes());
    for c in message.chars() {
        match c {
            '"' | '\\' => out.put_slice(&[b'\\', c as u8]),
            c if c.is_control() => out.put_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
            c => out.put_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.put_slice(br#""}}"#);
    out.freeze()
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_text_is_escaped() {
        let body = super::body(-32600, "a \"b\" \\ \n \u{85} é");
        let expected = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a \\\"b\\\" \\\\ \\u000a \\u0085 é\"}}";
        assert_eq!(body, expected);
    }
}
