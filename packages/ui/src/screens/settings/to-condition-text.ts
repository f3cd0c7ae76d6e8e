import type { RoutingConditions } from '@model-gateway/core/wire';

import { formatCount } from '../../format/quantity.ts';

/** The conditions of a rule in a line. */
export function toConditionText(when: RoutingConditions): string {
  const { models, apps, keys, except_keys: except, doors, min_prompt_tokens: tokens, min_tools: tools } = when;
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
    doors && `over ${doors.join(' or ')}`,
    keys && `with the key ${keys.join(' or ')}`,
    except && `not with the key ${except.join(' or ')}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'every call' : parts.join(', ');
}

const toYesNo = (wanted: boolean | undefined, what: string): string | undefined =>
  wanted === undefined ? undefined : wanted ? what : `not ${what}`;
