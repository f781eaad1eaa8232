//! The native half of the npm package `mcp-elicit`.
//!
//! Owns how text and numbers get from JavaScript to the core and back. Holds no rules of the
//! protocol: those are the core's. What is pleasant to use is built on top, in `lib/*.js`, which
//! is also where the types of arguments are checked.
//!
//! Everything is a plain function over handles (`External`): a method of a class costs four times
//! as much to call. What crosses often crosses as one string ("frame"), since creating an object
//! is dearer than cutting a string; each function says how its frame reads.
//!
//! Errors leave as a thrown handle (see `boundary`), which `lib/error.js` makes an `ElicitError`.
#![deny(unsafe_code)]

pub mod answer;
pub mod boundary;
pub mod call;
pub mod claim;
pub mod engine;
pub mod error;
pub mod field;
pub mod form;
mod hooks;
pub mod store;
pub mod testing;
