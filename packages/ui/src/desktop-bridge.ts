import { z } from 'zod';

/*
 * Requests that the window can send to the app, beside the gateway's own API: one table that both sides check against.
 * No request can name a file or an address; the app shows dialogs of its own for those. The app imports this file at
 * run time, as `@model-gateway/ui/desktop-bridge`; the page imports types alone, so that its bundle is without zod.
 */

/**
 * `live` calls providers; `replay` serves recorded responses and calls no provider; `record` calls providers and
 * records their responses.
 */
export const MODES = ['live', 'replay', 'record'] as const;
export type Mode = (typeof MODES)[number];

/** A key or several, as Electron names them: `Control+Alt+G`. Empty for none. */
const SHORTCUT =
  /^(?:(?:(?:Control|Alt|Shift|Super|Command)\+)*(?:Control|Alt|Super|Command)\+(?:Shift\+)?(?:[A-Z0-9]|F\d{1,2}|Space))?$/;

const settingsShape = {
  port: z.number().int().min(1024).max(65_535),
  startAtLogin: z.boolean(),
  startHidden: z.boolean(),
  closeToTray: z.boolean(),
  shareOnNetwork: z.boolean(),
  lookForUpdates: z.boolean(),
  mode: z.enum(MODES),
  /** Whether the demo runs while no provider has been set up. */
  demo: z.boolean(),
  language: z.enum(['system', 'en', 'de']),
  /** Opens the quick panel from every program. */
  shortcut: z.string().max(60).regex(SHORTCUT),
  notifyAlarms: z.boolean(),
  notifyBudget: z.boolean(),
  notifyProviders: z.boolean(),
  notifyVideos: z.boolean(),
  notifyUpdates: z.boolean(),
};
const settingsSchema = z.strictObject(settingsShape);
export type Settings = z.infer<typeof settingsSchema>;

/** Absent settings stay unchanged. */
export const settingsChangesSchema = z.strictObject({
  port: settingsShape.port.exactOptional(),
  startAtLogin: settingsShape.startAtLogin.exactOptional(),
  startHidden: settingsShape.startHidden.exactOptional(),
  closeToTray: settingsShape.closeToTray.exactOptional(),
  shareOnNetwork: settingsShape.shareOnNetwork.exactOptional(),
  lookForUpdates: settingsShape.lookForUpdates.exactOptional(),
  mode: settingsShape.mode.exactOptional(),
  demo: settingsShape.demo.exactOptional(),
  language: settingsShape.language.exactOptional(),
  shortcut: settingsShape.shortcut.exactOptional(),
  notifyAlarms: settingsShape.notifyAlarms.exactOptional(),
  notifyBudget: settingsShape.notifyBudget.exactOptional(),
  notifyProviders: settingsShape.notifyProviders.exactOptional(),
  notifyVideos: settingsShape.notifyVideos.exactOptional(),
  notifyUpdates: settingsShape.notifyUpdates.exactOptional(),
});
export type SettingsChanges = z.infer<typeof settingsChangesSchema>;

export const DEFAULT_SETTINGS: Settings = {
  port: 8855,
  startAtLogin: false,
  startHidden: false,
  closeToTray: true,
  shareOnNetwork: false,
  lookForUpdates: false,
  mode: 'live',
  demo: false,
  language: 'system',
  shortcut: '',
  notifyAlarms: true,
  notifyBudget: true,
  notifyProviders: true,
  notifyVideos: true,
  notifyUpdates: true,
};

const stateSchema = z.object({
  phase: z.enum(['starting', 'listening', 'paused', 'not-listening', 'failed']),
  url: z.string().optional(),
  port: z.number().optional(),
  kind: z.enum(['taken', 'denied', 'other']).optional(),
  message: z.string().optional(),
  freePort: z.number().nullish(),
  isDemo: z.boolean().optional(),
});

