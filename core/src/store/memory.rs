//! A store in this process: for one instance, and for tests.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use super::locks::{Mutex, MutexGuard};
use super::{Store, StoreError, StoreOp, StoreReply};

const SHARDS: usize = 16;

/// A bounded store in memory, shared by the threads of one process and gone with it.
///
/// What has expired makes room for what comes; where nothing has, [`StoreError::Full`].
pub struct MemoryStore {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
    /// Bytes that a shard may hold, keys included.
    most: usize,
}

#[derive(Default)]
struct Shard {
    values: HashMap<String, Stored>,
    bytes: usize,
}

struct Stored {
    value: Vec<u8>,
    expires: Instant,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store of at most 64 MiB.
    pub fn new() -> Self {
        Self::with_capacity(64 << 20)
    }

    /// A store of about `bytes` at most, keys and values counted. Divided among 16 shards: a value
    /// can be as large as one of them.
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            most: bytes / SHARDS,
        }
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, Shard> {
        let at = self.hasher.hash_one(key) as usize % SHARDS;
        // A panic elsewhere leaves a shard whole: every change is one insertion or removal.
        self.shards[at].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn execute(&self, op: &StoreOp) -> Result<StoreReply, StoreError> {
        let mut shard = self.shard(op.key());
        let now = Instant::now();
        let found = shard.get(op.key(), now);
        match op {
            StoreOp::Get { .. } => Ok(found.map_or(StoreReply::Absent, StoreReply::Found)),
            StoreOp::PutIfAbsent { key, value, ttl_ms } => match found {
                Some(value) => Ok(StoreReply::Found(value)),
                None => shard.put(key, value, *ttl_ms, now, self.most),
            },
            StoreOp::CompareAndSet { key, expected, value, ttl_ms } => {
                if found.as_ref() != Some(expected) {
                    return Ok(StoreReply::Conflict);
                }
                shard.put(key, value, *ttl_ms, now, self.most)
            }
            StoreOp::CompareAndDelete { key, expected } => {
                if found.as_ref() != Some(expected) {
                    return Ok(StoreReply::Conflict);
                }
                shard.remove(key);
                Ok(StoreReply::Done)
            }
        }
    }
}

impl Shard {
    fn get(&self, key: &str, now: Instant) -> Option<Vec<u8>> {
        self.values
            .get(key)
            .filter(|stored| stored.expires > now)
            .map(|stored| stored.value.clone())
    }

    fn put(
        &mut self,
        key: &str,
        value: &[u8],
        ttl_ms: u64,
        now: Instant,
        most: usize,
    ) -> Result<StoreReply, StoreError> {
        let old = self.values.get(key).map_or(0, |stored| key.len() + stored.value.len());
        let grown = |bytes: usize| bytes - old + key.len() + value.len();
        if grown(self.bytes) > most {
            self.drop_expired(now);
            let old = self.values.get(key).map_or(0, |stored| key.len() + stored.value.len());
            if self.bytes - old + key.len() + value.len() > most {
                return Err(StoreError::Full);
            }
        }
        self.remove(key);
        self.bytes += key.len() + value.len();
        // A life past what the clock can count is as good as a year.
        let year = Duration::from_secs(366 * 24 * 3600);
        let expires = now + Duration::from_millis(ttl_ms).min(year);
        self.values.insert(key.to_owned(), Stored { value: value.to_vec(), expires });
        Ok(StoreReply::Done)
    }

    fn remove(&mut self, key: &str) {
        if let Some(stored) = self.values.remove(key) {
            self.bytes -= key.len() + stored.value.len();
        }
    }

    fn drop_expired(&mut self, now: Instant) {
        let bytes = &mut self.bytes;
        self.values.retain(|key, stored| {
            let keep = stored.expires > now;
            if !keep {
                *bytes -= key.len() + stored.value.len();
            }
            keep
        });
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore").field("most_bytes", &(self.most * SHARDS)).finish()
    }
}
