import { isRecord } from '../../foundation/unchecked.ts';

/** The fields of an error on this wire, as far as they could be read. */
export interface ErrorFields {
  readonly status: number | null;
  readonly message?: string;
  /** Upstream's own code or type, e.g. `context_length_exceeded`. */
  readonly providerCode?: string;
}

/** Reads the error object of this wire, in any of the forms seen: `code` is a status, a name, or missing. */
export function readErrorFields(error: unknown): ErrorFields {
  if (typeof error === 'string') return { status: null, message: error };
  if (!isRecord(error)) return { status: null };
  const { code, type, status } = error;
  const number = [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  const name = [code, type].find((value) => typeof value === 'string' && !/^\d+$/.test(value));
  const message = textOf(error['message']) ?? textOf(error['detail']);
  return {
    status: number ?? null,
    ...(message !== undefined && { message }),
    ...(typeof name === 'string' && { providerCode: name }),
  };
}

/** Mistral, Cerebras and older vLLM do not wrap the error in `error`; DeepInfra and Nvidia have `detail`. */
export function readErrorBody(text: string): ErrorFields {
  try {
    const body: unknown = JSON.parse(text);
    return readErrorFields(isRecord(body) && body['error'] ? body['error'] : isRecord(body) ? body : null);
  } catch {
    // Not JSON: a proxy's page or nothing at all. Only the status is used.
    return { status: null };
  }
}

/** Reads a refusal: the status of the response takes precedence over one in the body. */
export function readOpenAiError(text: string, status: number): ErrorFields {
  return { ...readErrorBody(text), status };
}

/** The words in a message: itself, or what a validation error lists. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.filter(isRecord).map(({ loc, msg }) => {
      const place = Array.isArray(loc) ? `${loc.join('.')}: ` : '';
      return typeof msg === 'string' ? place + msg : '';
    });
    return texts.filter((text) => text !== '').join('; ') || undefined;
  }
  return isRecord(value) ? textOf(value['error'] ?? value['message'] ?? value['detail']) : undefined;
}
