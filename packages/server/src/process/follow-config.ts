import { stat } from 'node:fs/promises';
import process from 'node:process';

import type { GatewayConfig } from '@model-gateway/node';

import type { ServerLogger } from './logger.ts';

/** The members of a configuration by the section of the file that they come from; those that come into force at once. */
const LIVE_SECTIONS = ['providers', 'models', 'account', 'routing', 'rateLimits', 'limits'] as const;
/** What is no section of the file, or is compared with one. */
const NO_SECTIONS: ReadonlySet<string> = new Set([
  '$schema',
  'origin',
  'file',
  'providerModules',
  'providerPackages',
  'optionSecrets',
  'configuredModels',
  'warnings',
]);

type Section = keyof GatewayConfig;

/** Settings that change at the next start: all others, so that a new section cannot be forgotten here. */
const listFixedSections = (config: GatewayConfig): Section[] =>
  (Object.keys(config) as Section[]).filter(
    (name) => !NO_SECTIONS.has(name) && !LIVE_SECTIONS.some((live) => live === name),
  );

/** Looks at the file this often: a notice of the file system does not come through mounts, and misses replaced links. */
const LOOK_EVERY_MS = 1000;

export interface ReloadOptions {
  /** The configuration that is in force at first. */
  readonly config: GatewayConfig;
  /** Reads it again. Throws what is wrong with it. */
  readonly read: () => GatewayConfig;
  /** Puts one into force. Rejects, and changes nothing, when it cannot. */
  readonly apply: (config: GatewayConfig) => Promise<void>;
  readonly logger: Pick<ServerLogger, 'info' | 'warn' | 'error'>;
}

/** Neither ever rejects: what is wrong is logged, and the former configuration stays in force. */
export interface ConfigReload {
  /** Reads the configuration again and puts what has changed into force, one call after the other. */
  reload(cause: string): Promise<void>;
  /** The same, but without a word where nothing has changed. */
  catchUp(): Promise<void>;
}

export function createReload({ config, read, apply, logger }: ReloadOptions): ConfigReload {
  const atStart = config;
  const fixed = listFixedSections(config);
  let inForce = config;
  let last: Promise<void> = Promise.resolve();

  const reload = async (cause: string, isSilentWhenSame: boolean): Promise<void> => {
    try {
      const next = read();
      if (isSilentWhenSame && [...LIVE_SECTIONS, ...fixed].every((section) => isSame(section, next, inForce))) return;
      const changed = LIVE_SECTIONS.filter((section) => !isSame(section, next, inForce));
      const needsRestart = fixed.filter((section) => !isSame(section, next, atStart));
      if (changed.length > 0) await apply(next);
      inForce = next;
      for (const warning of next.warnings) logger.warn(warning);
      if (needsRestart.length > 0) {
        logger.warn('part of the changed configuration takes effect only after a restart', { sections: needsRestart });
      }
      logger.info('the configuration was reloaded', { cause, changed });
    } catch (error) {
      logger.error('the changed configuration cannot be used; the previous one remains in effect', {
        cause,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };
  return {
    reload: (cause) => (last = last.then(() => reload(cause, false))),
    catchUp: () => (last = last.then(() => reload('the file has changed since it was read', true))),
  };
}

/** Providers are listed by how they are made. */
const partOf = (section: Section, config: GatewayConfig): unknown =>
  section === 'providers' ? [config.providers, config.providerModules, config.providerPackages] : config[section];

const isSame = (section: Section, one: GatewayConfig, other: GatewayConfig): boolean =>
  JSON.stringify(partOf(section, one)) === JSON.stringify(partOf(section, other));

/**
 * Reloads when the file changes, and on SIGHUP. What has changed since the configuration was read counts too. On a
 * terminal SIGHUP says that the terminal is gone, and ends the process as ever. Returns what ends that.
 */
export function followConfig(file: string | null, { reload, catchUp }: ConfigReload): () => void {
  const onHangUp = (): void => void reload('SIGHUP');
  if (!process.stdin.isTTY) process.on('SIGHUP', onHangUp);
  const stopLooking = file === null ? undefined : followFile(file, { reload, catchUp });
  return () => {
    process.off('SIGHUP', onHangUp);
    stopLooking?.();
  };
}

/** `watchFile` would not tell which state of the file it compares with first. */
function followFile(file: string, { reload, catchUp }: ConfigReload): () => void {
  let seen: string | undefined;
  const look = async (): Promise<void> => {
    const found = await stateOf(file);
    if (found === seen) return;
    const isFirst = seen === undefined;
    seen = found;
    await (isFirst ? catchUp() : reload('the file has changed'));
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Differs once the file is written to, replaced, or gone. */
async function stateOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'unreadable';
  }
}
