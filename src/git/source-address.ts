import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SourceFault } from './source-error.ts';
import type { Credentials } from './source-options.ts';

/** Where a repository is, taken apart. `label` is what may be shown: it never has a password in it. */
export type SourceAddress =
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly label: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'local'; readonly directory: string; readonly label: string };

/** Takes a URL or path apart. Throws UNSUPPORTED_URL or BAD_OPTION. */
export function parseAddress(text: string, credentials: Credentials = {}): SourceAddress {
  const trimmed = text.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') return remoteAddress(trimmed, credentials);
  if (scheme === 'file') return localAddress(filePath(trimmed));
  if (scheme !== undefined) {
    throw new SourceFault('UNSUPPORTED_URL', `${redactUrl(trimmed)}: ${scheme}:// is not supported`);
  }
  // git-clone(1): user@host:path, unless a slash comes before the colon.
  if (/^[^/]+:/u.test(trimmed) && !isAbsolute(trimmed)) {
    throw new SourceFault('UNSUPPORTED_URL', `${redactUrl(trimmed)}: ssh is not supported`);
  }
  if (trimmed === '') throw new SourceFault('BAD_OPTION', 'the URL of the source is empty');
  return localAddress(resolve(trimmed));
}

/** The text with user name and password taken out of every URL in it. */
export function redactUrl(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^/\s]*@/giu, '$1')
    .replaceAll(/^[^/\s:@]+:[^/\s@]+@/gu, '');
}

function localAddress(directory: string): SourceAddress {
  return { kind: 'local', directory, label: directory };
}

function filePath(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new SourceFault('UNSUPPORTED_URL', `${redactUrl(text)} is not the URL of a local file`);
  }
}

function remoteAddress(text: string, credentials: Credentials): SourceAddress {
  if (!URL.canParse(text)) throw new SourceFault('UNSUPPORTED_URL', `${redactUrl(text)} is not a URL`);
  const url = new URL(text);
  const username = (credentials.username ?? decoded(url.username)).trim();
  const password = (credentials.password ?? decoded(url.password)).trim();
  url.username = '';
  url.password = '';
  url.hash = '';
  const plain = url.href.replace(/\/+$/u, '');
  const headers: Record<string, string> = {};
  if (username !== '' || password !== '') {
    // Forges accept any name beside a token, but none accepts an empty one.
    const pair = `${username === '' ? 'git' : username}:${password}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  for (const [name, value] of Object.entries(credentials.headers ?? {})) {
    headers[name.trim().toLowerCase()] = headerValue(name, value.trim());
  }
  return { kind: 'remote', url: plain, label: plain, headers };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function headerValue(name: string, value: string): string {
  if (!/\p{Cc}/u.test(value)) return value;
  throw new SourceFault('BAD_OPTION', `header ${name} holds a control character`);
}
