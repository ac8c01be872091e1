//! The protocol revisions that the server supports, and how an old server refuses modern requests.

use std::str::FromStr;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Both,
    /// Up to 2025-11-25: supports `initialize`, and not 2026-07-28.
    Legacy,
    /// 2026-07-28 only: refuses `initialize`.
    Modern,
}

impl Era {
    pub fn versions(self) -> &'static [ProtocolVersion] {
        const LEGACY: &[ProtocolVersion] = &[
            ProtocolVersion::V_2024_11_05,
            ProtocolVersion::V_2025_03_26,
            ProtocolVersion::V_2025_06_18,
            ProtocolVersion::V_2025_11_25,
        ];
        const MODERN: &[ProtocolVersion] = &[ProtocolVersion::V_2026_07_28];
        match self {
            Self::Both => ProtocolVersion::KNOWN_VERSIONS,
            Self::Legacy => LEGACY,
            Self::Modern => MODERN,
        }
    }
}

impl FromStr for Era {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "both" => Ok(Self::Both),
            "legacy" => Ok(Self::Legacy),
            "modern" => Ok(Self::Modern),
            other => Err(format!("unknown era `{other}`")),
        }
    }
}

/// Refuses modern requests as a server of 2025-11-25 does. By itself, rmcp answers a modern request with -32022, which
/// only modern servers know; a server of 2025-11-25 finds an unsupported version header, or no session, and answers 400
/// with a text of its own.
// 2025-11-25 basic/transports "Protocol Version Header" and "Session Management"
pub async fn guard(State(era): State<Era>, request: Request, next: Next) -> Response {
    if era != Era::Legacy {
        return next.run(request).await;
    }
    let Some(version) = request.headers().get("mcp-protocol-version") else {
        return next.run(request).await;
    };
    if era.versions().iter().any(|known| known.as_str().as_bytes() == version.as_bytes()) {
        return next.run(request).await;
    }
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"}}"#;
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
