// Stands in for the command in tests that start it by Node.js: the process becomes the single executable, with its PID.
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// `execve` is announced as experimental on stderr, which tests read.
process.emitWarning = () => undefined;
const binary = fileURLToPath(new URL('../../binary/model-gateway', import.meta.url));
process.execve(binary, [binary, ...process.argv.slice(2)]);
