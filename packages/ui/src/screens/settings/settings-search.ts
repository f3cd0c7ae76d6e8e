/** The sections of the settings, in their order. */
export const SECTIONS = [
  'appearance',
  'account',
  'routing',
  'rules',
  'sessions',
  'alarms',
  'workspaces',
  'data',
  'gateway',
  'desktop',
] as const;
export type SettingsSection = (typeof SECTIONS)[number];

export interface SettingsSearch {
  /** Absent for the first one. */
  readonly section?: SettingsSection;
  /** Id of the workspace that is open. */
  readonly workspace?: string;
  /** Id of the alarm that is open. */
  readonly open?: string;
}

export function toSettingsSearch({ section, workspace, open }: Record<string, unknown>): SettingsSearch {
  const known = SECTIONS.find((name) => name === section);
  if (known === undefined) return {};
  if (known === 'alarms' && typeof open === 'string') return { section: known, open };
  return known === 'workspaces' && typeof workspace === 'string' ? { section: known, workspace } : { section: known };
}
