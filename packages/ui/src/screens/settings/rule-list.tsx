import type { RoutingConditions, RoutingRule } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useController } from 'react-hook-form';

import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { useRowFocus } from '../../parts/controls/use-row-focus.ts';
import { partMessages } from '../../parts/part-messages.ts';
import { settingsMessages } from './messages.ts';
import { type AccountParts, MoveButtons, withMoved } from './routing-fields.tsx';
import { RuleFields } from './rule-fields.tsx';
import { ruleMessages } from './rule-messages.ts';

/** The rules that choose the model by what a call is, in the order in which they are tried. */
export function RuleList({ form, error, isConfigured, modelList }: AccountParts & { modelList: string }) {
  const { value: rules, onChange } = useController({ control: form.control, name: 'routing.rules' }).field;
  const t = ruleMessages();
  const [open, setOpen] = useState<number | null>(null);
  const { around, beforeMove, beforeRemoval } = useRowFocus<HTMLFieldSetElement>();
  const isFixed = isConfigured('routing.rules');
  const message = issueFor(error, 'routing.rules');
  const arrange = (arranged: readonly RoutingRule[]): void => {
    onChange(arranged);
    setOpen(null);
  };
  const add = (): void => {
    onChange([...rules, { name: t.newName(rules.length + 1), when: {}, model: '' }]);
    setOpen(rules.length);
  };
  return (
    <fieldset {...around} aria-label={settingsMessages().sections.rules} className="flex min-w-0 flex-col gap-3">
      <p className="text-sm text-ink-faint">{t.note}</p>
      {isFixed && <FromConfig />}
      {rules.length > 0 && (
        <ol aria-label={t.list} className="rounded-lg border border-line">
          {rules.map((rule, at) => (
            <li key={at} className="flex flex-col border-b border-line/60 text-sm last:border-0">
              <div className="flex items-center gap-1 py-1 pr-1 pl-3">
                <RuleHead
                  rule={rule}
                  place={at + 1}
                  isOpen={open === at}
                  onToggle={() => setOpen(open === at ? null : at)}
                />
                {!isFixed && (
                  <MoveButtons
                    name={rule.name}
                    remove={partMessages().removeNamed(rule.name)}
                    place={at}
                    count={rules.length}
                    onMove={(by) => {
                      beforeMove(at, by);
                      arrange(withMoved(rules, at, by));
                    }}
                    onRemove={() => {
                      beforeRemoval(at);
                      arrange(rules.toSpliced(at, 1));
                    }}
                  />
                )}
              </div>
              {open === at && (
                <div className="border-t border-line/60 p-3">
                  <RuleFields
                    rule={rule}
                    modelList={modelList}
                    isFixed={isFixed}
                    issue={(path) => issueFor(error, `routing.rules.${at}.${path}`)}
                    onChange={(changed) => onChange(rules.with(at, changed))}
                  />
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
      {!isFixed && (
        <Button data-add className="self-start" icon={<Plus size={14} />} onClick={add}>
          {t.add}
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

interface RuleHeadProps {
  readonly rule: RoutingRule;
  /** Its place, from 1. */
  readonly place: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function RuleHead({ rule: { name, model, when }, place, isOpen, onToggle }: RuleHeadProps) {
  const t = ruleMessages();
  return (
    <>
      <button type="button" aria-expanded={isOpen} className="min-w-0 flex-1 py-1 text-left" onClick={onToggle}>
        <span className="font-medium break-words">
          {place}. {name}
        </span>{' '}
        <code className="font-mono text-xs break-all text-ink-soft">{model || t.noModel}</code>
        <span className="block text-xs break-words text-ink-faint">{toConditionText(when)}</span>
      </button>
      <Link
        to="/generations"
        search={{ where: `rule:${JSON.stringify(name)}` }}
        aria-label={t.requestsOf(name)}
        className="px-1.5 text-xs text-accent underline"
      >
        {t.requests}
      </Link>
    </>
  );
}

/** The conditions of a rule in a line. */
export function toConditionText(when: RoutingConditions): string {
  const {
    models,
    apps,
    keys,
    except_keys: except,
    formats = when.doors,
    min_prompt_tokens: tokens,
    min_tools: tools,
  } = when;
  const t = ruleMessages().summary;
  const toYesNo = (wanted: boolean | undefined, what: string): string | undefined =>
    wanted === undefined ? undefined : wanted ? what : t.not(what);
  const anyOf = (names: readonly string[]): string => names.join(t.or);
  const parts = [
    toYesNo(when.background, t.background),
    toYesNo(when.thinking, t.thinking),
    toYesNo(when.sub_agent, t.subAgent),
    toYesNo(when.has_tools, t.tools),
    toYesNo(when.has_images, t.images),
    tokens !== undefined && t.tokens(formatCount(tokens)),
    tools !== undefined && t.minTools(formatCount(tools), tools),
    models && t.models(anyOf(models)),
    apps && t.apps(anyOf(apps)),
    formats && t.formats(anyOf(formats)),
    keys && t.keys(anyOf(keys)),
    except && t.exceptKeys(anyOf(except)),
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? t.every : parts.join(', ');
}
