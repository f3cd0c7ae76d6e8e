import { chooseModel, findTextModels, hasTokenPrices, toKeyName } from '@model-gateway/clients';
import type { Client } from '@model-gateway/clients';
import type { Model } from '@model-gateway/core/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { keysQuery, modelsQuery, recentCallsQuery, settingsQuery } from '../../api/queries.ts';
import { formatUsd } from '../../format/money.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { UnsavedPanel } from '../../parts/messages/error-panel.tsx';
import { NotLoaded } from '../../parts/messages/loaded.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { toLongestUsd } from '../playground/fit-to-limit.ts';
import { createToolKey, type ToolKey } from './connect-queries.ts';
import { connectMessages } from './messages.tsx';

/** A limit that is suggested. Four of the model's longest completions at a time fit into it. */
const SUGGESTED_LIMITS_USD = [10, 20, 50, 100, 200, 500];
const CALLS_AT_A_TIME = 4;

/** What the gateway reserves for a call of the model that sends no `max_tokens`; null where that is not known. */
function toReservedUsd(model: Model | undefined): number | null {
  return model === undefined ? null : toLongestUsd({ ...model, ...model.top_provider });
}

function suggestLimit(reservedUsd: number): string {
  const enough = SUGGESTED_LIMITS_USD.find((usd) => usd >= reservedUsd * CALLS_AT_A_TIME);
  return String(enough ?? SUGGESTED_LIMITS_USD.at(-1));
}

interface ToolKeyFormProps {
  readonly client: Client;
  readonly onMade: (key: ToolKey, modelId: string) => void;
}

/** Everything is suggested, so that one click makes the key. */
export function ToolKeyForm({ client, onMade }: ToolKeyFormProps) {
  const t = connectMessages().key;
  const models = useQuery(modelsQuery);
  const keys = useQuery(keysQuery);
  const recent = useQuery(recentCallsQuery);
  const settings = useQuery(settingsQuery);
  if (models.data === undefined) return <NotLoaded what={t.what} query={models} isFlush />;
  if (keys.data === undefined) return <NotLoaded what={t.what} query={keys} isFlush />;
  if (recent.isPending || settings.isPending) return <Loading what={t.what} />;
  const modelId = chooseModel(models.data, {
    lastUsed: recent.data?.data.find(({ status }) => status === 'ok')?.model,
    accountDefault: settings.data?.default_model ?? undefined,
  });
  if (modelId === undefined)
    return (
      <p className="text-sm">
        {t.noModels((text) => (
          <Link to="/providers" className="text-accent underline">
            {text}
          </Link>
        ))}
      </p>
    );
  const name = toKeyName(
    client.name,
    keys.data.map((key) => key.name),
  );
  return <Form models={findTextModels(models.data)} suggested={{ modelId, name }} onMade={onMade} />;
}

interface FormProps extends Pick<ToolKeyFormProps, 'onMade'> {
  readonly models: readonly Model[];
  readonly suggested: { readonly modelId: string; readonly name: string };
}

function Form({ models, suggested, onMade }: FormProps) {
  const t = connectMessages().key;
  const [modelId, setModelId] = useState(suggested.modelId);
  const [name, setName] = useState(suggested.name);
  const [typedLimit, setTypedLimit] = useState<string | null>(null);
  const model = models.find(({ id }) => id === modelId);
  const isPriced = model !== undefined && hasTokenPrices(model);
  // A limit refuses calls whose cost is unknown.
  const reservedUsd = toReservedUsd(model);
  const limit = typedLimit ?? (isPriced ? suggestLimit(reservedUsd ?? 0) : '');
  const make = useMutation({
    mutationFn: () => createToolKey(name, limit === '' ? null : Number(limit)),
    onSuccess: (key) => onMade(key, modelId),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <LabelledInput
        label={t.model}
        hint={model === undefined ? t.modelUnknown : t.modelHint}
        suggestions={models.map(({ id }) => id)}
        required
        maxLength={200}
        className="field font-mono text-xs"
        value={modelId}
        // What is typed takes its place, and the list shows all that fits it.
        onFocus={(event) => event.target.select()}
        onChange={(text) => setModelId(text.trim())}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <LabelledInput
          label={t.name}
          error={issueFor(make.error, 'name')}
          required
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <LabelledInput
          label={t.limit}
          error={issueFor(make.error, 'limit')}
          hint={isPriced ? toLimitHint(limit, reservedUsd ?? 0) : toUnpricedHint(limit !== '')}
          type="number"
          min={0}
          step="any"
          placeholder={t.noLimit}
          value={limit}
          onChange={setTypedLimit}
        />
      </div>
      {make.error !== null && <UnsavedPanel error={make.error} title={t.notCreated} onRetry={() => make.mutate()} />}
      <div>
        <Button type="submit" look="primary" isBusy={make.isPending} className="whitespace-normal!">
          {limit === '' ? t.create : t.createLimited(limit)}
        </Button>
      </div>
    </form>
  );
}

/** Reservations of less do not get into anyone's way. */
const NOTABLE_USD = 1;

function toLimitHint(limit: string, reservedUsd: number): string {
  const t = connectMessages().key;
  if (limit !== '' && Number(limit) < reservedUsd) return t.tooLow(formatUsd(reservedUsd));
  return t.limitHint(reservedUsd < NOTABLE_USD ? null : formatUsd(reservedUsd));
}

function toUnpricedHint(isLimited: boolean): string {
  const t = connectMessages().key;
  return isLimited ? t.unpricedLimited : t.unpriced;
}
