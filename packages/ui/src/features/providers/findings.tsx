import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';

import { formatDuration } from '../../format/quantity.ts';
import { Button, Spinner } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import type { ProviderFinding } from './provider-queries.ts';
import type { LayerTest } from './use-layer-test.ts';

/** In the order in which they are looked at. */
const LAYERS: Readonly<Record<string, string>> = {
  address: 'Address',
  dns: 'Name (DNS)',
  tcp: 'Connection (TCP)',
  tls: 'Encryption (TLS)',
  auth: 'Key',
  call: 'A call',
};

const MARKS: Readonly<Record<ProviderFinding['status'], { readonly icon: ReactNode; readonly word: string }>> = {
  ok: { icon: <CircleCheck size={18} className="text-good" />, word: 'fine' },
  warning: { icon: <CircleAlert size={18} className="text-caution" />, word: 'warning' },
  failed: { icon: <CircleX size={18} className="text-bad" />, word: 'failed' },
  skipped: { icon: <CircleMinus size={18} className="text-ink-faint" />, word: 'skipped' },
};

interface FindingsProps {
  readonly test: Pick<
    LayerTest<{ ok: boolean; findings: readonly ProviderFinding[] }>,
    'findings' | 'found' | 'isPending' | 'wasStopped' | 'stop'
  >;
  /** What the report names the provider by. */
  readonly name: string;
}

/** What a test has found of each layer, in words, with what to do; while it runs, also which one it looks at. */
export function Findings({ test: { findings: soFar, found, isPending, wasStopped, stop }, name }: FindingsProps) {
  const isRunning = isPending || wasStopped;
  const findings = isRunning ? soFar : (found?.findings ?? []);
  if (!isRunning && found === null) return null;
  return (
    <section aria-label="Test results" className="flex flex-col gap-2">
      <div className="flex min-h-8 items-center justify-between gap-2">
        <p className="text-sm font-medium">{toSummary(isPending, wasStopped, found?.ok === true)}</p>
        {isPending && (
          <Button look="quiet" onClick={stop}>
            Stop the test
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
        <CopyButton look="quiet" label="Copy report" className="self-start" text={() => toReport(name, findings)} />
      )}
    </section>
  );
}

function toSummary(isPending: boolean, wasStopped: boolean, ok: boolean): string {
  if (isPending) return 'Testing layer by layer…';
  if (wasStopped) return 'Stopped.';
  return ok ? 'Connection works.' : 'Failed at the last layer above; later layers were not tested.';
}

function LayerRow({
  finding: { layer, status, detail, advice, duration_ms: durationMs },
}: {
  finding: ProviderFinding;
}) {
  return (
    <li className="flex gap-3 border-b border-line px-3 py-2.5 text-sm last:border-0">
      <span className="mt-0.5 shrink-0">{MARKS[status].icon}</span>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-1 font-medium">
          {LAYERS[layer] ?? layer} <span className="font-normal text-ink-faint">{MARKS[status].word}</span>
          {durationMs !== undefined && (
            <span className="ml-auto text-xs font-normal text-ink-faint tabular-nums">
              {formatDuration(durationMs)}
            </span>
          )}
        </p>
        <p className="break-words text-ink-soft">{detail}</p>
        {advice !== undefined && (
          <p className="mt-1.5 rounded-md bg-raised px-2.5 py-1.5 break-words">
            <span className="font-medium">What to do:</span> {advice}
          </p>
        )}
      </div>
    </li>
  );
}

/** The layer that is looked at. Whether a call follows the key is seen when it has come. */
function NextRow({ findings }: { findings: readonly ProviderFinding[] }) {
  const layers = Object.keys(LAYERS);
  const next = layers[layers.indexOf(findings.at(-1)?.layer ?? '') + 1];
  return (
    <li className="flex items-center gap-3 px-3 py-2.5 text-sm text-ink-faint">
      <Spinner /> {next === undefined ? 'Test result' : LAYERS[next]}…
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
