import type { Instance } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';

import { instanceQuery } from '../../api/queries.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { StateMark } from '../../parts/badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import { settingsMessages } from './messages.ts';

/** The health of the gateway, its storage, and which of its processes responds. */
export function InstanceCard() {
  const { data: instance } = useQuery(instanceQuery);
  const headingId = useId();
  const t = settingsMessages();
  return (
    <section aria-labelledby={headingId} className="card flex flex-col gap-3 p-4">
      <h2 id={headingId} className="text-base font-semibold">
        {t.sections.gateway}
      </h2>
      <Facts
        facts={[
          [t.gateway.state, <State reason={instance?.reason ?? null} />],
          ...(instance === undefined ? [] : toFacts(instance)),
        ]}
      />
    </section>
  );
}

function State({ reason }: { readonly reason: string | null }) {
  const state = useGatewayState();
  const isTrouble = state.tone === 'caution' || state.tone === 'bad';
  return (
    <>
      <span className="font-medium">
        <StateMark tone={state.tone} className="mr-2" />
        {toStateText(state)}
      </span>
      {isTrouble && reason !== null && <span className="block text-ink-soft">{reason}</span>}
    </>
  );
}

function toFacts(instance: Instance): readonly (readonly [string, ReactNode])[] {
  const t = settingsMessages().gateway;
  const { store, shared, version } = instance;
  const ofProcess = describeProcess(instance);
  const isAlone = store?.type === 'json' || store?.type === 'memory';
  return [
    ...(store === null ? [] : [[t.storage, <Place {...describeEngine(store)} />] as const]),
    [
      t.shared,
      shared !== null ? (
        <Place {...describeEngine(shared)} outage={shared.outage} />
      ) : isAlone ? (
        t.sharedAlone
      ) : (
        t.sharedNone
      ),
    ],
    ...(ofProcess === null ? [] : [[t.process, ofProcess] as const]),
    ...(version === null ? [] : [[t.version, version] as const]),
  ];
}

interface PlaceProps {
  readonly name: string;
  readonly place: string | null;
  readonly outage?: string | null;
}

function Place({ name, place, outage = null }: PlaceProps) {
  return (
    <>
      {name} {place !== null && <code className="font-mono text-xs">{place}</code>}
      {outage !== null && <span className="block text-ink-soft">{settingsMessages().gateway.unavailable(outage)}</span>}
    </>
  );
}

type Engine = NonNullable<Instance['store']>;

/** What an engine is and where, in words and in code. */
export function describeEngine({ type, address, database }: Omit<Engine, 'outage'>): {
  readonly name: string;
  readonly place: string | null;
} {
  const { engines, databaseAt } = settingsMessages().gateway;
  const place = database === null ? address : databaseAt(database, address);
  const names: Readonly<Record<string, string>> = engines;
  return { name: names[type] ?? type, place };
}

/** Which process responds: `gw-2, process 4711, worker 2 of 4`; null where the host does not tell. */
export function describeProcess({
  host,
  process_id: id,
  worker,
}: Pick<Instance, 'host' | 'process_id' | 'worker'>): string | null {
  const t = settingsMessages().gateway;
  const parts = [
    host,
    id === null ? null : t.processId(id),
    worker === null ? null : t.worker(worker.number, worker.of),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
