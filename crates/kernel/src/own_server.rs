//! The id of the server that the gateway's own tools belong to.

use model::ServerId;
use policy::KERNEL;

/// Returns the id of the server that the gateway's own tools belong to.
pub(crate) fn own_server() -> ServerId {
    ServerId::new(KERNEL).expect("six letters")
}
