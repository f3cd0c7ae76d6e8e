/** The sections of the settings, in their order. */
export const SECTIONS = ['appearance', 'account', 'routing', 'rules', 'webhooks', 'gateway', 'desktop'] as const;
export type SettingsSection = (typeof SECTIONS)[number];

export interface SettingsSearch {
  /** Absent for the first one. */
  readonly section?: SettingsSection;
}

export function toSettingsSearch({ section }: Record<string, unknown>): SettingsSearch {
  const known = SECTIONS.find((name) => name === section);
  return known === undefined ? {} : { section: known };
}
