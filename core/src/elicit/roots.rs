//! Roots: the folders a client works in. Passed through; the answer's shape is checked.
//!
//! The revision deprecates roots: for new servers it advises parameters or configuration.
//! Protocol: client/roots, "Root" (`uri` MUST be a `file://` URI).

use crate::json::Value;

/// What is wrong with a ListRootsResult: the member and what it must be.
pub(crate) fn check_result(result: Value<'_>) -> Result<(), (&'static str, &'static str)> {
    let Some(roots) = result.get("roots").filter(|roots| roots.is_array()) else {
        return Err(("roots", "roots must be an array"));
    };
    let sound = |root: Value<'_>| {
        let uri = root.get("uri").and_then(Value::as_str);
        let named = root.get("name").is_none_or(|name| name.is_null() || name.as_str().is_some());
        uri.is_some_and(|uri| uri.starts_with("file://")) && named
    };
    if roots.items().all(sound) {
        Ok(())
    } else {
        Err(("roots", "each root has a uri that begins with file://, and its name is a text"))
    }
}
