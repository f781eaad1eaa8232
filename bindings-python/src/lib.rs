//! The Python face of the core: `mcp_elicit._native`.
//!
//! Owns conversion between Python's values and the core's, and nothing else: no rule of the
//! protocol is decided here. Every entry runs inside [`boundary`], so that a defect of ours is an
//! `ElicitError` and never takes the interpreter down.
//! Public names, types and docstrings: `python/mcp_elicit/_native.pyi`.
#![deny(unsafe_code)]

mod answer;
mod boundary;
mod builder;
mod call;
mod caller;
mod claim;
mod engine;
mod envelope;
mod error;
mod field;
mod form;
mod guarded;
mod hooks;
mod json;
mod limits;
mod options;
mod outcome;
mod principal;
mod reply;
mod store;
mod testing;
mod text;
mod typed;

use pyo3::prelude::*;

/// Native part of `mcp_elicit`. Import from `mcp_elicit`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::answer::{Answer, Coerced};
    #[pymodule_export]
    use crate::builder::FormBuilder;
    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::claim::{
        Claimed, Need, claim_next, claim_start, complete_end, complete_start, release_end,
        release_start, store_failed,
    };
    #[pymodule_export]
    use crate::engine::{Engine, keygen};
    #[pymodule_export]
    use crate::envelope::Envelope;
    #[pymodule_export]
    use crate::error::{ErrorInfo, Fault, error_info, fault, schema_error};
    #[pymodule_export]
    use crate::field::{Choice, Downgraded, Field, Normalized, Note};
    #[pymodule_export]
    use crate::form::Form;
    #[pymodule_export]
    use crate::hooks::Event;
    #[pymodule_export]
    use crate::limits::Limits;
    #[pymodule_export]
    use crate::outcome::Outcome;
    #[pymodule_export]
    use crate::principal::Principal;
    #[pymodule_export]
    use crate::reply::Reply;
    #[pymodule_export]
    use crate::store::{MemoryStore, SqliteStore, py_invalid, py_store_key, py_time_limit};
    #[pymodule_export]
    use crate::testing::Play;

    #[cfg(feature = "panic-probe")]
    #[pymodule_export]
    use crate::boundary::panic_next;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PROTOCOL_VERSION", mcp_elicit::PROTOCOL_VERSION)
    }
}
