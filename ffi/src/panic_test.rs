//! Panics on purpose: proves that every export has its boundary. Only with feature `panic-test`.
//!
//! cbindgen:ignore
use std::cell::Cell;

/// Where the next panic happens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before the work of an export begins.
    Boundary,
    /// In the middle of a change to a call.
    Change,
}

thread_local! {
    static ARMED: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Lets the next export that this thread calls panic: before its work, or in the middle of a change
/// to a call (`inside` not 0).
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_panic_test_arm(inside: std::ffi::c_int) {
    // Panics on purpose are no news.
    std::panic::set_hook(Box::new(|_| {}));
    ARMED.set(Some(if inside == 0 { Place::Boundary } else { Place::Change }));
}

/// Whether a panic is still armed: what was called has no boundary, or does not get that far.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_panic_test_is_armed() -> bool {
    ARMED.get().is_some()
}

/// Panics if armed for this place.
#[allow(clippy::panic)]
pub(crate) fn panic_if_armed(place: Place) {
    if ARMED.get() == Some(place) {
        ARMED.set(None);
        panic!("on purpose");
    }
}
