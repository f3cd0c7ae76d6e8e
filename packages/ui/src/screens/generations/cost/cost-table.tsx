import type { Generation, ModelEndpoint, StoredCharge } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { endpointsQuery } from '../../../api/queries.ts';
import { callTimelineQuery } from '../../../features/generations/content/generation-queries.ts';
import {
  chargeAt,
  type CostExplanation,
  type CostPart,
  explainCost,
  NANO_PER_USD,
  toNanoUsd,
  toCacheSaving,
} from '../../../features/generations/cost/explain-cost.ts';
import { formatPrice, formatPricePerMillion, formatUsdExactly } from '../../../format/money.ts';
import { formatCount } from '../../../format/quantity.ts';
import { costMessages } from './messages.ts';

/** What a request cost, as the sum of what it is made of. */
export function CostTable({ generation }: { generation: Generation }) {
  const t = costMessages().table;
  const { charges, isOfToday, isUnpriced, promptPrice } = useCharges(generation);
  if (!generation.cost_known) return <p className="text-sm text-ink-soft">{t.unknown}</p>;
  const billUsd = toOwnBill(generation);
  const explained = charges === undefined ? null : explainCost(charges, billUsd ?? generation.total_cost);
  const saved = generation.cache_discount ?? (charges === undefined ? null : toCacheSaving(charges, promptPrice));
  const totalNanoUsd = toNanoUsd(generation.total_cost);
  const billNanoUsd = toNanoUsd(billUsd ?? 0);
  const shown = [totalNanoUsd, billNanoUsd, ...(explained?.parts.map(({ nanoUsd }) => nanoUsd) ?? [])];
  const write = toColumnWriter([...shown, ...(saved === null ? [] : [toNanoUsd(Math.abs(saved))])]);
  return (
    <div className="flex flex-col gap-2">
      <table aria-label={t.label} className="figures w-full text-sm">
        {explained !== null && explained.parts.length > 0 && <Parts explained={explained} write={write} />}
        <tbody>
          {billUsd !== null && (
            <>
              <Line name={t.bill} value={write(billNanoUsd)} />
              <Line name={t.paidByOwnKey} value={`−${write(billNanoUsd)}`} />
              {totalNanoUsd > 0 && <Line name={t.fee} value={write(totalNanoUsd)} />}
            </>
          )}
          <Line name={billUsd === null ? t.total : t.charged} value={write(totalNanoUsd)} isStrong />
          {saved !== null && saved !== 0 && (
            <Line
              name={saved > 0 ? t.saved : t.cacheCost}
              value={write(toNanoUsd(Math.abs(saved)))}
              className={saved > 0 ? 'text-good' : 'text-ink-soft'}
            />
          )}
        </tbody>
      </table>
      <Notes generation={generation} explained={explained} isOfToday={isOfToday} isUnpriced={isUnpriced} />
    </div>
  );
}

/** What the provider bills to the caller's own key, while the gateway charges at most a fee; null for other requests. */
export function toOwnBill({
  is_byok: isByok,
  total_cost: total,
  byok_fee: fee = 0,
  upstream_inference_cost: bill,
}: Pick<Generation, 'is_byok' | 'total_cost' | 'byok_fee' | 'upstream_inference_cost'>): number | null {
  return isByok && total === fee && bill !== null && bill > 0 ? bill : null;
}

interface PartsProps {
  readonly explained: CostExplanation;
  /** Writes an amount as the column does. */
  readonly write: (nanoUsd: number) => string;
}

function Parts({ explained: { parts, differenceNanoUsd }, write }: PartsProps) {
  const t = costMessages().table;
  return (
    <>
      <thead className="text-xs text-ink-faint">
        <tr className="border-b border-line">
          <th scope="col" className="py-1 text-left font-normal">
            {t.kind}
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            {t.count}
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            {t.price}
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            {t.cost}
          </th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <tr key={`${part.unit} ${part.price}`} className="border-b border-line/60">
            <th scope="row" className="py-1 text-left font-normal">
              {toKind(part.unit)}
            </th>
            <td className="py-1 pl-3 text-right">{formatCount(part.count)}</td>
            <td className="py-1 pl-3 text-right whitespace-nowrap text-ink-soft">{toPriceText(part)}</td>
            <td className="py-1 pl-3 text-right whitespace-nowrap">{write(part.nanoUsd)}</td>
          </tr>
        ))}
        {differenceNanoUsd !== 0 && (
          <Line name={t.difference} value={write(differenceNanoUsd)} className="text-caution" />
        )}
      </tbody>
    </>
  );
}

const writeExactly = (nanoUsd: number): string => formatUsdExactly(nanoUsd / NANO_PER_USD);
/** The digits after the point, and what follows them: the sign of the currency, in some languages. */
const FRACTION = /(\d+)(\D*)$/;
const DIGIT_SPACE = '\u2007';

