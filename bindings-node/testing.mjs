// The same objects as testing.js gives: a process that uses both has one of each class.
import all from './testing.js';

export const { Answer, Clock, Flow, FlowError, Host, accept, cancel, decline, never, result } = all;
