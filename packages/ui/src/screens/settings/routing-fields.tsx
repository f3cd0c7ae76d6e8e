import type { ProviderList, Settings } from '@model-gateway/core/wire';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useController } from 'react-hook-form';

import { CheckField, type FormParts, SelectField, textOrNull } from '../../features/form/fields.tsx';
import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { LabelledInput } from '../../parts/controls/labelled.tsx';
import { Select } from '../../parts/controls/select.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { settingsMessages } from './messages.ts';

/** What the parts of the account's form share. */
export interface AccountParts extends FormParts<Settings> {
  /** Whether the configuration says it, so that it cannot be changed here. */
  readonly isConfigured: (path: string) => boolean;
}

/** What a field says below: its hint, or that the configuration has it. */
export const toFixed = ({ isConfigured }: AccountParts, path: string, hint?: string) =>
  isConfigured(path) ? { disabled: true, hint: <FromConfig /> } : { disabled: false, hint };

const SORTS = ['price', 'throughput', 'latency', 'exacto'] as const satisfies readonly Settings['routing']['sort'][];

interface RoutingFieldsProps extends AccountParts {
  readonly providers: readonly NamedProvider[];
}

/** What holds for calls that do not say otherwise: order, sort, fallbacks and the most that may be charged. */
export function RoutingFields({ providers, ...parts }: RoutingFieldsProps) {
  const t = settingsMessages().routing;
  return (
    <fieldset aria-label={settingsMessages().sections.routing} className="flex min-w-0 flex-col gap-4">
      <p className="text-sm text-ink-faint">{t.note}</p>
      <OrderFields {...parts} providers={providers} />
      <SelectField
        form={parts.form}
        error={parts.error}
        name="routing.sort"
        label={t.strategy}
        {...toFixed(parts, 'routing.sort', t.strategyHint)}
        options={[['', t.strategies.balanced], ...SORTS.map((sort) => [sort, t.strategies[sort]] as const)]}
        read={textOrNull}
      />
      <FailoverFields {...parts} />
      <CheckField
        form={parts.form}
        name="routing.automatic_cache_marks"
        label={t.cacheMarks}
        {...toFixed(parts, 'routing.automatic_cache_marks', t.cacheMarksHint)}
      />
      <PriceFields {...parts} />
    </fieldset>
  );
}

/** What happens after a failure (docs/routing.md, Failover). */
function FailoverFields(parts: AccountParts) {
  const t = settingsMessages().routing;
  const checks = ['continue_with_other_models', 'hold_streams', 'fallback_on_refusal'] as const;
  const waitMs = parts.form.watch('routing.wait_for_retry_after_ms');
  // Over HTTP any time can be set.
  const waits = [...new Set([...WAITS_MS, waitMs])].toSorted((one, other) => one - other);
  const choices = [
    ['wait_for_retry_after_ms', waits.map((ms) => [String(ms), t.failover.waits(ms / 1000)] as const)],
    ['retries_at_endpoint', RETRIES.map((times) => [String(times), t.failover.times(times)] as const)],
  ] as const;
  return (
    <>
      <p className="text-sm font-medium">{t.failover.title}</p>
      <CheckField
        form={parts.form}
        name="routing.allow_fallbacks"
        label={t.fallbacks}
        {...toFixed(parts, 'routing.allow_fallbacks', t.fallbacksHint)}
      />
      <CheckField
        form={parts.form}
        name="routing.continue_broken_streams"
        label={t.resume}
        {...toFixed(parts, 'routing.continue_broken_streams', t.resumeHint)}
      />
      {checks.map((name) => (
        <CheckField
          key={name}
          form={parts.form}
          name={`routing.${name}`}
          label={t.failover[name]}
          {...toFixed(parts, `routing.${name}`, t.failover[`${name}_hint`])}
        />
      ))}
      {choices.map(([name, options]) => (
        <SelectField
          key={name}
          form={parts.form}
          error={parts.error}
          name={`routing.${name}`}
          label={t.failover[name]}
          {...toFixed(parts, `routing.${name}`, t.failover[`${name}_hint`])}
          options={options}
          read={Number}
        />
      ))}
    </>
  );
}

const WAITS_MS = [0, 1000, 3000, 10_000, 30_000, 60_000];
const RETRIES = [0, 1, 2];

