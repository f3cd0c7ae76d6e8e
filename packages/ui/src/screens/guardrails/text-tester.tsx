import type { GuardrailTestResult } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import { callApi } from '../../api/call-api.ts';
import { modelsQuery } from '../../api/queries.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { LabelledSelect, LabelledText } from '../../parts/controls/labelled.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { trialMessages } from './trial-messages.ts';

const ACTION_TONES: Readonly<Record<Action, Tone>> = {
  allow: 'good',
  flag: 'neutral',
  redact: 'caution',
  block: 'bad',
};

type Action = NonNullable<GuardrailTestResult['request']>['action'];

/** Shows the effect of the guardrail on a prompt. No provider is called. */
export function TextTester({ guardrailId, change }: { guardrailId: string; change: Record<string, unknown> }) {
  const t = trialMessages().prompt;
  const { data: models } = useQuery(modelsQuery);
  const [text, setText] = useState('');
  const [model, setModel] = useState('');
  const isChanged = Object.keys(change).length > 0;
  const test = useMutation({
    mutationFn: () =>
      callApi<{ data: GuardrailTestResult }>(`/admin/v1/guardrails/${guardrailId}/test`, {
        method: 'POST',
        body: {
          request: { model: model || models?.[0]?.id, messages: [{ role: 'user', content: text }] },
          ...(isChanged && { change }),
        },
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate();
  };
  const result = test.data?.data.request;
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <LabelledText label={t.label} required rows={5} placeholder={t.placeholder} value={text} onChange={setText} />
      <LabelledSelect label={t.model} value={model} options={models?.map(({ id }) => id) ?? []} onChange={setModel} />
      <Button type="submit" look="primary" isBusy={test.isPending} className="self-start">
        {t.run}
      </Button>
      {test.error !== null && <ErrorPanel error={test.error} title={t.failed} />}
      {result != null && <TestResult result={result} />}
    </form>
  );
}

function TestResult({ result }: { result: NonNullable<GuardrailTestResult['request']> }) {
  const t = trialMessages().prompt;
  const isSent = result.action !== 'block' && result.endpoints_left > 0;
  return (
    <section
      role="status"
      aria-label={t.result}
      className="flex flex-col gap-2 rounded-lg border border-line p-3 text-sm"
    >
      <p className="flex items-center gap-2">
        <Badge tone={ACTION_TONES[result.action]}>{t.actions[result.action]}</Badge>
        {result.action === 'block'
          ? t.refused
          : result.endpoints_left === 0
            ? t.noEndpoint
            : t.endpoints(result.endpoints_left)}
      </p>
      {result.stages.map((stage, at) => (
        <p key={at}>
          <span className="font-medium">{toFinding(stage.data)}</span>:{' '}
          {trialMessages().dryRun.effects[stage.data.action].short}
        </p>
      ))}
      {isSent && result.redacted_messages !== null && (
        <div>
          <p className="mb-1 text-ink-faint">{t.sentAs}</p>
          <div className="rounded-md bg-raised p-2">
            <PlainText text={toTexts(result.redacted_messages)} />
          </div>
        </div>
      )}
      {result.excluded.map(({ provider, model: name, rule }) => (
        <p key={`${provider} ${name}`} className="text-ink-soft">
          {t.excluded(name, provider)} <code className="font-mono text-xs">{rule}</code>.
        </p>
      ))}
    </section>
  );
}

const toTexts = (messages: readonly unknown[]): string =>
  messages
    .map((message) => {
      const { content } = message as { content?: unknown };
      return typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    })
    .join('\n\n');

/** Text about a filter's finding, in the filter's own terms. */
function toFinding(data: { readonly [fact: string]: unknown }): string {
  const kinds = data['matched_entity_types'];
  return Array.isArray(kinds) && kinds.length > 0 ? kinds.join(', ') : trialMessages().prompt.filter;
}
