/**
 * A process that takes directories as its standard input says, a line a command: `own PATH` or `release`. It says
 * `ready` at first, and responds to each command with a line: `owned`, `released`, or why not.
 */
import { createInterface } from 'node:readline';

import { type DirectoryOwner, ownDirectory } from '../../../packages/node/src/stores/files/ownership.ts';

let owner: DirectoryOwner | undefined;

async function run(line: string): Promise<string> {
  if (line === 'release') {
    await owner?.release();
    owner = undefined;
    return 'released';
  }
  owner = await ownDirectory(line.slice('own '.length));
  return 'owned';
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await run(line).catch((error: unknown) => (error instanceof Error ? error.message : String(error))));
}
