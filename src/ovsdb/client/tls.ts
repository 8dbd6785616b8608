import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { OvsdbError } from './error.ts';

/** PEM texts, or paths of files that hold them; files are read again at each connection, so they may be renewed. */
export interface TlsOptions {
  /** Who signed the server's certificate. */
  readonly ca: string;
  /** What the client shows to the server. */
  readonly cert: string;
  readonly key: string;
  /**
   * How often the files of a live connection are looked at, in milliseconds; 0 never. Once they were replaced by others
   * that fit together, the connection is made anew with them, at a moment when no transaction is under way. Default
   * 60,000.
   */
  readonly renewalCheckMs?: number;
}

/** What TLS needs, read and found to fit together. */
export interface TlsIdentity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly secureContext: tls.SecureContext;
}

/** Reads what TLS needs. @throws OvsdbError `bad-tls` when a file cannot be read or does not fit the others. */
export async function loadTls(options: TlsOptions): Promise<TlsIdentity> {
  const [ca, cert, key] = await Promise.all([
    readPem(options.ca),
    readPem(options.cert),
    readPem(options.key),
  ]);
  try {
    return { ca, cert, key, secureContext: tls.createSecureContext({ ca, cert, key }) };
  } catch (error) {
    throw new OvsdbError('bad-tls', `TLS cannot use ca, cert and key: ${reasonOf(error)}`, PEM_ADVICE, error);
  }
}

/**
 * Whether the files hold something else than `current` by now, and can be used: a certificate whose key is still the
 * old one cannot.
 */
export async function isRenewed(options: TlsOptions, current: TlsIdentity): Promise<boolean> {
  const found = await loadTls(options).catch(() => current);
  return found.ca !== current.ca || found.cert !== current.cert || found.key !== current.key;
}

/** What a failed handshake means, in words that name what to look at. */
export function explainTlsError(error: Error & { readonly code?: string }): string {
  for (const [pattern, meaning] of MEANINGS) {
    if (pattern.test(`${error.code} ${error.message}`)) return `${meaning} (${error.code ?? error.message})`;
  }
  return error.message;
}

const PEM_ADVICE =
  'give PEM texts or readable files for ca, cert and key; the key must belong to the certificate';

/** The peer's alerts (RFC 8446 6.2) come first: their texts hold words of the others. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /ALERT_UNKNOWN_CA|ALERT_BAD_CERTIFICATE|ALERT_DECRYPT_ERROR/i,
    'the server does not trust our certificate',
  ],
  [/ALERT_CERTIFICATE_EXPIRED/i, 'the server says that our certificate has expired'],
  [/ALERT_(?:HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED)/i, 'the server accepts no certificate of ours'],
  [/CERT_HAS_EXPIRED/, "the server's certificate has expired"],
  [/CERT_NOT_YET_VALID/, "the server's certificate is not valid yet"],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_SIGNATURE_FAILURE/,
    "the server's certificate is not signed by the given CA",
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|before secure TLS connection/i,
    'the server ended the handshake; does it speak TLS on this port?',
  ],
  // An alert after the handshake of TLS 1.3 is lost when something was written meanwhile.
  [
    /EPIPE|ECONNRESET/,
    'the server ended the connection; just after the handshake, it refuses our certificate',
  ],
];

async function readPem(textOrPath: string): Promise<string> {
  if (textOrPath.includes('-----BEGIN')) return textOrPath;
  try {
    return await readFile(textOrPath, 'utf8');
  } catch (error) {
    throw new OvsdbError('bad-tls', `${textOrPath} cannot be read: ${reasonOf(error)}`, PEM_ADVICE, error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
