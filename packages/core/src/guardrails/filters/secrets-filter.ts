import { createPatternFilter } from './personal-data-filters.ts';

/** Keys and tokens by the formats of their issuers. Secrets without a format of their own are not found. */
const SHAPES = [
  // Keys of model providers and of this gateway: sk-…, sk-proj-…, sk-ant-…, sk-or-v1-…, sk-gw-v1-…, gsk_…, xai-…
  'sk-[a-z0-9_-]{19,200}[a-z0-9]',
  '(?:gsk_|xai-|hf_|r8_|pplx-|tgp_v1_)[a-z0-9]{20,120}',
  // Amazon, Google
  '(?:AKIA|ASIA|AROA|AIDA)[a-z2-7]{16}',
  'AIza[a-z0-9_-]{35}',
  'ya29\\.[a-z0-9_-]{20,200}',
  // GitHub, GitLab, npm, PyPI
  'gh[pousr]_[a-z0-9]{36,255}',
  'github_pat_[a-z0-9_]{50,255}',
  'glpat-[a-z0-9_-]{20,64}',
  'npm_[a-z0-9]{36}',
  'pypi-[a-z0-9_-]{50,250}',
  // Slack, Stripe, SendGrid, Twilio
  'xox[abeoprs]-[a-z0-9-]{10,200}',
  '(?:sk|rk|pk|whsec)_(?:(?:live|test)_)?[a-z0-9]{24,120}',
  'SG\\.[a-z0-9_-]{16,32}\\.[a-z0-9_-]{16,64}',
  '(?:AC|SK)[0-9a-f]{32}',
  // Signed tokens
  'eyJ[a-z0-9_-]{10,250}\\.eyJ[a-z0-9_-]{10,250}\\.[a-z0-9_-]{10,250}',
];
const PRIVATE_KEY = '(?:[A-Z]{1,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----';

export const secretsFilter = createPatternFilter({
  label: 'Secret',
  placeholder: '[SECRET]',
  trigger:
    'sk-|gsk_|xai-|hf_|r8_|pplx-|tgp_v1_|akia|asia|aroa|aida|aiza|ya29\\.|gh[pousr]_|github_pat_|glpat-|npm_|pypi-|' +
    'xox[abeoprs]-|(?:sk|rk|pk|whsec)_|sg\\.|(?:ac|sk)[0-9a-f]{32}|eyj|-----begin ',
  // The letter before a key may be that of a written escape.
  pattern: new RegExp(
    `(?:(?<![a-z0-9_])|(?<=\\\\[nrt]))(?:(?:${SHAPES.join('|')})(?![a-z0-9_])|-----BEGIN ${PRIVATE_KEY})`,
  ),
  measure(text, start, end) {
    const found = text.slice(start, end);
    if (found.startsWith('-----')) return endOfPrivateKey(text, end);
    return isRandom(found) ? end : null;
  },
});

/** More characters than a private key of 8,192 bits has. */
const PRIVATE_KEY_LENGTH = 16_384;
const privateKeyEnd = new RegExp(`-----END ${PRIVATE_KEY}`, 'y');

/** Where the key ends that begins there; one that is cut off has lines of base64, with breaks that may be escaped. */
function endOfPrivateKey(text: string, start: number): number {
  const rest = text.slice(start, start + PRIVATE_KEY_LENGTH);
  privateKeyEnd.lastIndex = Math.max(0, rest.indexOf('-----END '));
  if (privateKeyEnd.test(rest)) return start + privateKeyEnd.lastIndex;
  return start + (/^(?:\s|\\[nrt]|[a-z0-9+/=]{16,})*/i.exec(rest)?.[0].trimEnd().length ?? 0);
}

/** One in thirty has no digit. */
const AMAZON_ID = /^(?:AKIA|ASIA|AROA|AIDA)[A-Z2-7]{16}$/;

/** Keys have somewhere a long run of letters and digits in no order. Names are words; placeholders repeat themselves. */
function isRandom(match: string): boolean {
  if (AMAZON_ID.test(match)) return true;
  const runs = match.match(/[a-z0-9]{12,}/gi) ?? [];
  return runs.some((run) => /\d/.test(run) && new Set(run).size >= 8);
}
