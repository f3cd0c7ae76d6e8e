import process from 'node:process';

/** The used parts of `node:http`. An import reads all exports, and its WebSocket an HTTP client: a tenth of a start. */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
