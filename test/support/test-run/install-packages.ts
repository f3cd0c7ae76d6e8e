import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const LIMIT_MS = 300_000;

/**
 * Installs the system packages that `findMissing` names, where this may be done: on Debian, as root. Returns what is
 * still in the way afterwards; undefined when nothing is.
 */
export function installPackages(findMissing: () => readonly string[]): string | undefined {
  const wanted = findMissing();
  if (wanted.length === 0) return undefined;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return `needs ${wanted.join(', ')}`;
  const apt = (...words: string[]): void => {
    execFileSync('apt-get', words, {
      stdio: 'ignore',
      timeout: LIMIT_MS,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  };
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...wanted);
  } catch {
    // Packages that are still missing are requested below.
  }
  const missing = findMissing();
  return missing.length === 0 ? undefined : `apt-get could not install ${missing.join(', ')}`;
}
