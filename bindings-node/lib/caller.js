'use strict';
// Who sends a request and how it came, packed for one crossing into native code.
const { invalid, text } = require('./error.js');

/** In place of an issuer: a principal that is no user. */
const SPECIAL = Symbol('special');

let isPrincipal;

/** Who makes a request. See index.d.ts. */
class Principal {
  /** What only looks like a principal does not have it. */
  #made = true;

  constructor(issuer, subject, client) {
    if (issuer === SPECIAL) {
      this.kind = subject;
    } else {
      this.kind = 'user';
      this.issuer = text(issuer, 'issuer');
      this.subject = text(subject, 'subject');
      this.client = text(client, 'client');
    }
    Object.freeze(this);
  }

  static #singleUser = new Principal(SPECIAL, 'single_user');
  static #none = new Principal(SPECIAL, 'none');

  static singleUser() {
    return Principal.#singleUser;
  }

  static none() {
    return Principal.#none;
  }

  static {
    isPrincipal = given => #made in given;
  }
}

/** The principal of a call: as it was given, or made from its three parts. */
function principalOf(context) {
  checkContext(context);
  const { principal } = context;
  if (typeof principal !== 'object' || principal === null) {
    throw invalid('a principal is needed: { issuer, subject, client }, Principal.singleUser() or Principal.none()');
  }
  if (isPrincipal(principal)) return principal;
  return new Principal(principal.issuer, principal.subject, principal.client);
}

/** A slip in the name of a member could pass for a transport without headers. */
function checkContext(context) {
  if (typeof context !== 'object' || context === null) throw invalid('a context is needed: { principal, headers }');
  for (const name in context) {
    if (name !== 'principal' && name !== 'headers' && name !== 'paramHeaders') {
      throw invalid(`a context has no member ${name}`);
    }
  }
}

/**
 * Packs a caller into one string with U+0000 between its fields: two letters for the kind of
 * principal and the transport, the parts of a user, name and value of each header. The number of
 * fields goes along, so that a U+0000 inside one is found out.
 */
class Packed {
  constructor(principal, context) {
    this.packed = '';
    this.fields = 1;
    this.mirrored = mirrored(context.paramHeaders);
    const { headers } = context;
    const transport = headers === undefined || headers === null ? '-' : 'h';
    if (principal.kind === 'user') {
      this.packed = `u${transport}\0${principal.issuer}\0${principal.subject}\0${principal.client}`;
      this.fields = 4;
    } else {
      this.packed = `${principal.kind[0]}${transport}`;
    }
    if (transport === 'h') this.#headers(headers);
  }

  #headers(headers) {
    if (Array.isArray(headers) && typeof headers[0] === 'string') {
      // As `rawHeaders` of node:http: name, value, name, value.
      if (headers.length % 2 !== 0) throw invalid('headers: a name without a value');
      for (let index = 0; index < headers.length; index += 2) this.#add(headers[index], headers[index + 1]);
    } else if (typeof headers === 'object' && typeof headers[Symbol.iterator] === 'function') {
      // Headers, Map, list of pairs.
      for (const pair of headers) {
        if (!Array.isArray(pair) || pair.length !== 2) throw invalid('headers: pairs of name and value are needed');
        this.#add(pair[0], pair[1]);
      }
    } else if (typeof headers === 'object') {
      // As `headers` of node:http: several values of one name can be an array.
      for (const name of Object.keys(headers)) this.#add(name, headers[name]);
    } else {
      throw invalid('headers must be an object, Headers, a Map, rawHeaders or a list of pairs');
    }
  }

  #add(name, value) {
    if (typeof name === 'string' && typeof value === 'string') {
      // U+0000 cannot cross; it is refused as any other control character is. Half of a surrogate pair
      // becomes U+FFFD, which no header that counts can hold either.
      this.packed += `\0${name}\0${value.includes('\0') ? value.replaceAll('\0', '\x01') : value}`;
      this.fields += 2;
    } else if (Array.isArray(value)) {
      for (const each of value) this.#add(name, typeof each === 'string' ? each : null);
    } else if (value !== undefined) {
      throw invalid(typeof name === 'string' ? `headers: the value of ${name} is no string` : 'headers: a name is no string');
    }
  }
}

/** The headers that mirror arguments: each a list of its name and the path to the argument. */
function mirrored(paramHeaders) {
  if (paramHeaders === undefined || paramHeaders === null) return undefined;
  if (typeof paramHeaders !== 'object') throw invalid('paramHeaders must be an object or a Map');
  const entries = paramHeaders instanceof Map ? paramHeaders : Object.entries(paramHeaders);
  return Array.from(entries, ([name, path]) =>
    [name, ...(Array.isArray(path) ? path : [path])].map(part => text(part, 'paramHeaders: a name or path')));
}

module.exports = { Packed, Principal, checkContext, principalOf };
