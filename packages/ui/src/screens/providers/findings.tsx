import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';

import { CopyButton } from '../../parts/controls/copy-button.tsx';
import type { ProviderFinding } from './provider-queries.ts';

const LAYERS: Readonly<Record<string, string>> = {
  address: 'Address',
  dns: 'Name (DNS)',
  tcp: 'Connection (TCP)',
  tls: 'Encryption (TLS)',
  auth: 'Key',
  call: 'A call',
};

const MARKS: Readonly<Record<ProviderFinding['status'], { readonly icon: ReactNode; readonly word: string }>> = {
  ok: { icon: <CircleCheck size={18} aria-hidden className="text-good" />, word: 'fine' },
  warning: { icon: <CircleAlert size={18} aria-hidden className="text-caution" />, word: 'warning' },
  failed: { icon: <CircleX size={18} aria-hidden className="text-bad" />, word: 'failed' },
  skipped: { icon: <CircleMinus size={18} aria-hidden className="text-ink-faint" />, word: 'left out' },
};

interface FindingsProps {
  readonly result: { readonly ok: boolean; readonly findings: readonly ProviderFinding[] };
  /** What the report names the provider by. */
  readonly name: string;
}

/** What was found of each layer, in words, and what to do. */
export function Findings({ result: { ok, findings }, name }: FindingsProps) {
  return (
    <section aria-label="What was found" className="flex flex-col gap-2">
      <p className="text-sm font-medium">
        {ok ? 'Nothing stands in the way.' : 'It stops where the list ends; what follows was not looked at.'}
      </p>
      <ol className="flex flex-col overflow-hidden rounded-lg border border-line">
        {findings.map(({ layer, status, detail, advice }, at) => (
          <li key={at} className="flex gap-3 border-b border-line px-3 py-2.5 text-sm last:border-0">
            <span className="mt-0.5 shrink-0">{MARKS[status].icon}</span>
            <div className="min-w-0 flex-1">
              <p className="font-medium">
                {LAYERS[layer] ?? layer} <span className="font-normal text-ink-faint">{MARKS[status].word}</span>
              </p>
              <p className="break-words text-ink-soft">{detail}</p>
              {advice !== undefined && (
                <p className="mt-1.5 rounded-md bg-raised px-2.5 py-1.5 break-words">
                  <span className="font-medium">What to do:</span> {advice}
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
      <CopyButton look="quiet" label="Copy report" className="self-start" text={() => toReport(name, findings)} />
    </section>
  );
}

const toReport = (name: string, findings: readonly ProviderFinding[]): string =>
  [
    `provider: ${name}`,
    ...findings.map(({ layer, status, detail, advice }) =>
      [`${layer}: ${status}, ${detail}`, ...(advice === undefined ? [] : [`  ${advice}`])].join('\n'),
    ),
  ].join('\n');
