export const DRY_RUN_SPANS = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  all: 'All',
  own: 'From … until',
} as const;

/** The calls to look at, as the form has them. */
export interface DryRunScope {
  readonly span: keyof typeof DRY_RUN_SPANS;
  /** In local time, as its field writes them; for a span of one's own. */
  readonly from: string;
  readonly to: string;
  /** In the filter language. */
  readonly where: string;
  /** Only calls of the keys that the guardrail holds for. */
  readonly isOwnKeys: boolean;
}

const HOUR_MS = 3_600_000;
const HOURS: Readonly<Partial<Record<DryRunScope['span'], number>>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** The same as the API takes it. */
export function toDryRunFilter(
  { span, from, to, where, isOwnKeys }: DryRunScope,
  keys: readonly string[],
  now = Date.now(),
): Readonly<Record<string, string>> {
  const hours = HOURS[span];
  const isOwn = span === 'own';
  return {
    ...(hours !== undefined && { from: new Date(now - hours * HOUR_MS).toISOString() }),
    ...(isOwn && from !== '' && { from: new Date(from).toISOString() }),
    ...(isOwn && to !== '' && { to: new Date(to).toISOString() }),
    ...(where.trim() !== '' && { where: where.trim() }),
    ...(isOwnKeys && keys.length > 0 && { key: keys.join(',') }),
  };
}
