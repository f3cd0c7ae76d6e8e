import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Each installs something of its own by a lock of its own, and has a script `test`. */
const FOLDERS = ['test/packed', 'test/hosts', 'test/jest', 'test/workers', 'test/python-client', 'test/binary'];

/** Runs these suites, or those that are named on the command line, one after the other. */
const named = process.argv.slice(2);
const failed = FOLDERS.filter((folder) => named.length === 0 || named.includes(folder)).filter(
  (folder) => !runSuite(folder),
);
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function runSuite(folder: string): boolean {
  const isInstalled = existsSync(`${ROOT}${folder}/node_modules/.package-lock.json`);
  // What needs it then fails, or is skipped with the reason.
  if (!isInstalled && !runNpm(folder, 'ci')) console.error(`${folder} could not be installed`);
  return runNpm(folder, 'test');
}

function runNpm(folder: string, word: string): boolean {
  console.error(`${folder}: npm ${word}`);
  return spawnSync('npm', [word], { cwd: ROOT + folder, stdio: 'inherit' }).status === 0;
}
