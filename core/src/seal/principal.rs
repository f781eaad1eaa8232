//! Principal tags: who a state was sealed for, so that nobody can read it from the state.
//!
//! Protocol: basic/patterns/mrtr, server requirement 5 ("the authenticated principal").

use hmac::Mac;
use subtle::ConstantTimeEq;

use super::keyring::RingKey;
use crate::protocol::{Principal, PrincipalKind};

/// Keyed hash of a principal, under the key that sealed the token it stands in.
#[derive(Clone, Copy)]
pub(super) struct PrincipalTag(pub(super) [u8; 16]);

impl PrincipalTag {
    pub(super) fn of(key: &RingKey, principal: &Principal) -> Self {
        let mut mac = key.principal_tag.clone();
        // The kind comes first, so that no user hashes like nobody.
        mac.update(&[match principal.kind() {
            PrincipalKind::None => 0,
            PrincipalKind::SingleUser => 1,
            PrincipalKind::User => 2,
        }]);
        let parts = [principal.issuer(), principal.subject(), principal.client()];
        for part in parts.into_iter().flatten() {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        let mut tag = [0; 16];
        tag.copy_from_slice(&mac.finalize().into_bytes()[..16]);
        Self(tag)
    }

    /// Compares in constant time.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}
