import type { AlarmMail, AlarmMailer } from '@model-gateway/core';

import { loadPeer } from './load-peer.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `starttls` requires encryption before anything secret is said; `none` sends in the clear. */
  readonly security: 'starttls' | 'tls' | 'none';
  /** Null: the server asks for no sign-in. */
  readonly user: string | null;
  readonly password: string | null;
  /** An address, or a name and an address in angle brackets. */
  readonly from: string;
  /** More certificates to trust, in PEM. Default: those of Node.js. */
  readonly ca?: string | undefined;
}

const ATTEMPT_TIMEOUT_MS = 15_000;
/** Replies of 5xx to an address stay as they are; a refused sign-in can be mended. */
const PERMANENT = 500;

/**
 * Creates what sends mail by SMTP, on one connection each. The package `nodemailer` is loaded with the first mail; where
 * it is not installed, the result says how to install it. Nothing is to be closed.
 */
export function createSmtpMailer(options: SmtpOptions): AlarmMailer {
  return {
    async send(mail) {
      try {
        const { createTransport } = await loadPeer('Sending mail', ['nodemailer'], () => import('nodemailer'));
        await createTransport(toTransport(options)).sendMail(toMessage(mail, options.from));
        return { isDelivered: true, result: 'sent' };
      } catch (error) {
        return { isDelivered: false, ...toFailure(error) };
      }
    },
  };
}

function toTransport({ host, port, security, user, password, ca }: SmtpOptions) {
  return {
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: ATTEMPT_TIMEOUT_MS,
    greetingTimeout: ATTEMPT_TIMEOUT_MS,
    socketTimeout: ATTEMPT_TIMEOUT_MS,
  };
}

function toMessage({ id, to, subject, text }: AlarmMail, from: string) {
  return {
    from,
    to,
    subject,
    text,
    messageId: `<${id}@model-gateway>`,
    // Asks absence notes and other programs not to reply.
    headers: { 'auto-submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A few words, without addresses or what the server wrote. */
function toFailure(error: unknown): { readonly result: string; readonly isFinal: boolean } {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  if (code === 'PEER_MISSING') return { result: message ?? code, isFinal: false };
  if (responseCode !== undefined)
    return { result: `SMTP ${responseCode}`, isFinal: code === 'EENVELOPE' && responseCode >= PERMANENT };
  return { result: code === 'ETIMEDOUT' ? 'timed out' : `failed (${code ?? 'unknown'})`, isFinal: false };
}
