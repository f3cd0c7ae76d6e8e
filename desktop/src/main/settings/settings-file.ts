import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import {
  DEFAULT_SETTINGS,
  type Settings,
  type SettingsChanges,
  settingsChangesSchema,
} from '@model-gateway/ui/desktop-bridge';
import { z } from 'zod';

const boundsSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Bounds = z.infer<typeof boundsSchema>;

const fileSchema = z.object({
  settings: settingsChangesSchema.optional(),
  window: z.object({ bounds: boundsSchema, isMaximized: z.boolean() }).nullish(),
  /** Provider keys as the machine's keyring has encrypted them, in base64. */
  sealedKeys: z.record(z.string(), z.string()).optional(),
  /** The key that seals what is set up, as the keyring has encrypted it, in base64. */
  sealingKey: z.string().nullish(),
});
type FileContent = z.infer<typeof fileSchema>;

/** The app's own settings, in one file. The gateway's configuration is elsewhere. */
export interface SettingsFile {
  readonly settings: Settings;
  readonly window: FileContent['window'];
  readonly sealedKeys: Readonly<Record<string, string>>;
  readonly sealingKey: string | null;
  /** Replaces the file as a whole. */
  change(changes: {
    readonly settings?: SettingsChanges;
    readonly window?: FileContent['window'];
    readonly sealedKeys?: Readonly<Record<string, string>>;
    readonly sealingKey?: string | null;
  }): void;
}

/** Opens the file. One that cannot be read is set aside, and the app starts with the defaults. */
export function openSettingsFile(file: string): SettingsFile {
  let content = read(file);
  return {
    get settings() {
      return { ...DEFAULT_SETTINGS, ...content.settings };
    },
    get window() {
      return content.window ?? null;
    },
    get sealedKeys() {
      return content.sealedKeys ?? {};
    },
    get sealingKey() {
      return content.sealingKey ?? null;
    },
    change({ settings, window, sealedKeys, sealingKey }) {
      content = {
        settings: { ...content.settings, ...settings },
        window: window === undefined ? content.window : window,
        sealedKeys: sealedKeys ?? content.sealedKeys ?? {},
        sealingKey: sealingKey === undefined ? content.sealingKey : sealingKey,
      };
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
    },
  };
}

function read(file: string): FileContent {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    renameSync(file, `${file}.corrupt-${Date.now()}`);
    return {};
  }
}