function OrderFields({ form, error, providers, isConfigured }: RoutingFieldsProps) {
  const t = settingsMessages().routing;
  const { value: order, onChange } = useController({ control: form.control, name: 'routing.order' }).field;
  const isFixed = isConfigured('routing.order');
  const message = issueFor(error, 'routing.order');
  const others = providers.filter(({ slug }) => !order.includes(slug));
  const nameOf = (slug: string): string => providers.find((provider) => provider.slug === slug)?.name ?? slug;
  const { around, beforeMove, beforeRemoval } = useRowFocus();
  return (
    <div {...around} className="flex flex-col gap-2">
      <p className="text-sm font-medium">{t.order}</p>
      {isFixed && <FromConfig />}
      {order.length > 0 && (
        <ol aria-label={t.order} className="rounded-lg border border-line">
          {order.map((slug, at) => (
            <li key={slug} className="flex items-center border-b border-line/60 py-1 pr-1 pl-3 text-sm last:border-0">
              <span className="min-w-0 flex-1 break-words">
                {at + 1}. {nameOf(slug)}
              </span>
              {!isFixed && (
                <MoveButtons
                  name={nameOf(slug)}
                  remove={t.removeFromOrder(nameOf(slug))}
                  place={at}
                  count={order.length}
                  onMove={(by) => {
                    beforeMove(at, by);
                    onChange(withMoved(order, at, by));
                  }}
                  onRemove={() => {
                    beforeRemoval(at);
                    onChange(order.toSpliced(at, 1));
                  }}
                />
              )}
            </li>
          ))}
        </ol>
      )}
      {!isFixed && others.length > 0 && (
        <Select
          data-add
          label={t.addToOrder}
          className="w-auto max-w-full self-start"
          value=""
          options={[['', t.addProvider], ...others.map(({ slug, name }) => [slug, name] as const)]}
          onChange={(slug) => onChange([...order, slug])}
        />
      )}
      {message !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {message}
        </p>
      )}
    </div>
  );
}

/** A list with one of its items moved by so many places. */
export const withMoved = <Item,>(list: readonly Item[], at: number, by: number): Item[] =>
  list.toSpliced(at, 1).toSpliced(at + by, 0, ...list.slice(at, at + 1));

interface MoveButtonsProps {
  readonly name: string;
  /** What the button that removes it is called. */
  readonly remove: string;
  readonly place: number;
  readonly count: number;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/**
 * Moves an item of an ordered list up or down, or takes it out. At an end of the list a button is not `disabled`, which
 * would take the focus from it when the item arrives there.
 */
export function MoveButtons({ name, remove, place, count, onMove, onRemove }: MoveButtonsProps) {
  const t = settingsMessages().routing;
  const look = { look: 'quiet', className: 'px-1.5!' } as const;
  return (
    <>
      <Button
        {...look}
        data-move={-1}
        aria-label={t.up(name)}
        aria-disabled={place === 0}
        icon={<ArrowUp size={14} />}
        onClick={() => onMove(-1)}
      />
      <Button
        {...look}
        data-move={1}
        aria-label={t.down(name)}
        aria-disabled={place === count - 1}
        icon={<ArrowDown size={14} />}
        onClick={() => onMove(1)}
      />
      <Button {...look} data-remove aria-label={remove} icon={<X size={14} />} onClick={onRemove} />
    </>
  );
}

const PRICES = ['prompt', 'completion', 'request', 'image', 'audio'] as const;

function PriceFields({ form, error, isConfigured }: AccountParts) {
  const t = settingsMessages().routing;
  const { value: prices, onChange } = useController({ control: form.control, name: 'routing.max_price' }).field;
  const isFixed = isConfigured('routing.max_price');
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">{t.maxPrice}</p>
      {isFixed ? <FromConfig /> : <p className="text-xs text-ink-faint">{t.maxPriceHint}</p>}
      <div className="grid gap-3 sm:grid-cols-3">
        {PRICES.map((unit) => (
          <LabelledInput
            key={unit}
            label={t.units[unit]}
            hint={unit === 'prompt' || unit === 'completion' ? t.perMillion : t.each}
            error={issueFor(error, `routing.max_price.${unit}`)}
            inputMode="decimal"
            autoComplete="off"
            placeholder={t.any}
            disabled={isFixed}
            value={prices[unit] ?? ''}
            onChange={(text) => onChange(withPrice(prices, unit, text))}
          />
        ))}
      </div>
    </div>
  );
}

/** A provider, or a name in a list of them, as a row of the form shows it. */
export type NamedProvider = Pick<ProviderList['data'][number], 'slug' | 'name'>;

/** The providers, and what else the lists name: display names, presets, and providers that are no longer configured. */
export function withListedNames(
  providers: readonly NamedProvider[],
  settings: readonly Pick<Settings, 'providers'>[],
): readonly NamedProvider[] {
  const listed = settings.flatMap(({ providers: { only, ignore } }) => [...only, ...ignore]);
  const others = new Set(listed.filter((name) => !providers.some(({ slug }) => slug === name)));
  return [...providers, ...[...others].map((name) => ({ slug: name, name }))];
}

type Prices = Settings['routing']['max_price'];

/** The bounds with one as it was typed; an empty one is none. What is no price is the gateway's to refuse. */
export function withPrice(prices: Prices, unit: keyof Prices, typed: string): Prices {
  const { [unit]: _, ...others } = prices;
  return typed.trim() === '' ? others : { ...others, [unit]: typed.trim() };
}
