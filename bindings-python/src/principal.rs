//! `Principal`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::boundary::boundary;
use crate::error::raise;
use crate::text::text;

/// Who makes a request, told by the server from verified credentials.
#[pyclass(frozen, eq, hash, module = "mcp_elicit")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Principal(pub(crate) mcp_elicit::Principal);

#[pymethods]
impl Principal {
    /// A user at an OAuth client. None of the three may be empty.
    #[new]
    fn new(
        py: Python<'_>,
        issuer: &Bound<'_, PyAny>,
        subject: &Bound<'_, PyAny>,
        client: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        boundary(py, || {
            let (issuer, subject) = (text(issuer, "issuer")?, text(subject, "subject")?);
            let made = mcp_elicit::Principal::new(issuer, subject, text(client, "client")?);
            made.map(Self).map_err(|error| raise(py, error))
        })
    }

    /// The one person whom the server is for, as over stdio.
    #[staticmethod]
    fn single_user() -> Self {
        Self(mcp_elicit::Principal::single_user())
    }

    /// Nobody in particular: state is bound to no one.
    #[staticmethod]
    fn none() -> Self {
        Self(mcp_elicit::Principal::none())
    }

    /// `user`, `single_user` or `none`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            mcp_elicit::PrincipalKind::None => "none",
            mcp_elicit::PrincipalKind::SingleUser => "single_user",
            mcp_elicit::PrincipalKind::User => "user",
        }
    }

    /// The issuer of a user's credentials.
    #[getter]
    fn issuer(&self) -> Option<&str> {
        self.0.issuer()
    }

    /// The user, to that issuer.
    #[getter]
    fn subject(&self) -> Option<&str> {
        self.0.subject()
    }

    /// The OAuth client that acts for the user.
    #[getter]
    fn client(&self) -> Option<&str> {
        self.0.client()
    }

    /// For `pickle` and `copy`: a principal goes to the workers of a pool with its request.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let class = slf.get_type();
        match (this.issuer(), this.subject(), this.client()) {
            (Some(issuer), Some(subject), Some(client)) => {
                Ok((class.into_any(), PyTuple::new(py, [issuer, subject, client])?))
            }
            _ => Ok((class.getattr(this.kind())?, PyTuple::empty(py))),
        }
    }

    /// Says the kind only: who someone is does not belong into logs unasked.
    fn __repr__(&self) -> String {
        format!("<Principal {}>", self.kind())
    }
}