export const infoSchema = z.object({
  version: z.string(),
  platform: z.string(),
  dataDir: z.string(),
  state: stateSchema,
  settings: settingsSchema,
  /** What the app speaks now: where the settings leave it to the system, only the app knows. */
  language: z.enum(['en', 'de']),
  /** `keyring`, `plain` (the machine has no keyring), or `none`. */
  secretStorage: z.enum(['keyring', 'plain', 'none']),
  /** Names of the environment variables for which a key is kept; never the keys. */
  providerKeys: z.array(z.string()),
  /** Addresses by which others on the network can call, while shared. */
  networkUrls: z.array(z.string()),
});
export type DesktopInfo = z.infer<typeof infoSchema>;

const panelCallSchema = z.object({
  id: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  model: z.string(),
  status: z.enum(['ok', 'failed', 'cancelled', 'interrupted']),
  /** Null when it is not known. */
  costUsd: z.number().nullable(),
});
export type PanelCall = z.infer<typeof panelCallSchema>;

/** What the quick panel shows. */
export const panelSchema = z.object({
  language: z.enum(['en', 'de']),
  /** The state in words of that language. */
  stateText: z.string(),
  phase: stateSchema.shape.phase,
  /** Null while programs cannot call. */
  baseUrl: z.string().nullable(),
  mode: z.enum(MODES),
  isDemo: z.boolean(),
  /** The reason why a mode is of no use at the moment. */
  obstacles: z.record(z.enum(MODES), z.string().nullable()),
  openCalls: z.number(),
  today: z.object({ requests: z.number(), costUsd: z.number() }),
  latest: z.array(panelCallSchema),
});
export type PanelInfo = z.infer<typeof panelSchema>;

const environmentName = z.string().regex(/^[A-Z][A-Z0-9_]{2,63}$/);
const outcomeSchema = z.object({ done: z.boolean(), message: z.string() });
export type Outcome = z.infer<typeof outcomeSchema>;

/** Arguments and results by channel: what is passed to the app, and what it returns. */
export const CHANNELS = {
  info: { parameters: z.tuple([]), result: infoSchema },
  changeSettings: { parameters: z.tuple([settingsChangesSchema]), result: outcomeSchema },
  saveProviderKey: { parameters: z.tuple([environmentName, z.string().min(1).max(4096)]), result: outcomeSchema },
  removeProviderKey: { parameters: z.tuple([environmentName]), result: outcomeSchema },
  retryPort: { parameters: z.tuple([z.number().int().min(0).max(65_535).nullable()]), result: outcomeSchema },
  exportSettings: { parameters: z.tuple([]), result: outcomeSchema },
  importSettings: { parameters: z.tuple([]), result: outcomeSchema },
  backUp: { parameters: z.tuple([]), result: outcomeSchema },
  restore: { parameters: z.tuple([]), result: outcomeSchema },
  wipe: { parameters: z.tuple([]), result: outcomeSchema },
  openLogs: { parameters: z.tuple([]), result: outcomeSchema },
  panel: { parameters: z.tuple([]), result: panelSchema },
  /** Puts the address for programs on the clipboard. */
  copyAddress: { parameters: z.tuple([]), result: outcomeSchema },
  setPaused: { parameters: z.tuple([z.boolean()]), result: outcomeSchema },
  /** Opens a place of the UI, as after the `#/`, in the main window. */
  openPlace: {
    parameters: z.tuple([
      z
        .string()
        .max(200)
        .regex(/^[\w%/.-]*$/),
    ]),
    result: outcomeSchema,
  },
  openLink: { parameters: z.tuple([z.string().max(2048)]), result: outcomeSchema },
} as const;

export type Channel = keyof typeof CHANNELS;
export type ChannelParameters<C extends Channel> = z.infer<(typeof CHANNELS)[C]['parameters']>;
export type ChannelResult<C extends Channel> = z.infer<(typeof CHANNELS)[C]['result']>;

/** `window.desktop` in the UI. */
export type DesktopBridge = {
  readonly [C in Channel]: (...parameters: ChannelParameters<C>) => Promise<ChannelResult<C>>;
} & {
  /** Calls back after every change of what `info` returns. Returns what ends that. */
  onChange(tell: () => void): () => void;
};