/** Creates what writes the amounts of a column exactly, filled up so that their points stand below one another. */
function toColumnWriter(amounts: readonly number[]): (nanoUsd: number) => string {
  const digitsOf = (text: string): number => FRACTION.exec(text)?.[1]?.length ?? 0;
  const most = Math.max(...amounts.map(writeExactly).map(digitsOf));
  return (nanoUsd) =>
    writeExactly(nanoUsd).replace(FRACTION, (_, digits: string, rest: string) =>
      [digits, DIGIT_SPACE.repeat(Math.max(0, most - digits.length)), rest].join(''),
    );
}

interface LineProps {
  readonly name: ReactNode;
  readonly value: string;
  readonly isStrong?: boolean;
  readonly className?: string;
}

function Line({ name, value, isStrong = false, className = '' }: LineProps) {
  return (
    <tr className={`border-b border-line/60 ${className}`}>
      <th scope="row" colSpan={3} className={`py-1 text-left ${isStrong ? 'font-semibold' : 'font-normal'}`}>
        {name}
      </th>
      <td className={`py-1 pl-3 text-right whitespace-nowrap ${isStrong ? 'font-semibold' : ''}`}>{value}</td>
    </tr>
  );
}

interface NotesProps {
  readonly generation: Generation;
  readonly explained: CostExplanation | null;
  readonly isOfToday: boolean;
  readonly isUnpriced: boolean;
}

function Notes({ generation, explained, isOfToday, isUnpriced }: NotesProps) {
  const t = costMessages().table;
  const isReported = generation.upstream_inference_cost !== null && toOwnBill(generation) === null;
  const notes = [
    ...(generation.response_cache_source_id === null ? [] : [t.repeated]),
    ...(isReported ? [t.reportedBy] : []),
    ...(explained !== null && isOfToday ? [t.ofToday] : []),
    ...(isUnpriced ? [t.unpriced] : []),
    ...(generation.is_byok ? [t.byok] : []),
    ...(generation.usage_estimated ? [t.estimated] : []),
  ];
  return notes.map((note) => (
    <p key={note} className="max-w-prose text-xs text-ink-faint">
      {note}
    </p>
  ));
}

interface Charges {
  /** Undefined while they load, and where nothing is known of them. */
  readonly charges: readonly StoredCharge[] | undefined;
  /** They are not stored, and were worked out from what the endpoint charges now. */
  readonly isOfToday: boolean;
  /** Nor is it known what the endpoint charges now: it is gone. */
  readonly isUnpriced: boolean;
  readonly promptPrice: string | undefined;
}

/** The charges that are stored; for a record without them, those of today. */
function useCharges(generation: Generation): Charges {
  const { id, model, cost_known: isKnown, api_type: kind, total_cost: cost } = generation;
  const hasTokens = kind !== 'video' && (generation.tokens_prompt ?? generation.tokens_completion) !== null;
  const isAsked = isKnown && hasTokens && generation.response_cache_source_id === null;
  const { data: report, isError } = useQuery({ ...callTimelineQuery(id), enabled: isAsked });
  const stored = report?.call?.charges;
  const isOfToday = isAsked && stored === undefined && (isError || report !== undefined);
  const needsPrices = isOfToday || ((generation.native_tokens_cached ?? 0) > 0 && generation.cache_discount === null);
  const prices = useQuery({ ...endpointsQuery(model), enabled: needsPrices && cost > 0, retry: false });
  const { data: endpoints } = prices;
  const pricing = endpoints?.find((endpoint) => isEndpointOf(endpoint, generation))?.pricing;
  const worked = isOfToday && pricing !== undefined ? chargeAt(pricing, generation) : null;
  const isUnpriced = isOfToday && pricing === undefined && (prices.isError || prices.isSuccess);
  return { charges: stored ?? worked ?? undefined, isOfToday, isUnpriced, promptPrice: pricing?.prompt };
}

/** The endpoint that served a request: the last attempt names it by its tag and the provider's own model. */
const isEndpointOf = ({ tag }: ModelEndpoint, { provider_responses: attempts }: Generation): boolean =>
  attempts?.at(-1)?.endpoint_id?.startsWith(`${tag}:`) === true;

function toKind(unit: string): string {
  const { kinds } = costMessages().table;
  return Object.hasOwn(kinds, unit) ? kinds[unit as keyof typeof kinds] : unit;
}

/** What is charged by the piece; all other units are tokens. */
const BY_PIECE: ReadonlySet<string> = new Set([
  'request',
  'image',
  'web_search',
  'search_unit',
  'audio_second',
  'generated_image',
  'generated_megapixel',
]);

const toPriceText = ({ unit, price }: CostPart): string => {
  const t = costMessages().table;
  return BY_PIECE.has(unit) ? t.each(formatPrice(Number(price))) : t.perMillion(formatPricePerMillion(price));
};
