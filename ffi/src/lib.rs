//! The C ABI of mcp-elicit: `include/mcp_elicit.h` is generated from this crate.
//!
//! Owns how C sees the core: handles, borrowed texts, statuses, callbacks, and the boundary that no
//! panic crosses. Holds no rule of the protocol; those are in the core.
//!
//! How an export is written:
//! - A handle comes as `Option<&T>` or `Option<&mut T>` (NULL is `None`), is given up as
//!   `Option<Box<T>>`, and leaves through `Option<&mut MaybeUninit<Option<Box<T>>>>`. All of these
//!   are a plain pointer in C, so that only texts need unsafe code to read.
//! - Whatever can fail goes through `boundary::status`, everything else through
//!   `boundary::value`; nothing of an export's work stands outside.
//! - Enums only leave. What C hands in as one is a `u32`, since C can hand in any number.
//! - The comment of an export is the manual that a C programmer reads.
// Types carry the names that they have in C.
#![allow(non_camel_case_types)]
#![deny(
    unsafe_op_in_unsafe_fn,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
// Exports are reached from C, which the lint does not see.
#![allow(unreachable_pub)]

// The order is the order in the header.
mod status;

mod version;

mod text;

mod boundary;

mod fault;

mod error;

mod callback;

mod log;

mod config;

mod limits;

mod store;

mod custom_store;

mod engine;

mod caller;

mod envelope;

mod call;

mod ask;

mod step;

mod claim;

mod options;

mod outcome;

mod reply;

mod form;

mod field;

mod builder;

mod normalize;

mod answer;

mod key;

#[cfg(feature = "panic-test")]
mod panic_test;

#[cfg(test)]
mod tests {
    //! What only Rust can compare: our tables with the core's.

    use std::ffi::CStr;

    use mcp_elicit::ErrorKind;

    use crate::status::{TABLE, mcp_elicit_status, mcp_elicit_status_name};

    /// Every kind of the core has a status with its number and its name, and there are no others.
    #[test]
    fn statuses_are_the_table_of_the_core() {
        let ours: Vec<_> = TABLE
            .iter()
            .map(|(kind, status, name)| {
                (*kind, *status as u32, name.to_str().unwrap_or("not text"))
            })
            .collect();
        let core: Vec<_> =
            ErrorKind::ALL.iter().map(|kind| (*kind, kind.number(), kind.name())).collect();
        assert_eq!(ours, core);
        for kind in ErrorKind::ALL {
            let status = mcp_elicit_status::of(*kind);
            assert_eq!(format!("{status:?}"), format!("MCP_ELICIT_{}", kind.name().to_uppercase()));
            let name = mcp_elicit_status_name(status as u32);
            // SAFETY: a static text.
            assert_eq!(unsafe { CStr::from_ptr(name) }.to_str(), Ok(kind.name()));
        }
    }

    /// What C gets as protocol version is what the core speaks.
    #[test]
    fn protocol_version_is_that_of_the_core() {
        assert_eq!(crate::version::PROTOCOL.to_str(), Ok(mcp_elicit::PROTOCOL_VERSION));
    }

    /// What the header says of threads: these are shared, a call can change hands.
    #[test]
    fn handles_are_as_thread_safe_as_the_header_says() {
        fn shared<T: Send + Sync>() {}
        fn sent<T: Send>() {}
        shared::<crate::engine::mcp_elicit_engine>();
        shared::<crate::caller::mcp_elicit_caller>();
        shared::<crate::envelope::mcp_elicit_envelope>();
        shared::<crate::error::mcp_elicit_error>();
        shared::<crate::fault::mcp_elicit_fault>();
        shared::<crate::form::mcp_elicit_form>();
        shared::<crate::field::mcp_elicit_field>();
        shared::<crate::answer::mcp_elicit_answer>();
        shared::<crate::text::mcp_elicit_text>();
        shared::<crate::answer::mcp_elicit_answer_options>();
        shared::<crate::reply::mcp_elicit_reply>();
        shared::<crate::store::mcp_elicit_store>();
        shared::<crate::claim::mcp_elicit_claim_options>();
        shared::<crate::options::mcp_elicit_ask_options>();
        sent::<crate::builder::mcp_elicit_form_builder>();
        sent::<crate::config::mcp_elicit_engine_config>();
        sent::<crate::call::mcp_elicit_call>();
        sent::<crate::outcome::mcp_elicit_outcome>();
    }
}
