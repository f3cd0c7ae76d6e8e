import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** An application outside of the workspace. */
export interface App {
  readonly dir: string;
  /** Installs what is named, as a person does. Packages of others come in the versions of the workspace. */
  install(...names: readonly string[]): void;
  /** What stands in `node_modules`. */
  measure(): { readonly packages: number; readonly megabytes: number };
  write(name: string, text: string): string;
  writeBytes(name: string, bytes: Uint8Array): void;
  run(command: string, ...words: readonly string[]): string;
}

/** Makes an empty application in a folder of its own, which is removed after the test. */
export function makeApp(type: 'commonjs' | 'module'): App {
  const dir = mkdtempSync(join(tmpdir(), 'packed-app-'));
  // Some are of thousands of files.
  onTestFinished(() => rmSync(dir, { recursive: true }), 60_000);
  const app: App = {
    dir,
    install: (...names) =>
      void app.run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...names.map(toVersion)),
    measure: () => ({
      packages: Object.keys(JSON.parse(readFileSync(`${dir}/node_modules/.package-lock.json`, 'utf8')).packages).length,
      megabytes: Number(app.run('du', '-s', '-B', '1', '--apparent-size', 'node_modules').split('\t')[0]) / 1e6,
    }),
    write(name, text) {
      const path = join(dir, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    writeBytes: (name, bytes) => writeFileSync(join(dir, name), bytes),
    run(command, ...words) {
      const { status, stdout, stderr } = spawnSync(command, words, {
        cwd: dir,
        env: ownEnv(),
        encoding: 'utf8',
        timeout: 200_000,
      });
      if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`);
      return stdout;
    },
  };
  app.write('package.json', JSON.stringify({ name: 'app', version: '1.0.0', type }));
  return app;
}

/** The settings of the npm that runs this test, and of the test runner, are not those of the application. */
export function ownEnv(): NodeJS.ProcessEnv {
  const inherited =
    /^(npm_(?!config_)|npm_config_(local_prefix|workspace)|NODE_(OPTIONS|ENV|COMPILE_CACHE)|VITEST|INIT_CWD)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)));
}

const { devDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>;
};

function toVersion(name: string): string {
  if (name === 'express-4') return devDependencies[name]?.slice('npm:'.length) ?? name;
  const version = devDependencies[name];
  return version === undefined ? name : `${name}@${version}`;
}
