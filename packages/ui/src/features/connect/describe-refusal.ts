import type { RefusalBody } from '@model-gateway/core/wire';

/** What happened, and what its user can do about it. */
export interface Advice {
  readonly title: string;
  readonly advice: string;
}

interface Expected {
  readonly tool: string;
  readonly baseUrl: string;
  readonly model: string;
}

type Facts = Pick<RefusalBody, 'method' | 'path' | 'status' | 'message' | 'key_hash'>;

/** Other forms of the API, by the end of their address. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  '/audio/speech': 'API for speech',
  '/audio/transcriptions': 'API for transcriptions',
  '/images/generations': 'API for pictures',
};

/** Explains why a request of a tool was refused. Of one without a valid key nobody can tell whose it was. */
export function describeRefusal(refusal: Facts, { tool, baseUrl, model }: Expected): Advice {
  const { method, path, status, key_hash: hash } = refusal;
  if (status === 401 || (status === 429 && hash === null)) {
    return {
      title: 'A call was refused because of its key',
      advice:
        `If it came from ${tool}: copy the key once more, all of it and nothing else, ` +
        'and look for another key that goes before it, such as a variable of the system.',
    };
  }
  if (status === 404 && hash === null) {
    const form = Object.entries(OTHER_FORMS).find(([end]) => path.endsWith(end) && !path.endsWith('/chat/completions'));
    if (form !== undefined) {
      return {
        title: `A call went to ${path}, the ${form[1]}`,
        advice: `This gateway has no such address: let ${tool} use another service for that.`,
      };
    }
    return {
      title: `A call went to ${method} ${path}, which is not there`,
      advice: `The base URL has to be exactly ${baseUrl}; ${tool} adds the rest by itself.`,
    };
  }
  return { title: 'The gateway refused the call', advice: toAdvice(refusal, model) };
}

function toAdvice({ status, message }: Facts, model: string): string {
  switch (status) {
    case 400:
      return /model/i.test(message)
        ? `The name of the model has to be as it is here: ${model}.`
        : 'The tool sent something that the gateway does not take; the message above says what.';
    case 402:
      return 'Raise the limit of the key under Keys. Under a limit, models without a known price are refused.';
    case 403:
      return 'A guardrail or a setting of the account forbids it: look under Guardrails and Settings.';
    case 413:
      return 'Send less at once, or raise server.bodyLimitMb in the configuration.';
    case 429:
      return 'It calls more often than a limit allows: wait a little, or raise the limit.';
    default:
      return 'Change what the message above names, and try again.';
  }
}
