//! Panics on purpose: proves that every export has its boundary. Only with feature `panic-test`.
//!
//! cbindgen:ignore
use std::cell::Cell;

thread_local! {
    static ARMED: Cell<bool> = const { Cell::new(false) };
}

/// Lets the next export that this thread calls panic inside its boundary.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_panic_test_arm() {
    ARMED.set(true);
}

/// Whether a panic is still armed: the export that was called has no boundary.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_panic_test_is_armed() -> bool {
    ARMED.get()
}

/// Panics if armed.
#[allow(clippy::panic)]
pub(crate) fn panic_if_armed() {
    if ARMED.replace(false) {
        panic!("on purpose");
    }
}
