import { hasTokenPrices } from '@model-gateway/clients';
import type { ProviderSetup } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { modelsQuery } from '../../../api/queries.ts';
import { providerModelsQuery } from '../../../features/providers/setup/setup-queries.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Folded } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { modelSetupMessages } from './messages.ts';
import type { EndpointDraft } from './model-draft.ts';
import {
  FURTHER_UNITS,
  MAIN_UNITS,
  type PriceUnit,
  type TypedPrices,
  copyPrices,
  toPriceLabel,
} from './price-units.ts';

interface EndpointFieldsProps {
  readonly draft: EndpointDraft;
  /** Its place, from 1. */
  readonly place: number;
  readonly providers: readonly ProviderSetup[];
  readonly onChange: (draft: EndpointDraft) => void;
  readonly onRemove: () => void;
  readonly issue: (field: string) => string | undefined;
}

/** Where a model is served: the provider, its own name for the model, and what tokens cost there. */
export function EndpointFields({ draft, place, providers, onChange, onRemove, issue }: EndpointFieldsProps) {
  const t = modelSetupMessages().endpoint;
  const provider = providers.find(({ slug }) => slug === draft.provider);
  const { data: names } = useQuery({ ...providerModelsQuery(provider), enabled: provider !== undefined });
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">{t.legend(place)}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <LabelledSelect
          label={t.provider}
          error={issue('provider')}
          required
          value={draft.provider}
          options={[
            ...(provider === undefined ? [draft.provider] : []),
            ...providers.map(({ slug, name }) => [slug, `${name} (${slug})`] as const),
          ]}
          onChange={(text) => onChange({ ...draft, provider: text })}
        />
        <LabelledInput
          label={t.modelName}
          hint={names === undefined || names.length === 0 ? t.ownName : t.oneOf(names.length)}
          error={issue('providerModel')}
          suggestions={names ?? []}
          autoComplete="off"
          spellCheck={false}
          className="field font-mono"
          value={draft.providerModel}
          onChange={(text) => onChange({ ...draft, providerModel: text })}
        />
        {MAIN_UNITS.map((unit) => (
          <PriceField key={unit} unit={unit} draft={draft} onChange={onChange} issue={issue} />
        ))}
      </div>
      <CopyPrices onCopy={(prices) => onChange({ ...draft, prices })} />
      <FoldedGrid
        title={t.morePrices}
        filled={FURTHER_UNITS.filter((unit) => (draft.prices[unit] ?? '') !== '').length}
        hasIssue={FURTHER_UNITS.some((unit) => issue(`pricing.${unit}`) !== undefined)}
      >
        {FURTHER_UNITS.map((unit) => (
          <PriceField key={unit} unit={unit} draft={draft} onChange={onChange} issue={issue} />
        ))}
      </FoldedGrid>
      <FoldedGrid
        title={t.limits}
        filled={LIMITS.filter(({ field }) => draft[field] !== '').length}
        hasIssue={LIMITS.some(({ path }) => issue(path) !== undefined)}
      >
        {LIMITS.map(({ field, path, hint, isCount = false }) => (
          <LabelledInput
            key={field}
            label={t[field]}
            hint={t[hint]}
            error={issue(path)}
            autoComplete="off"
            spellCheck={false}
            inputMode={isCount ? 'numeric' : 'text'}
            pattern={isCount ? '[0-9]*' : undefined}
            value={draft[field]}
            onChange={(text) => onChange({ ...draft, [field]: text })}
          />
        ))}
      </FoldedGrid>
      <Button look="quiet" className="mt-2" icon={<Trash2 size={14} />} onClick={onRemove}>
        {t.remove(place)}
      </Button>
    </fieldset>
  );
}

type LimitField =
  | 'context'
  | 'maxOutput'
  | 'maxPrompt'
  | 'minOutput'
  | 'parameters'
  | 'quantization'
  | 'region'
  | 'tag';

interface Limit {
  readonly field: LimitField;
  readonly path: string;
  /** The name of its message. */
  readonly hint:
    | 'contextHint'
    | 'tokens'
    | 'minOutputHint'
    | 'parametersHint'
    | 'quantizationHint'
    | 'regionHint'
    | 'tagHint';
  readonly isCount?: boolean;
}

const LIMITS: readonly Limit[] = [
  { field: 'context', path: 'context_length', hint: 'contextHint', isCount: true },
  { field: 'maxOutput', path: 'max_completion_tokens', hint: 'tokens', isCount: true },
  { field: 'maxPrompt', path: 'max_prompt_tokens', hint: 'tokens', isCount: true },
  { field: 'minOutput', path: 'minOutputTokens', hint: 'minOutputHint', isCount: true },
  { field: 'parameters', path: 'supported_parameters', hint: 'parametersHint' },
  { field: 'quantization', path: 'quantization', hint: 'quantizationHint' },
  { field: 'region', path: 'region', hint: 'regionHint' },
  { field: 'tag', path: 'tag', hint: 'tagHint' },
];

interface FoldedGridProps {
  readonly title: string;
  /** How many of its fields say something. */
  readonly filled: number;
  readonly hasIssue: boolean;
  readonly children: ReactNode;
}

function FoldedGrid({ title, filled, hasIssue, children }: FoldedGridProps) {
  const label = (
    <>
      {title}
      {filled > 0 && <span className="text-ink-faint"> {modelSetupMessages().endpoint.filled(filled)}</span>}
    </>
  );
  return (
    <Folded title={label} hasIssue={hasIssue} className="mt-3">
      <div className="mt-3 grid gap-3 sm:grid-cols-2">{children}</div>
    </Folded>
  );
}

type PriceFieldProps = Pick<EndpointFieldsProps, 'draft' | 'onChange' | 'issue'> & { readonly unit: PriceUnit };

function PriceField({ unit, draft, onChange, issue }: PriceFieldProps) {
  return (
    <LabelledInput
      label={toPriceLabel(unit)}
      hint={modelSetupMessages().endpoint.priceHint}
      error={issue(`pricing.${unit}`)}
      inputMode="decimal"
      autoComplete="off"
      value={draft.prices[unit] ?? ''}
      onChange={(text) => onChange({ ...draft, prices: { ...draft.prices, [unit]: text } })}
    />
  );
}

/** Takes the prices of a model that is known. */
function CopyPrices({ onCopy }: { onCopy: (prices: TypedPrices) => void }) {
  const t = modelSetupMessages().endpoint;
  const { data: models = [] } = useQuery(modelsQuery);
  const [id, setId] = useState('');
  const priced = models.filter(hasTokenPrices);
  const chosen = priced.find((model) => model.id === id);
  if (priced.length === 0) return null;
  return (
    <div className="mt-3 flex flex-wrap items-end gap-2">
      <LabelledInput
        label={t.copyPrices}
        fieldClass="min-w-0 flex-1"
        suggestions={priced.map((model) => model.id)}
        autoComplete="off"
        spellCheck={false}
        placeholder="author/name"
        className="field font-mono"
        value={id}
        onChange={setId}
      />
      <Button disabled={chosen === undefined} onClick={() => chosen !== undefined && onCopy(copyPrices(chosen))}>
        {t.copy}
      </Button>
    </div>
  );
}
