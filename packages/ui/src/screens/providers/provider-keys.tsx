import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import type { ProviderState } from '../../features/providers/provider-queries.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Button } from '../../parts/controls/button.tsx';
import { showFailure } from '../../parts/messages/toast-store.ts';
import { providersMessages } from './messages.ts';

type KeyState = ProviderState['keys'][number];

/** The keys of a provider that has several: how each stands, what went through it, and its last error. */
export function ProviderKeys({ provider: { slug, keys } }: { readonly provider: ProviderState }) {
  const t = providersMessages().keys;
  return (
    <div className="flex flex-col gap-3">
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">{t.caption}</caption>
          <thead className="text-left text-xs text-ink-faint">
            <tr>
              <th scope="col" className="py-1 pr-3 font-normal">
                {t.name}
              </th>
              <th scope="col" className="py-1 pr-3 font-normal">
                {t.state}
              </th>
              <th scope="col" className="py-1 pr-3 text-right font-normal">
                {t.weight}
              </th>
              <th scope="col" className="py-1 pr-3 text-right font-normal">
                {t.requests}
              </th>
              <th scope="col" className="py-1 text-right font-normal">
                {t.spend}
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <KeyRow key={key.fingerprint} slug={slug} state={key} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="text-xs text-ink-faint">{t.since}</p>
    </div>
  );
}

function KeyRow({ slug, state }: { readonly slug: string; readonly state: KeyState }) {
  const t = providersMessages().keys;
  const { name, fingerprint, weight, calls, failed, cost, last_error: error } = state;
  return (
    <tr className="border-t border-line/70 align-top">
      <th scope="row" className="py-1.5 pr-3 text-left font-normal">
        {name}
        <code className="block font-mono text-xs text-ink-faint">{fingerprint}</code>
      </th>
      <td className="py-1.5 pr-3">
        <span className={state.state === 'disabled' ? 'text-bad' : undefined}>{toStateText(state)}</span>
        {error !== null && (
          <span className="block text-xs break-words text-ink-faint">
            {t.lastError(formatMoment(error.at), error.status === null ? '' : String(error.status))} {error.message}
          </span>
        )}
        {state.state === 'disabled' && <EnableButton slug={slug} name={name} />}
      </td>
      <td className="figures py-1.5 pr-3 text-right">{formatCount(weight)}</td>
      <td className="figures py-1.5 pr-3 text-right">
        {formatCount(calls)}
        {failed > 0 && <span className="block text-xs text-ink-faint">{t.failed(formatCount(failed))}</span>}
      </td>
      <td className="figures py-1.5 text-right">{formatUsd(cost)}</td>
    </tr>
  );
}

function toStateText({ state, rests_until: until, disabled, under_way: running }: KeyState): string {
  const t = providersMessages().keys;
  if (state === 'resting' && until !== null) return t.restsUntil(formatMoment(until));
  if (state === 'disabled' && disabled !== null) return t.refused(String(disabled.status));
  return state === 'busy' ? t.busy(formatCount(running)) : t.states[state];
}

/** Uses a key again that its provider has refused. */
function EnableButton({ slug, name }: { readonly slug: string; readonly name: string }) {
  const t = providersMessages().keys;
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const enable = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const path = `/admin/v1/providers/${encodeURIComponent(slug)}/keys/${encodeURIComponent(name)}/enable`;
      await callApi(path, { method: 'POST' });
      await client.invalidateQueries();
    } catch (error) {
      showFailure(t.notEnabled(name), error);
    }
    setIsBusy(false);
  };
  return (
    <Button className="mt-1.5" isBusy={isBusy} onClick={() => void enable()} aria-label={t.enableNamed(name)}>
      {t.enable}
    </Button>
  );
}
