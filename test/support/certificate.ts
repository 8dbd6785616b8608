import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** A self-signed certificate for localhost and 127.0.0.1, which is its own CA, as PEM files in `directory`. */
export function makeCertificate(directory: string): { readonly key: string; readonly certificate: string } {
  const key = path.join(directory, 'key.pem');
  const certificate = path.join(directory, 'certificate.pem');
  const made = spawnSync('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' '),
    ...'-addext subjectAltName=DNS:localhost,IP:127.0.0.1'.split(' '),
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return { key, certificate };
}
