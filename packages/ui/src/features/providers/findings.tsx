import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { Button, Spinner } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { providerMessages } from './messages.ts';
import type { ProviderFinding } from './provider-queries.ts';
import type { LayerTest } from './use-layer-test.ts';

/** In the order in which they are looked at. */
const LAYERS = ['address', 'dns', 'tcp', 'tls', 'auth', 'call'] as const;
/** What stands in the place of the connection where a package makes the calls. */
const PACKAGE = 'package';

function toLayerName(layer: string): string {
  const known = ([...LAYERS, PACKAGE] as const).find((one) => one === layer);
  return known === undefined ? layer : providerMessages().test.layers[known];
}

const MARKS: Readonly<Record<ProviderFinding['status'], ReactNode>> = {
  ok: <CircleCheck size={18} className="text-good" />,
  warning: <CircleAlert size={18} className="text-caution" />,
  failed: <CircleX size={18} className="text-bad" />,
  skipped: <CircleMinus size={18} className="text-ink-faint" />,
};

interface FindingsProps {
  readonly test: Pick<
    LayerTest<{ ok: boolean; findings: readonly ProviderFinding[] }>,
    'findings' | 'found' | 'isPending' | 'wasStopped' | 'stop'
  >;
  /** The name of the provider. */
  readonly name: string;
}

/** What a test has found of each layer, in words, with what to do; while it runs, also which one it looks at. */
export function Findings({ test: { findings: soFar, found, isPending, wasStopped, stop }, name }: FindingsProps) {
  const t = providerMessages().test;
  const isRunning = isPending || wasStopped;
  const findings = isRunning ? soFar : (found?.findings ?? []);
  if (!isRunning && found === null) return null;
  return (
    <section aria-label={t.results} className="flex flex-col gap-2">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-sm font-medium">
          {isPending ? t.running : wasStopped ? t.stopped : toSummary(name, findings)}
        </p>
        {isPending && (
          <Button look="quiet" onClick={stop}>
            {t.stop}
          </Button>
        )}
      </div>
      <ol className="flex flex-col overflow-hidden rounded-lg border border-line">
        {findings.map((finding) => (
          <LayerRow key={finding.layer} finding={finding} />
        ))}
        {isPending && <NextRow findings={findings} />}
      </ol>
      {!isPending && findings.length > 0 && (
        <CopyButton look="quiet" label={t.copy} className="self-start" text={() => toReport(name, findings)} />
      )}
    </section>
  );
}

function toSummary(name: string, findings: readonly ProviderFinding[]): string {
  const t = providerMessages().test;
  const failed = findings.find(({ status }) => status === 'failed');
  return failed === undefined ? t.works : t.failedAt(name, toLayerName(failed.layer));
}

function LayerRow({
  finding: { layer, status, detail, advice, duration_ms: durationMs },
}: {
  finding: ProviderFinding;
}) {
  const t = providerMessages().test;
  return (
    <li className="flex gap-3 border-b border-line px-3 py-2.5 text-sm last:border-0">
      <span className="mt-0.5 shrink-0">{MARKS[status]}</span>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-1 font-medium">
          {toLayerName(layer)} <span className="font-normal text-ink-faint">{t.marks[status]}</span>
          {durationMs !== undefined && (
            <span className="ml-auto text-xs font-normal text-ink-faint tabular-nums">
              {formatDuration(durationMs)}
            </span>
          )}
        </p>
        <p className="break-words text-ink-soft">{detail}</p>
        {advice !== undefined && (
          <p className="mt-1.5 rounded-md bg-raised px-2.5 py-1.5 break-words">
            <span className="font-medium">{t.fix}</span> {advice}
          </p>
        )}
      </div>
    </li>
  );
}

/** The layer that is looked at. Whether a call follows the key is seen when it has come. */
function NextRow({ findings }: { findings: readonly ProviderFinding[] }) {
  const last = findings.at(-1)?.layer;
  const next = last === PACKAGE ? 'auth' : LAYERS[LAYERS.findIndex((layer) => layer === last) + 1];
  return (
    <li className="flex items-center gap-3 px-3 py-2.5 text-sm text-ink-faint">
      <Spinner /> {next === undefined ? providerMessages().test.result : toLayerName(next)}…
    </li>
  );
}

const toReport = (name: string, findings: readonly ProviderFinding[]): string =>
  [
    `provider: ${name}`,
    ...findings.map(({ layer, status, detail, advice, duration_ms: durationMs }) =>
      [
        `${layer}: ${status}, ${detail}${durationMs === undefined ? '' : ` (${durationMs} ms)`}`,
        ...(advice === undefined ? [] : [`  ${advice}`]),
      ].join('\n'),
    ),
  ].join('\n');
