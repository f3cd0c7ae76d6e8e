import type { GuardrailDryRunLine } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';

import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { toShortRule } from './guardrail-words.ts';
import { trialMessages } from './trial-messages.ts';

type Effect = GuardrailDryRunLine['rules'][number]['effect'];

const TONES: Readonly<Record<Effect, Tone>> = {
  blocked: 'bad',
  unserved: 'bad',
  over_budget: 'bad',
  redacted: 'caution',
  rerouted: 'caution',
  flagged: 'neutral',
};

interface DryRunResultProps {
  readonly line: GuardrailDryRunLine;
  readonly examples: GuardrailDryRunLine['examples'];
  /** No more will come. */
  readonly isFinal: boolean;
}

/** What a dry run has found so far: numbers, by which rules, and some of the requests. */
export function DryRunResult({ line, examples, isFinal }: DryRunResultProps) {
  const t = trialMessages().dryRun;
  const effects = (Object.keys(TONES) as Effect[]).filter((effect) => effect === 'blocked' || line[effect] > 0);
  return (
    <section aria-label={t.result} className="flex flex-col gap-4">
      <p role={isFinal ? 'status' : undefined} className="figures text-sm">
        {t.of(formatCount(line.looked_at), line.looked_at)}{' '}
        {effects.map((effect, at) => (
          <Fragment key={effect}>
            {at > 0 && ', '}
            <b>{formatCount(line[effect])}</b> {t.effects[effect].would}
          </Fragment>
        ))}
        .
      </p>
      <Notes line={line} isFinal={isFinal} />
      {line.rules.length > 0 && <Rules rules={line.rules} />}
      {examples.length > 0 && <Examples examples={examples} touched={line.touched} />}
    </section>
  );
}

function Notes({ line, isFinal }: Omit<DryRunResultProps, 'examples'>) {
  const t = trialMessages().dryRun;
  const { blocked, unserved, over_budget: overBudget, saved_usd: saved, saved_unknown: unknown } = line;
  const without = line.without_content;
  const isSaving = blocked + unserved + overBudget > 0;
  return (
    <ul className="figures flex list-disc flex-col gap-0.5 pl-5 text-sm text-ink-soft">
      {isFinal && line.touched === 0 && <li>{t.untouched}</li>}
      {isSaving && (
        <li>{unknown > 0 ? t.savedUnknown(formatUsd(saved), formatCount(unknown)) : t.saved(formatUsd(saved))}</li>
      )}
      {without > 0 && <li>{t.withoutContent(formatCount(without))}</li>}
      {overBudget > 0 && <li>{t.budget}</li>}
    </ul>
  );
}

function Rules({ rules }: Pick<GuardrailDryRunLine, 'rules'>) {
  const t = trialMessages().dryRun;
  return (
    <table className="figures w-full text-sm">
      <caption className="mb-1 text-left font-semibold">{t.byRule}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t.rule}</th>
          <th scope="col">{t.effect}</th>
          <th scope="col">{t.requests}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map(({ rule, effect, calls }) => (
          <tr key={`${effect} ${rule}`} className="border-t border-line/60">
            <th scope="row" className="max-w-0 truncate py-1 text-left font-mono text-xs font-normal" title={rule}>
              {rule}
            </th>
            <td className="w-28 py-1">
              <Badge tone={TONES[effect]}>{t.effects[effect].short}</Badge>
            </td>
            <td className="w-20 py-1 text-right">{formatCount(calls)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Examples({ examples, touched }: Pick<GuardrailDryRunLine, 'examples' | 'touched'>) {
  const t = trialMessages().dryRun;
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold">
        {t.requests}{' '}
        {touched > examples.length && (
          <span className="figures font-normal text-ink-faint">
            {t.someOf(formatCount(examples.length), formatCount(touched))}
          </span>
        )}
      </h3>
      <ul className="flex flex-col">
        {examples.map(({ id, model, created_at: at, cost, effects }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line/60 py-1.5 text-sm">
            <Link to="/generations/$id" params={{ id }} className="figures text-accent underline">
              <time dateTime={at}>{formatMoment(at)}</time>
              <span className="sr-only"> {model}</span>
            </Link>
            <span aria-hidden className="min-w-32 flex-1 truncate">
              {model}
            </span>
            <span className="figures text-ink-faint">{formatUsd(cost)}</span>
            <span className="flex flex-wrap gap-1">
              {effects.map(({ effect, rule }) => (
                <Badge key={`${effect} ${rule}`} tone={TONES[effect]} title={rule}>
                  {t.effects[effect].short}: {toShortRule(rule)}
                </Badge>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
