import type { RoutingRule } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';

import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { RuleFields } from './rule-fields.tsx';
import { toConditionText } from './to-condition-text.ts';

export interface RuleListProps {
  readonly rules: readonly RoutingRule[];
  readonly modelList: string;
  readonly isFixed: boolean;
  /** The gateway's message about a setting, by its path. */
  readonly issue: (path: string) => string | undefined;
  readonly onChange: (rules: RoutingRule[]) => void;
}

/** The rules that choose the model by what a call is, in the order in which they are tried. */
export function RuleList({ rules, modelList, isFixed, issue, onChange }: RuleListProps) {
  const [open, setOpen] = useState<number | null>(null);
  const message = issue('routing.rules');
  const move = (at: number, by: number): void => {
    const moved = rules.toSpliced(at, 1).toSpliced(at + by, 0, ...rules.slice(at, at + 1));
    onChange(moved);
    setOpen(null);
  };
  const add = (): void => {
    onChange([...rules, { name: `Rule ${rules.length + 1}`, when: {}, model: '' }]);
    setOpen(rules.length);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Rules that choose the model</legend>
      <p className="text-xs text-ink-faint">
        By what a call is, for agents above all. The first rule that holds decides, and its model takes the place of
        what the call asks for; guardrails and limits hold for it.
      </p>
      {isFixed && <FromConfig />}
      {rules.length > 0 && (
        <ol aria-label="Rules, the first that holds decides" className="rounded-lg border border-line">
          {rules.map((rule, at) => (
            <li key={at} className="flex flex-col border-b border-line/60 text-sm last:border-0">
              <div className="flex items-center gap-1 py-1 pr-1 pl-3">
                <button
                  type="button"
                  aria-expanded={open === at}
                  className="min-w-0 flex-1 py-1 text-left"
                  onClick={() => setOpen(open === at ? null : at)}
                >
                  <span className="font-medium break-words">
                    {at + 1}. {rule.name}
                  </span>{' '}
                  <code className="font-mono text-xs break-all text-ink-soft">{rule.model || 'no model yet'}</code>
                  <span className="block text-xs break-words text-ink-faint">{toConditionText(rule.when)}</span>
                </button>
                <Link
                  to="/generations"
                  search={{ where: `rule:${JSON.stringify(rule.name)}` }}
                  aria-label={`Calls of ${rule.name}`}
                  className="px-1.5 text-xs text-accent underline"
                >
                  Calls
                </Link>
                {!isFixed && (
                  <>
                    <Button
                      look="quiet"
                      className="px-1.5!"
                      aria-label={`${rule.name} up`}
                      disabled={at === 0}
                      icon={<ArrowUp size={14} aria-hidden />}
                      onClick={() => move(at, -1)}
                    />
                    <Button
                      look="quiet"
                      className="px-1.5!"
                      aria-label={`${rule.name} down`}
                      disabled={at === rules.length - 1}
                      icon={<ArrowDown size={14} aria-hidden />}
                      onClick={() => move(at, 1)}
                    />
                    <Button
                      look="quiet"
                      className="px-1.5!"
                      aria-label={`Remove ${rule.name}`}
                      icon={<X size={14} aria-hidden />}
                      onClick={() => {
                        onChange(rules.toSpliced(at, 1));
                        setOpen(null);
                      }}
                    />
                  </>
                )}
              </div>
              {open === at && (
                <div className="border-t border-line/60 p-3">
                  <RuleFields
                    rule={rule}
                    modelList={modelList}
                    isFixed={isFixed}
                    issue={(path) => issue(`routing.rules.${at}.${path}`)}
                    onChange={(changed) => onChange(rules.with(at, changed))}
                  />
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
      {!isFixed && (
        <Button className="self-start" icon={<Plus size={14} aria-hidden />} onClick={add}>
          Add a rule
        </Button>
      )}
      {message !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {message}
        </p>
      )}
    </fieldset>
  );
}
