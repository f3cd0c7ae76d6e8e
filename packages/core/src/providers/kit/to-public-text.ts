const MAX_MESSAGE_LENGTH = 500;

/** Names of headers and query parameters whose values are secrets. */
const SECRET_NAMES = String.raw`(?:x-)?api[-_]?key|x-goog-api-key|authorization|access[-_]token|client[-_]secret|key|token|secret|password|sig|signature`;

const ADDRESS = '[address]';
export const REDACTED = '[redacted]';

/**
 * Each with its replacement, in this order. What may precede its fixed part is bounded, because an upstream that means
 * harm could otherwise hold the process up.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\b(bearer|basic|authorization["']?\s*[:=]\s*["']?token)\s+[^\s"'<>,;]+/gi, `$1 ${REDACTED}`],
  [/\b(authorization["']?\s*[:=]\s*["']?)(?!(?:bearer|basic|token)\b)[^\s"'<>,;]{6,}/gi, `$1${REDACTED}`],
  [new RegExp(String.raw`([?&](?:${SECRET_NAMES})=)[^&\s"'<>]+`, 'gi'), `$1${REDACTED}`],
  [
    /\b((?:(?:x-)?(?:goog-)?api[-_]?key|account[-_]?key|client[-_]?secret|(?:access|refresh)[-_]?token|password)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi,
    `$1${REDACTED}`,
  ],
  [
    /\b((?:sk|pk|rk|key|gsk|xai|hf|r8|fw|csk|pplx|nvapi|gh[opsur]|github_pat|glpat|xox[a-z]|tgp|tvly|whsec|GOCSPX)[-_]|AIza)[\w-]{8,}/g,
    REDACTED,
  ],
  [/\beyJ[\w-]{4,500}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [/\bA[KS]IA[A-Z\d]{16}\b/g, REDACTED],
  [/\b(?:org|proj|acct)[-_][A-Za-z\d]{8,}/g, REDACTED],
  [/\bdata:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w=.-]{1,100}){0,5},[^\s"'<>)]*/gi, '[data]'],
  // A user and a password before a host.
  [/\b([a-z][a-z\d+.-]{0,20}:\/\/)[^\s/@"']+@/gi, '$1'],
  [
    /\b[a-z][a-z\d+.-]{0,20}:\/\/(localhost|\[[\da-f:.]+\]|\d{1,3}(\.\d{1,3}){3}|[\w-]+|([\w-]+\.)+(local|internal|svc|lan|corp|intranet|home|arpa))(?!\.?[\w-])(:\d+)?[^\s"')]*/gi,
    ADDRESS,
  ],
  [/(?<![\w.-])(localhost|([\w-]+\.)+(local|internal|svc|lan|corp|intranet))(:\d+)?(?![\w-]|\.\w)/gi, ADDRESS],
  // Version 6, shortened and in full, before version 4, which may be its end.
  [
    /\[?(?<![\w:])(?=:*[\da-f])[\da-f:]{0,39}::[\da-f:]{0,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%\w{1,20})?(?![\w:]|\.\d)\]?(:\d+)?/gi,
    ADDRESS,
  ],
  [/\[?(?<![\w:])(?:[\da-f]{1,4}:){3,7}[\da-f]{1,4}(?![\w:])\]?(:\d+)?/gi, ADDRESS],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, ADDRESS],
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not reach a terminal or a log
  [/[\u0000-\u001f\u007f\u2028\u2029\u202a-\u202e]+/g, ' '],
];

/**
 * A text from upstream without `secrets`, keys, tokens, internal addresses and control characters. What is cut off is
 * cut after that, because half a key is no key that a pattern knows.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replace(toPattern(secret), REDACTED);
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean.trim();
}

/** Hosts are written in any case. */
const toPattern = (secret: string): RegExp =>
  new RegExp(secret.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');

export const hasMarkup = (text: string): boolean => /<\s*[a-z!/?]/i.test(text);

/** Cleans a text from upstream; undefined when nothing remains that may be shown. */
export function toPublicText(
  text: string | undefined,
  secrets: readonly string[],
  maxLength = MAX_MESSAGE_LENGTH,
): string | undefined {
  if (text === undefined || hasMarkup(text)) return undefined;
  const clean = withoutSecrets(text, secrets);
  if (clean === '') return undefined;
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}
