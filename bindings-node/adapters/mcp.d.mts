export * from './mcp.js';
