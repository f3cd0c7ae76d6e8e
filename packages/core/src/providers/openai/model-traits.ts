import type { ReasoningEffort } from '../../wire/chat-request.ts';
import type { RealEffort } from '../kit/to-upstream.ts';

/** What OpenAI's models differ in, as far as their names tell: its API names neither in a list. */

/** A GPT model's number in hundreds: 506 for `gpt-5.6-luna`. Azure's `gpt-35-turbo` has none. */
export function versionOf(model: string): number | undefined {
  const [, major, minor = '0'] = /(?:^|[/:])gpt-(\d|1\d)(?:\.(\d{1,2}))?(?!\d)/.exec(model) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}

/** Whether the model's cache has marks. Older models refuse them. */
export const knowsBreakpoints = (model: string): boolean => (versionOf(model) ?? 0) >= 506;

export type Efforts = readonly RealEffort[];

interface ModelEfforts {
  /** Lowest first. */
  readonly efforts: Efforts;
  /** Whether it can do without reasoning. */
  readonly canRest: boolean;
}

const UP_TO_HIGH: Efforts = ['low', 'medium', 'high'];
const UP_TO_XHIGH: Efforts = [...UP_TO_HIGH, 'xhigh'];
const UP_TO_MAX: Efforts = [...UP_TO_XHIGH, 'max'];

/** The efforts that a model takes, each other being refused; undefined where they are not known. */
export function effortsOf(model: string): ModelEfforts | undefined {
  if (/(?:^|[/:])o\d/.test(model)) return { efforts: UP_TO_HIGH, canRest: false };
  const version = versionOf(model);
  if (version === undefined || version < 500) return undefined;
  if (model.includes('-chat')) return version === 500 ? undefined : { efforts: ['medium'], canRest: false };
  const isPro = model.includes('-pro');
  if (version === 500) {
    if (isPro) return { efforts: ['high'], canRest: false };
    return { efforts: model.includes('-codex') ? UP_TO_HIGH : ['minimal', ...UP_TO_HIGH], canRest: false };
  }
  if (version >= 506) return { efforts: UP_TO_MAX, canRest: version < 600 };
  if (version === 501) return { efforts: model.includes('-max') ? UP_TO_XHIGH : UP_TO_HIGH, canRest: true };
  if (isPro) return { efforts: ['medium', 'high', 'xhigh'], canRest: false };
  return { efforts: UP_TO_XHIGH, canRest: !model.includes('-codex') };
}

const SCALE = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly RealEffort[];

/** The accepted effort that is nearest to the wish; of two equally near, the higher. */
export function toNearestEffort(wish: RealEffort, accepted: Efforts): RealEffort {
  const distance = (other: RealEffort): number => Math.abs(SCALE.indexOf(other) - SCALE.indexOf(wish));
  return accepted.reduce((best, other) => (distance(other) <= distance(best) ? other : best), accepted[0] ?? wish);
}

/**
 * What is sent for a wish for no reasoning: that, which a model that always reasons refuses, or its least where the
 * caller named a family and may have got such a model.
 */
export function toNoEffort(model: ModelEfforts | undefined, isOfFamily: boolean | undefined): ReasoningEffort {
  const lowest = model?.efforts[0];
  return model?.canRest === false && isOfFamily === true && lowest !== undefined ? lowest : 'none';
}
