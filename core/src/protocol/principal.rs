//! Who makes a request, in the words of the server.
//!
//! The server takes it from credentials that it has verified; nothing in the request can set it.
//! Protocol: mrtr, server requirement 5 ("the authenticated principal").

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};

/// Who makes a request: a user at an OAuth client, the one person of a local server, or nobody.
///
/// State is bound to it: what one principal began, no other can go on with. Two principals are
/// equal when they are of one kind and issuer, subject and client are the same bytes. Cheap to
/// clone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Principal(Who);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Who {
    Nobody,
    SingleUser,
    User(Arc<User>),
}

#[derive(PartialEq, Eq, Hash)]
struct User {
    issuer: String,
    subject: String,
    client: String,
}

/// What kind of [`Principal`] one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrincipalKind {
    /// The server does not know who asks: no interactions, grants or tasks.
    None,
    /// The server is for one person, as over stdio.
    SingleUser,
    /// A user, told by issuer and subject, at an OAuth client.
    User,
}

impl Principal {
    /// A user at a client: `issuer` and `subject` say who it is (the `iss` and `sub` of a verified
    /// token), `client` which OAuth client acts (`client_id` or `azp`). Where credentials know no
    /// issuer or no client, give a constant of your own.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where one of them is empty: an empty name is nearly always
    /// a claim that was not read, and would make many users one.
    pub fn new(
        issuer: impl Into<String>,
        subject: impl Into<String>,
        client: impl Into<String>,
    ) -> Result<Self> {
        let user = User { issuer: issuer.into(), subject: subject.into(), client: client.into() };
        for (name, value) in
            [("issuer", &user.issuer), ("subject", &user.subject), ("client", &user.client)]
        {
            if value.is_empty() {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    format!(
                        "the principal's {name} is empty: take it from the verified credentials, \
                         or give the principal none where there are none"
                    ),
                ));
            }
        }
        Ok(Self(Who::User(Arc::new(user))))
    }

    /// The one person whom the server is for.
    pub const fn single_user() -> Self {
        Self(Who::SingleUser)
    }

    /// Nobody in particular. State is then bound to no one: whoever holds it can go on with it.
    pub const fn none() -> Self {
        Self(Who::Nobody)
    }

    /// Which kind this is.
    pub fn kind(&self) -> PrincipalKind {
        match self.0 {
            Who::Nobody => PrincipalKind::None,
            Who::SingleUser => PrincipalKind::SingleUser,
            Who::User(_) => PrincipalKind::User,
        }
    }

    /// The issuer, where this is a user.
    pub fn issuer(&self) -> Option<&str> {
        self.user().map(|user| user.issuer.as_str())
    }

    /// The subject, where this is a user.
    pub fn subject(&self) -> Option<&str> {
        self.user().map(|user| user.subject.as_str())
    }

    /// The OAuth client, where this is a user.
    pub fn client(&self) -> Option<&str> {
        self.user().map(|user| user.client.as_str())
    }

    fn user(&self) -> Option<&User> {
        match &self.0 {
            Who::User(user) => Some(user),
            Who::Nobody | Who::SingleUser => None,
        }
    }
}

/// Says the kind only: who someone is does not belong into logs unasked.
impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Principal({:?})", self.kind())
    }
}
