import type { Instance } from '@model-gateway/core/wire';

type Engine = NonNullable<Instance['store']>;

const NAMES: Readonly<Record<string, string>> = {
  json: 'JSON files in',
  memory: 'memory, gone when the process ends',
  postgres: 'PostgreSQL, database',
  redis: 'Redis at',
};

/** What an engine is and where, in words and in code. */
export function describeEngine({ type, address, database }: Omit<Engine, 'outage'>): {
  readonly name: string;
  readonly place: string | null;
} {
  const place = database === null ? address : `${database} at ${address ?? 'an unknown place'}`;
  return { name: NAMES[type] ?? type, place };
}
