import type { Settings } from '@model-gateway/core/wire';

type Members = Readonly<Record<string, unknown>>;

/** The members of which the gateway takes each field by itself. */
const GROUPS: ReadonlySet<string> = new Set(['providers', 'privacy', 'routing', 'sessions']);

/** The body of a change: only what differs, so that what others change meanwhile stays. */
export const toSettingsChange = (draft: Settings, before: Settings): Record<string, unknown> =>
  toChanged({ ...draft }, { ...before }, (name) => GROUPS.has(name));

function toChanged(draft: Members, before: Members, isGroup: (name: string) => boolean): Record<string, unknown> {
  const changed = Object.entries(draft).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [
      name,
      isGroup(name) ? toChanged(value as Members, before[name] as Members, () => false) : value,
    ]),
  );
}
