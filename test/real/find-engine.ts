import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type EngineCommand, toBindingCommand } from '../../packages/server/src/engine/run-engine.ts';
import { findProgram } from '../engines/support/find-program.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/llama-server', import.meta.url));
/** What npm has of the engine, with a lock of its own. */
const BINDING = fileURLToPath(new URL('binding', import.meta.url));
const LIMIT_MS = 300_000;

/** The first Debian that has `llama-server`. */
const SUITE = 'forky';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** What it loads, the C library included: that of an older Debian is too old for it. */
const PACKAGES = [
  'llama.cpp-tools',
  'libllama0',
  'libggml0',
  'libgomp1',
  'libssl3t64',
  'libzstd1',
  'zlib1g',
  'libstdc++6',
  'libgcc-s1',
  'libc6',
];

/**
 * Finds llama.cpp: the server on the path, or Debian's, 13 MB, unpacked beside the system and installed nowhere, or else
 * what npm has, 22 MB, in a folder of its own. Returns the reasons where there is none. `REAL_ENGINE=npm` takes the last.
 */
export function findEngine(): EngineCommand | { readonly missing: string } {
  const server = process.env['REAL_ENGINE'] === 'npm' ? { missing: 'the one of npm is wanted' } : findServer();
  if (!('missing' in server)) return server;
  const binding = findBinding();
  return 'missing' in binding ? { missing: `${server.missing}; ${binding.missing}` } : binding;
}

function findBinding(): EngineCommand | { readonly missing: string } {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: 'the binding of npm is taken on Linux x64 alone' };
  }
  try {
    if (!existsSync(join(BINDING, 'node_modules/.package-lock.json'))) {
      // Its optional packages are those of other systems and of graphics cards, hundreds of megabytes.
      const words = ['ci', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
      execFileSync('npm', words, { cwd: BINDING, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS });
    }
  } catch (error) {
    return { missing: `the binding of npm could not be had: ${String(error)}` };
  }
  return { ...toBindingCommand(join(BINDING, 'package.json')), from: 'npm' };
}

function findServer(): EngineCommand | { readonly missing: string } {
  const onPath = findProgram('llama-server');
  if (onPath !== undefined) return { file: onPath, args: [], env: {}, from: onPath, isBinding: false };
  if (!existsSync('/usr/bin/apt-get') || !existsSync(KEYRING)) {
    return { missing: 'there is no llama-server on the path, and this is no Debian to take one from' };
  }
  if (process.arch !== 'x64') return { missing: 'there is no llama-server on the path' };
  try {
    if (!existsSync(CACHE)) unpackFromDebian();
    return toUnpacked();
  } catch (error) {
    return { missing: `there is no llama-server on the path, and Debian’s could not be had: ${String(error)}` };
  }
}

/** With lists and caches of its own: nothing of the system's apt is read or changed. */
function unpackFromDebian(): void {
  const work = `${CACHE}.new`;
  rmSync(work, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  const sources = join(work, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${SUITE} main\n`);
  writeFileSync(join(work, 'status'), '');
  const options = {
    'Dir::State': work,
    'Dir::State::lists': join(work, 'lists'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': join(work, 'cache'),
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '-',
    'APT::Sandbox::User': 'root',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const cwd = join(work, 'packages');
  const apt = (...words: string[]): void => {
    execFileSync('apt-get', [...flags, ...words], { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS });
  };
  apt('update');
  apt('download', ...PACKAGES);
  for (const file of readdirSync(cwd)) execFileSync('dpkg-deb', ['-x', join(cwd, file), join(work, 'root')]);
  renameSync(join(work, 'root'), CACHE);
  rmSync(work, { recursive: true, force: true });
}

/** It is started by the loader that came with it, because its libraries lie where no system looks. */
function toUnpacked(): EngineCommand {
  const libraries = join(CACHE, 'usr/lib/x86_64-linux-gnu');
  return {
    file: join(libraries, 'ld-linux-x86-64.so.2'),
    args: ['--library-path', `${libraries}:${libraries}/llama`, join(CACHE, 'usr/bin/llama-server')],
    // The one that every x86-64 runs: a result is to be the same everywhere.
    env: { GGML_BACKEND_PATH: join(libraries, 'ggml/backends0/libggml-cpu-x64.so') },
    from: `Debian ${SUITE}`,
    isBinding: false,
  };
}
