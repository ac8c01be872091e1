//! The server that the gateway's own tools belong to.

use model::ServerId;
use policy::KERNEL;

/// Returns its id.
pub(crate) fn own_server() -> ServerId {
    ServerId::new(KERNEL).expect("six letters")
}
