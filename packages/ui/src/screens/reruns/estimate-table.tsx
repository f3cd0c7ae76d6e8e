import type { RerunEstimate } from '@model-gateway/core/wire';

import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { rerunFormMessages } from './form-messages.ts';
import { toTargetName } from './rerun-state.tsx';

interface EstimateTableProps {
  readonly estimate: RerunEstimate;
  /** USD; 0 before one is entered. */
  readonly maxCost: number;
}

/** What a rerun would cost: by target, with the tokens of the originals and at worst. */
export function EstimateTable({ estimate, maxCost }: EstimateTableProps) {
  const { result: t } = rerunFormMessages();
  const { items, targets, without_request: without, typical_usd: typical } = estimate;
  const isTooLow = typical !== null && maxCost > 0 && maxCost < typical;
  return (
    <section aria-label={t.title} className="rounded-lg bg-raised p-3 text-sm">
      <p role="status" className="figures">
        <span className="font-semibold">{t.requests(items, formatCount(items))}</span>
        <span className="text-ink-soft">
          {' · '}
          {t.tokens(formatCount(estimate.prompt_tokens), formatCount(estimate.completion_tokens))}
        </span>
      </p>
      {without > 0 && <p className="text-caution">{t.without(without, formatCount(without))}</p>}
      <table className="figures mt-2 w-full">
        <thead>
          <tr className="text-left text-xs text-ink-soft">
            <th scope="col" className="py-1 pr-3 font-normal">
              {t.model}
            </th>
            <th scope="col" className="py-1 pr-3 text-right font-normal" title={t.typicalHint}>
              {t.typical}
            </th>
            <th scope="col" className="py-1 text-right font-normal" title={t.worstHint}>
              {t.worst}
            </th>
          </tr>
        </thead>
        <tbody>
          {targets.map((target, at) => (
            <Line key={at} name={toTargetName(target)} costs={target} />
          ))}
          {targets.length > 1 && <Line name={t.total} costs={estimate} isTotal />}
        </tbody>
      </table>
      <p className="mt-1 text-xs text-ink-soft">{t.withoutJudges}</p>
      {isTooLow && <p className="mt-1 text-caution">{t.tooLow(formatUsd(typical))}</p>}
    </section>
  );
}

interface LineProps {
  readonly name: string;
  readonly costs: Pick<RerunEstimate, 'typical_usd' | 'worst_usd'>;
  readonly isTotal?: boolean;
}

function Line({ name, costs: { typical_usd: typical, worst_usd: worst }, isTotal = false }: LineProps) {
  const { result: t } = rerunFormMessages();
  return (
    <tr className="border-t border-line">
      <th
        scope="row"
        className={`py-1 pr-3 text-left break-all ${isTotal ? 'font-semibold' : 'font-mono text-xs font-normal'}`}
      >
        {name}
      </th>
      <td className="py-1 pr-3 text-right" title={typical === null ? t.unknownTypical : undefined}>
        {formatUsd(typical)}
      </td>
      <td className="py-1 text-right" title={worst === null ? t.unbounded : undefined}>
        {formatUsd(worst)}
      </td>
    </tr>
  );
}
