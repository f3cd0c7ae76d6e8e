import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PRESETS } from '@model-gateway/core/providers/presets';
import { afterAll, expect } from 'vitest';

import { ConfigError } from '../../../packages/node/src/config/config-errors.ts';
import {
  type GatewayConfig,
  loadConfig,
  type LoadConfigOptions,
} from '../../../packages/node/src/config/load-config.ts';

/** A provider on this machine, and an endpoint at it. */
export const local = { slug: 'local', wire: 'openai', baseUrl: 'http://127.0.0.1:11434/v1/' };
export const endpoint = { provider: 'local', providerModel: 'x' };

/** A folder with a config file, until the tests of the file have ended. */
export function createConfigFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'gateway.config.json');

  /** Writes the config and loads it, without environment variables. */
  function load(config: unknown, options: Partial<LoadConfigOptions> = {}): GatewayConfig {
    writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
    return loadConfig({ file, env: {}, presets: PRESETS, ...options });
  }

  /** The issues of a config that must be refused, as `path: message` lines. */
  function refused(config: unknown, options: Partial<LoadConfigOptions> = {}): string[] {
    let error: unknown;
    try {
      load(config, options);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof ConfigError)) throw new Error('the config was accepted', { cause: error });
    const { issues } = error;
    const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    const placed = lines.map((text, index) => {
      const line = issues[index]?.line;
      return line === undefined ? text : `${text} (line ${line})`;
    });
    expect(error.message.split('\n  ').slice(1)).toEqual(placed);
    expect(error.message).toContain(file);
    return lines;
  }
  return { folder, file, load, refused };
}
