import { spawnSync } from 'node:child_process';
import path from 'node:path';

/** PEM files in one directory: `NAME.pem` and `NAME.key`, signed by `ca.pem`. */
export interface Certificates {
  /** The TLS options of a client that goes by this name. */
  tls(name: string, ca?: string): { readonly ca: string; readonly cert: string; readonly key: string };
  /** What ovsdb-server is told to go by this name. */
  serverArguments(name: string): readonly string[];
  /** Signs a certificate in the place of the one before, or of a new name. */
  issue(name: string, options?: { readonly ca?: string; readonly days?: number }): void;
}

/** Makes a CA and certificates. */
export function makeCertificates(
  dir: string,
  names: readonly string[],
  cas: readonly string[] = ['ca'],
): Certificates {
  const file = (name: string): string => path.join(dir, name);
  for (const ca of cas) {
    openssl([
      'req',
      '-x509',
      ...NEW_KEY,
      '-subj',
      `/CN=${ca}`,
      '-days',
      '1',
      '-keyout',
      file(`${ca}.key`),
      '-out',
      file(`${ca}.pem`),
    ]);
  }
  const certificates: Certificates = {
    tls: (name, ca = 'ca') => ({
      ca: file(`${ca}.pem`),
      cert: file(`${name}.pem`),
      key: file(`${name}.key`),
    }),
    serverArguments: (name) => [
      `--private-key=${file(`${name}.key`)}`,
      `--certificate=${file(`${name}.pem`)}`,
      `--ca-cert=${file('ca.pem')}`,
    ],
    issue: (name, { ca = 'ca', days = 1 } = {}) => {
      openssl([
        'req',
        ...NEW_KEY,
        '-subj',
        `/CN=${name}`,
        '-keyout',
        file(`${name}.key`),
        '-out',
        file(`${name}.csr`),
      ]);
      openssl([
        'x509',
        '-req',
        '-in',
        file(`${name}.csr`),
        '-CA',
        file(`${ca}.pem`),
        '-CAkey',
        file(`${ca}.key`),
        '-CAcreateserial',
        '-days',
        String(days),
        '-out',
        file(`${name}.pem`),
      ]);
    },
  };
  for (const name of names) certificates.issue(name);
  return certificates;
}

/** Elliptic curves: made in no time. */
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function openssl(arguments_: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', arguments_, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
