//! A transport's own refusal: a JSON-RPC error without an id (2025-11-25 basic/transports), since no message was read.

use bytes::{BufMut, Bytes, BytesMut};

/// JSON-RPC's code for an invalid request.
pub(crate) const INVALID_REQUEST: i32 = -32600;

/// Returns the error response as one line of JSON.
pub(crate) fn body(code: i32, message: &str) -> Bytes {
    let mut out = BytesMut::with_capacity(message.len() + 80);
    out.put_slice(format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"#).as_bytes());
    text(&mut out, message);
    out.put_slice(b"}}");
    out.freeze()
}

/// Returns a problem object (RFC 9457) as one line of JSON, for refusals below the operator API.
pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Bytes {
    let mut out = BytesMut::with_capacity(detail.len() + 80);
    out.put_slice(br#"{"title":"#);
    text(&mut out, title);
    out.put_slice(format!(r#","status":{status},"detail":"#).as_bytes());
    text(&mut out, detail);
    out.put_slice(b"}\n");
    out.freeze()
}

/// Appends a text as JSON.
fn text(out: &mut BytesMut, text: &str) {
    out.put_u8(b'"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.put_slice(&[b'\\', c as u8]),
            c if c.is_control() => out.put_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
            c => out.put_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.put_u8(b'"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn any_text_is_escaped() {
        let body = super::body(-32600, "a \"b\" \\ \n \u{85} é");
        let expected = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a \\\"b\\\" \\\\ \\u000a \\u0085 é\"}}";
        assert_eq!(body, expected);
        let problem = super::problem(401, "\"who\"", "a\n");
        assert_eq!(problem, "{\"title\":\"\\\"who\\\"\",\"status\":401,\"detail\":\"a\\u000a\"}\n");
    }
}
