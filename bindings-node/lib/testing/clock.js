'use strict';

/** A clock that stands still until a test moves it. See ../../testing.d.ts. */
class Clock {
  constructor(nowMs = 1_767_225_600_000) {
    this.nowMs = nowMs;
    /** As `new Engine` wants it. */
    this.now = () => this.nowMs;
  }

  advance(byMs) {
    this.nowMs += byMs;
  }
}

module.exports = { Clock };
