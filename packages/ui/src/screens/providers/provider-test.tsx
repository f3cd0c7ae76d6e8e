import type { ProviderTestResult } from '@model-gateway/core/wire';
import { useMutation } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleMinus, CircleX, PlugZap } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Checkbox } from '../../parts/controls/field.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import type { ProviderFinding, ProviderState } from './provider-queries.ts';

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

/** Looks at what stands between the gateway and a provider, layer by layer, and says what to do. */
export function ProviderTest({ provider: { slug, name, can_test: canTest } }: { provider: ProviderState }) {
  const [makesCall, setMakesCall] = useState(false);
  const test = useMutation({
    mutationFn: () =>
      callApi<ProviderTestResult>(`/admin/v1/providers/${encodeURIComponent(slug)}/test`, {
        method: 'POST',
        body: { call: makesCall },
      }),
  });
  if (!canTest) {
    return (
      <p className="text-sm text-ink-soft">
        How {name} is reached is not known here, so there is nothing to look at: it is replayed from recordings, or set
        up by the program around the gateway.
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          look="primary"
          icon={<PlugZap size={15} aria-hidden />}
          isBusy={test.isPending}
          onClick={() => test.mutate()}
        >
          {test.isPending ? 'Looking…' : 'Test connection'}
        </Button>
        <Checkbox
          label="Make one small call, too"
          hint="It costs a few tokens"
          checked={makesCall}
          disabled={test.isPending}
          onChange={(event) => setMakesCall(event.target.checked)}
        />
      </div>
      {test.error !== null && <ErrorPanel error={test.error} title="The test could not be made" />}
      <div aria-live="polite">{test.data !== undefined && !test.isPending && <Findings outcome={test.data} />}</div>
    </div>
  );
}

function Findings({ outcome: { data } }: { outcome: ProviderTestResult }) {
  return (
    <section aria-label="What was found" className="flex flex-col gap-2">
      <p className="text-sm font-medium">
        {data.ok ? 'Nothing stands in the way.' : 'It stops where the list ends; what follows was not looked at.'}
      </p>
      <ol className="flex flex-col overflow-hidden rounded-lg border border-line">
        {data.findings.map(({ layer, status, detail, advice }, at) => (
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
      <CopyButton look="quiet" label="Copy report" className="self-start" text={() => toReport(data)} />
    </section>
  );
}

const toReport = ({ slug, findings }: ProviderTestResult['data']): string =>
  [
    `provider: ${slug}`,
    ...findings.map(({ layer, status, detail, advice }) =>
      [`${layer}: ${status}, ${detail}`, ...(advice === undefined ? [] : [`  ${advice}`])].join('\n'),
    ),
  ].join('\n');
