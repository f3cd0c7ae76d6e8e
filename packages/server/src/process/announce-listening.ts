import process from 'node:process';

/** Says in one line on stdout that calls are taken, for programs that have started this one. */
export function announceListening(url: string): void {
  process.stdout.write(`${JSON.stringify({ event: 'listening', url, api: `${url}/api/v1` })}\n`);
}
