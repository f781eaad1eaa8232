// The same objects as index.js gives: a process that uses both has one of each class.
import all from './index.js';

export const {
  ElicitError,
  Engine,
  Form,
  MemoryStore,
  PROTOCOL_VERSION,
  Principal,
  RedisStore,
  SqliteStore,
  Suspended,
  isSuspended,
  keygen,
} = all;
