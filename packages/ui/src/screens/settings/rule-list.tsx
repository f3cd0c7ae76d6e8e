import type { RoutingConditions, RoutingRule } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useController } from 'react-hook-form';

import { FromConfig } from '../../features/limits/rate-limits.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Button } from '../../parts/controls/button.tsx';
import { issueFor } from '../../parts/controls/field.tsx';
import { type AccountParts, MoveButtons, withMoved } from './routing-fields.tsx';
import { RuleFields } from './rule-fields.tsx';

/** The rules that choose the model by what a call is, in the order in which they are tried. */
export function RuleList({ form, error, isConfigured, modelList }: AccountParts & { modelList: string }) {
  const { value: rules, onChange } = useController({ control: form.control, name: 'routing.rules' }).field;
  const [open, setOpen] = useState<number | null>(null);
  const isFixed = isConfigured('routing.rules');
  const message = issueFor(error, 'routing.rules');
  const arrange = (arranged: readonly RoutingRule[]): void => {
    onChange(arranged);
    setOpen(null);
  };
  const add = (): void => {
    onChange([...rules, { name: `Rule ${rules.length + 1}`, when: {}, model: '' }]);
    setOpen(rules.length);
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Model routing rules</legend>
      <p className="text-xs text-ink-faint">
        Send requests to a different model based on what they contain. First match wins; guardrails and limits apply.
      </p>
      {isFixed && <FromConfig />}
      {rules.length > 0 && (
        <ol aria-label="Rules (first match wins)" className="rounded-lg border border-line">
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
                    remove={`Remove ${rule.name}`}
                    place={at}
                    count={rules.length}
                    onMove={(by) => arrange(withMoved(rules, at, by))}
                    onRemove={() => arrange(rules.toSpliced(at, 1))}
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
        <Button className="self-start" icon={<Plus size={14} />} onClick={add}>
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

interface RuleHeadProps {
  readonly rule: RoutingRule;
  /** Its place, from 1. */
  readonly place: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function RuleHead({ rule: { name, model, when }, place, isOpen, onToggle }: RuleHeadProps) {
  return (
    <>
      <button type="button" aria-expanded={isOpen} className="min-w-0 flex-1 py-1 text-left" onClick={onToggle}>
        <span className="font-medium break-words">
          {place}. {name}
        </span>{' '}
        <code className="font-mono text-xs break-all text-ink-soft">{model || 'no model yet'}</code>
        <span className="block text-xs break-words text-ink-faint">{toConditionText(when)}</span>
      </button>
      <Link
        to="/generations"
        search={{ where: `rule:${JSON.stringify(name)}` }}
        aria-label={`Calls of ${name}`}
        className="px-1.5 text-xs text-accent underline"
      >
        Calls
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
  const parts = [
    toYesNo(when.background, 'a background task'),
    toYesNo(when.thinking, 'reasoning'),
    toYesNo(when.sub_agent, 'a sub-agent'),
    toYesNo(when.has_tools, 'tools'),
    toYesNo(when.has_images, 'images'),
    tokens !== undefined && `at least ${formatCount(tokens)} tokens`,
    tools !== undefined && `at least ${formatCount(tools)} ${tools === 1 ? 'tool' : 'tools'}`,
    models && `asks for ${models.join(' or ')}`,
    apps && `from ${apps.join(' or ')}`,
    formats && `over ${formats.join(' or ')}`,
    keys && `with the key ${keys.join(' or ')}`,
    except && `not with the key ${except.join(' or ')}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'every call' : parts.join(', ');
}

const toYesNo = (wanted: boolean | undefined, what: string): string | undefined =>
  wanted === undefined ? undefined : wanted ? what : `not ${what}`;
