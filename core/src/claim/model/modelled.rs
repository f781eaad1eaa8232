//! The store in memory, its very source, over locks that are points at which another thread may go
//! on.

use crate::store::{Store, StoreError, StoreOp, StoreReply};

mod locks {
    pub(super) use shuttle::sync::{Mutex, MutexGuard};
}

#[allow(clippy::duplicate_mod, reason = "that is what it is for")]
#[allow(dead_code, unreachable_pub, reason = "the model takes what it needs")]
#[path = "../../store/memory.rs"]
mod memory;

pub(super) use memory::MemoryStore;
