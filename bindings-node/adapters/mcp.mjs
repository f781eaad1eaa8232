// The same objects as mcp.js gives: a process that uses both has one of each class.
import all from './mcp.js';

export const { elicits } = all;
