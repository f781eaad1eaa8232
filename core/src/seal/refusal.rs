//! Why a state was refused. For the log hook only: the wire knows one refusal.

use std::fmt;

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $message:literal;)*) => {
        /// Why a `requestState` was refused.
        ///
        /// For the log hook; the peer sees the same error for every cause
        /// ([`ErrorKind::InvalidState`](crate::ErrorKind::InvalidState)).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Refusal {
            $($(#[$doc])* $variant,)*
        }

        impl Refusal {
            /// Every cause.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// A stable name, the same in every language.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// A sentence for the operator.
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)* }
            }
        }
    };
}

refusals! {
    /// Longer than the limit for tokens. Nothing of it was decoded.
    TooLarge = "too_large", "the state is longer than the limit for tokens";
    /// Not the one text of a token, or sealed content of a version that is not known here.
    Malformed = "malformed", "the state is not a token of a format known here";
    /// Sealed by a key that is not in the keyring.
    UnknownKey = "unknown_key", "the state was sealed by a key that is not in the keyring";
    /// Changed after it was sealed, sealed for another purpose, or never sealed by us.
    Forged = "forged", "the state was changed, or is a token of another kind";
    /// The time to answer this round is over.
    Expired = "expired", "the time to answer this round is over";
    /// Issued in the future by more than the clock skew that is allowed.
    NotYetValid = "not_yet_valid", "the state was issued in the future; compare the clocks of the fleet";
    /// Sealed for another method, tool, prompt, resource or other arguments.
    OtherRequest = "other_request", "the state was sealed for another request or other arguments";
    /// Sealed for another audience.
    OtherAudience = "other_audience", "the state was sealed for another audience";
    /// Sealed for another principal.
    OtherPrincipal = "other_principal", "the state was sealed for another principal";
    /// The time for the whole flow is over.
    DeadlinePassed = "deadline_passed", "the time for the whole flow is over";
    /// More rounds with new questions than the engine allows.
    TooManyRounds = "too_many_rounds", "the flow has had more rounds than the limit allows";
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}
