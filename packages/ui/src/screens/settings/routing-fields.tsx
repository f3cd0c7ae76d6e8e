import type { Settings } from '@model-gateway/core/wire';
import { ArrowDown, ArrowUp, X } from 'lucide-react';

import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Checkbox, Field } from '../../parts/controls/field.tsx';
import type { NamedProvider } from './with-listed-names.ts';
import { withPrice } from './with-price.ts';

type Routing = Settings['routing'];

export interface RoutingFieldsProps {
  readonly routing: Routing;
  readonly providers: readonly NamedProvider[];
  readonly isConfigured: (path: string) => boolean;
  readonly onChange: (change: Partial<Routing>) => void;
  /** The gateway's message about a setting, by its path. */
  readonly issue: (path: string) => string | undefined;
}

const SORTS: Readonly<Record<NonNullable<Routing['sort']>, string>> = {
  price: 'The cheapest first',
  throughput: 'The most tokens a second first',
  latency: 'The quickest first token first',
  exacto: 'The one that fails least first',
};

/** What holds for calls that do not say otherwise: order, sort, fallbacks and the most that may be charged. */
export function RoutingFields(props: RoutingFieldsProps) {
  const { routing, isConfigured, onChange, issue } = props;
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="mb-1 text-sm font-medium">Routing defaults</legend>
      <p className="text-xs text-ink-faint">For calls that do not say otherwise; a call’s own wish comes first.</p>
      <OrderFields {...props} />
      <Field
        label="Otherwise"
        hint={isConfigured('routing.sort') ? <FromConfig /> : 'In which order endpoints are asked'}
        error={issue('routing.sort')}
      >
        {(control) => (
          <select
            {...control}
            className="field"
            disabled={isConfigured('routing.sort')}
            value={routing.sort ?? ''}
            onChange={(event) =>
              onChange({
                sort: event.target.value === '' ? null : (event.target.value as NonNullable<Routing['sort']>),
              })
            }
          >
            <option value="">Balanced: cheap ones more often</option>
            {Object.entries(SORTS).map(([sort, label]) => (
              <option key={sort} value={sort}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Checkbox
        label="Ask the next endpoint when one has failed"
        hint={
          isConfigured('routing.allow_fallbacks') ? <FromConfig /> : 'Off, only those of the order are asked, or one'
        }
        disabled={isConfigured('routing.allow_fallbacks')}
        checked={routing.allow_fallbacks}
        onChange={(event) => onChange({ allow_fallbacks: event.target.checked })}
      />
      <Checkbox
        label="Let a stream that breaks off go on elsewhere"
        hint={
          isConfigured('routing.continue_broken_streams') ? (
            <FromConfig />
          ) : (
            'At another endpoint of the model that can continue a text; the prompt is paid for again'
          )
        }
        disabled={isConfigured('routing.continue_broken_streams')}
        checked={routing.continue_broken_streams}
        onChange={(event) => onChange({ continue_broken_streams: event.target.checked })}
      />
      <PriceFields {...props} />
    </fieldset>
  );
}

function OrderFields({ routing: { order }, providers, isConfigured, onChange, issue }: RoutingFieldsProps) {
  const isFixed = isConfigured('routing.order');
  const message = issue('routing.order');
  const others = providers.filter(({ slug }) => !order.includes(slug));
  const nameOf = (slug: string): string => providers.find((provider) => provider.slug === slug)?.name ?? slug;
  const move = (at: number, by: number): void => {
    const moved = order.toSpliced(at, 1);
    onChange({ order: moved.toSpliced(at + by, 0, ...order.slice(at, at + 1)) });
  };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">These providers first</p>
      {isFixed && <FromConfig />}
      {order.length > 0 && (
        <ol aria-label="Providers that are asked first" className="rounded-lg border border-line">
          {order.map((slug, at) => (
            <li key={slug} className="flex items-center border-b border-line/60 py-1 pr-1 pl-3 text-sm last:border-0">
              <span className="min-w-0 flex-1 break-words">
                {at + 1}. {nameOf(slug)}
              </span>
              {!isFixed && (
                <>
                  <Button
                    look="quiet"
                    className="px-1.5!"
                    aria-label={`${nameOf(slug)} up`}
                    disabled={at === 0}
                    icon={<ArrowUp size={14} aria-hidden />}
                    onClick={() => move(at, -1)}
                  />
                  <Button
                    look="quiet"
                    className="px-1.5!"
                    aria-label={`${nameOf(slug)} down`}
                    disabled={at === order.length - 1}
                    icon={<ArrowDown size={14} aria-hidden />}
                    onClick={() => move(at, 1)}
                  />
                  <Button
                    look="quiet"
                    className="px-1.5!"
                    aria-label={`${nameOf(slug)} out of the order`}
                    icon={<X size={14} aria-hidden />}
                    onClick={() => onChange({ order: order.toSpliced(at, 1) })}
                  />
                </>
              )}
            </li>
          ))}
        </ol>
      )}
      {!isFixed && others.length > 0 && (
        <select
          aria-label="Add a provider to the order"
          className="field w-auto max-w-full self-start"
          value=""
          onChange={(event) => onChange({ order: [...order, event.target.value] })}
        >
          <option value="">Add a provider…</option>
          {others.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      )}
      {message !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {message}
        </p>
      )}
    </div>
  );
}

const PRICES = [
  { unit: 'prompt', label: 'Input', per: 'USD per million tokens' },
  { unit: 'completion', label: 'Output', per: 'USD per million tokens' },
  { unit: 'request', label: 'Request', per: 'USD each' },
  { unit: 'image', label: 'Image', per: 'USD each' },
  { unit: 'audio', label: 'Audio', per: 'USD each' },
] as const;

function PriceFields({ routing: { max_price: prices }, isConfigured, onChange, issue }: RoutingFieldsProps) {
  const isFixed = isConfigured('routing.max_price');
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">At most</p>
      {isFixed ? (
        <FromConfig />
      ) : (
        <p className="text-xs text-ink-faint">
          Endpoints that charge more, or whose price is not known, are not asked.
        </p>
      )}
      <div className="grid gap-3 sm:grid-cols-3">
        {PRICES.map(({ unit, label, per }) => (
          <Field key={unit} label={label} hint={per} error={issue(`routing.max_price.${unit}`)}>
            {(control) => (
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                placeholder="any"
                disabled={isFixed}
                className="field"
                value={prices[unit] ?? ''}
                onChange={(event) => onChange({ max_price: withPrice(prices, unit, event.target.value) })}
              />
            )}
          </Field>
        ))}
      </div>
    </div>
  );
}
