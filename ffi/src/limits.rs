//! The limits of an engine, each with its setter.

use std::mem::MaybeUninit;

use mcp_elicit::{Error, ErrorKind, Limits};

use crate::boundary::{self, need};
use crate::config::mcp_elicit_engine_config;
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;

/// Sets a limit. One that is out of range is found when the engine is made; a number that the
/// core's type does not hold is out of every range.
fn set_limit<T: TryFrom<u64>>(
    config: Option<&mut mcp_elicit_engine_config>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
    value: u64,
    limit: impl FnOnce(&mut Limits) -> (&mut T, &'static str),
) -> mcp_elicit_status {
    boundary::status(err, || {
        let (place, name) = limit(&mut need(config, "config")?.limits);
        *place = T::try_from(value).map_err(|_| {
            Error::new(ErrorKind::Config, format!("limit {name} is {value}, which is too much"))
        })?;
        Ok(())
    })
}

/// Longest request, in bytes. Usual: 4 MiB.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. This and the other limits
/// are checked when the engine is made, which gives MCP_ELICIT_CONFIG for one that is out of range.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_request_bytes(
    config: Option<&mut mcp_elicit_engine_config>,
    bytes: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, bytes, |limits| (&mut limits.request_bytes, "request_bytes"))
}

/// Longest `requestState`, in bytes, coming in or going out. Usual: 64 KiB.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_token_bytes(
    config: Option<&mut mcp_elicit_engine_config>,
    bytes: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, bytes, |limits| (&mut limits.token_bytes, "token_bytes"))
}

/// How deep arrays and objects may nest in any JSON. Usual: 64.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_depth(
    config: Option<&mut mcp_elicit_engine_config>,
    depth: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, depth, |limits| (&mut limits.depth, "depth"))
}

/// How many properties a form may have. Usual: 64.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_schema_properties(
    config: Option<&mut mcp_elicit_engine_config>,
    count: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, count, |limits| (&mut limits.schema_properties, "schema_properties"))
}

/// How many choices a form may have, all its fields together. Usual: 1000.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_schema_options(
    config: Option<&mut mcp_elicit_engine_config>,
    count: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, count, |limits| (&mut limits.schema_options, "schema_options"))
}

/// How many rounds of a flow may bring a new question. Usual: 16.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_question_rounds(
    config: Option<&mut mcp_elicit_engine_config>,
    count: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, count, |limits| (&mut limits.question_rounds, "question_rounds"))
}

/// How often a question is asked again after an invalid answer. Usual: 3; 0 is allowed.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_reasks(
    config: Option<&mut mcp_elicit_engine_config>,
    count: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, count, |limits| (&mut limits.reasks, "reasks"))
}

/// How long a person may take over one round, in milliseconds. Usual: 10 minutes.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_round_ttl_ms(
    config: Option<&mut mcp_elicit_engine_config>,
    milliseconds: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, milliseconds, |limits| (&mut limits.round_ttl_ms, "round_ttl_ms"))
}

/// How long a flow may take, all its rounds together, in milliseconds. Usual: 1 hour.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_flow_ttl_ms(
    config: Option<&mut mcp_elicit_engine_config>,
    milliseconds: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, milliseconds, |limits| (&mut limits.flow_ttl_ms, "flow_ttl_ms"))
}

/// How long the winner of a claim may be at work before its outcome counts as unknown, in
/// milliseconds. Usual: 1 minute. Must be below the time of a flow.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_claim_wait_ms(
    config: Option<&mut mcp_elicit_engine_config>,
    milliseconds: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, milliseconds, |limits| (&mut limits.claim_wait_ms, "claim_wait_ms"))
}

/// How far the clocks of a fleet may stand apart, in milliseconds. Usual: 1 minute; 0 is allowed.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_engine_config_set_clock_skew_ms(
    config: Option<&mut mcp_elicit_engine_config>,
    milliseconds: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    set_limit(config, err, milliseconds, |limits| (&mut limits.clock_skew_ms, "clock_skew_ms"))
}
