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
  const provider = providers.find(({ slug }) => slug === draft.provider);
  const { data: names } = useQuery({ ...providerModelsQuery(provider), enabled: provider !== undefined });
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">Endpoint {place}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <LabelledSelect
          label="Provider"
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
          label="Provider’s model name"
          hint={
            names === undefined || names.length === 0
              ? 'The provider’s own name'
              : `One of ${names.length} listed models, or another`
          }
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
        title="More prices"
        filled={FURTHER_UNITS.filter((unit) => (draft.prices[unit] ?? '') !== '').length}
        hasIssue={FURTHER_UNITS.some((unit) => issue(`pricing.${unit}`) !== undefined)}
      >
        {FURTHER_UNITS.map((unit) => (
          <PriceField key={unit} unit={unit} draft={draft} onChange={onChange} issue={issue} />
        ))}
      </FoldedGrid>
      <FoldedGrid
        title="Limits and capabilities"
        filled={LIMITS.filter(({ field }) => draft[field] !== '').length}
        hasIssue={LIMITS.some(({ path }) => issue(path) !== undefined)}
      >
        {LIMITS.map(({ field, path, label, hint, isCount = false }) => (
          <LabelledInput
            key={field}
            label={label}
            hint={hint}
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
        Remove endpoint {place}
      </Button>
    </fieldset>
  );
}

const LIMITS: readonly {
  readonly field:
    | 'context'
    | 'maxOutput'
    | 'maxPrompt'
    | 'minOutput'
    | 'parameters'
    | 'quantization'
    | 'region'
    | 'tag';
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  readonly isCount?: boolean;
}[] = [
  {
    field: 'context',
    path: 'context_length',
    label: 'Context length',
    hint: 'Tokens. Leave empty to use the model’s',
    isCount: true,
  },
  { field: 'maxOutput', path: 'max_completion_tokens', label: 'Max output', hint: 'Tokens', isCount: true },
  { field: 'maxPrompt', path: 'max_prompt_tokens', label: 'Max prompt', hint: 'Tokens', isCount: true },
  {
    field: 'minOutput',
    path: 'minOutputTokens',
    label: 'Min max_tokens',
    hint: 'Smaller requests use other endpoints',
    isCount: true,
  },
  {
    field: 'parameters',
    path: 'supported_parameters',
    label: 'Parameters',
    hint: 'E.g. tools, response_format. Others are removed from calls. Leave empty if unknown',
  },
  { field: 'quantization', path: 'quantization', label: 'Quantization', hint: 'E.g. fp8' },
  { field: 'region', path: 'region', label: 'Region', hint: 'Leave empty to use the provider’s' },
  { field: 'tag', path: 'tag', label: 'Tag', hint: 'Tier or variant, e.g. turbo or priority' },
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
      {filled > 0 && <span className="text-ink-faint"> ({filled} set)</span>}
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
      hint="Leave empty if unknown. 0 means free"
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
  const { data: models = [] } = useQuery(modelsQuery);
  const [id, setId] = useState('');
  const priced = models.filter(hasTokenPrices);
  const chosen = priced.find((model) => model.id === id);
  if (priced.length === 0) return null;
  return (
    <div className="mt-3 flex flex-wrap items-end gap-2">
      <LabelledInput
        label="Copy prices from a known model"
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
        Copy
      </Button>
    </div>
  );
}
