import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Loopback is down in a network of one's own. */
const IN_LOOPBACK = 'ip link set lo up && exec "$@"';

/**
 * Ways to a network without other addresses, best first. With none of them the agents still have a proxy that lets
 * nobody through, and the tests fail for what it was asked.
 */
const NETWORKS: readonly { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> }[] = [
  { words: ['unshare', '--net', 'sh', '-c', IN_LOOPBACK, 'sh'], env: {} },
  // Its root is nobody else than who started this, and can become nobody else.
  { words: ['unshare', '--map-root-user', '--net', 'sh', '-c', IN_LOOPBACK, 'sh'], env: { AGENTS_AS_SELF: '1' } },
];

install();
process.exitCode = runTests(process.argv.slice(2));

/** Installs the agents; the tests of one that is not there are skipped. */
function install(): void {
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return;
  // A registry without the packages of other systems leaves gaps in the lock, for which newer versions of npm refuse
  // `ci`; all versions are exact in package.json too.
  if (!['ci', 'install'].some(succeeds)) console.error('The agents could not be installed.');
}

const succeeds = (command: string): boolean =>
  spawnSync('npm', [command, '--no-save', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' }).status === 0;

function runTests(words: readonly string[]): number {
  const { words: within, env } = NETWORKS.find(isPermitted) ?? { words: ['env'], env: {} };
  const [command = 'env', ...rest] = within;
  const { status } = spawnSync(command, [...rest, 'vitest', 'run', '--project', 'agents', ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...env, TEST_AGENTS: '1' },
  });
  return status ?? 1;
}

function isPermitted({ words: [command = '', ...rest] }: (typeof NETWORKS)[number]): boolean {
  return spawnSync(command, [...rest, 'true']).status === 0;
}
