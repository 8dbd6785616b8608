import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';
import { ownerFault } from '../model/owner.ts';
import type { Northbound } from '../reconcile/northbound.ts';
import type { CommandInput, OptionSpec } from './command.ts';
import { durationOption, readDuration } from './duration-option.ts';
import type { CliParts, TlsFiles } from './parts.ts';

/** The name of the installation, the same in every command. */
export const OWNER_OPTION: OptionSpec = {
  placeholder: 'NAME',
  description: 'name of the installation: only rows with its mark count as ours',
  env: 'OVN_GITOPS_OWNER',
  fallback: 'default',
  fault: ownerFault,
};

/** PEM files for ssl: endpoints. */
export const TLS_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ca: { placeholder: 'FILE', description: 'CA certificate for ssl: endpoints', env: 'OVN_GITOPS_CA' },
  cert: { placeholder: 'FILE', description: 'our certificate for ssl: endpoints', env: 'OVN_GITOPS_CERT' },
  key: { placeholder: 'FILE', description: 'our private key for ssl: endpoints', env: 'OVN_GITOPS_KEY' },
};

/** The Northbound to work with. */
export const NB_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  nb: {
    placeholder: 'ENDPOINT',
    description: 'Northbound, e.g. unix:/run/ovn/ovnnb_db.sock or tcp:192.0.2.1:6641; several with commas',
    env: 'OVN_GITOPS_NB',
  },
  owner: OWNER_OPTION,
  timeout: durationOption('timeout', { description: 'how long to wait for the Northbound', fallback: '15s' }),
  ...TLS_OPTIONS,
};

/** The PEM files of the command line; all three or none. */
export function tlsFromInput(input: CommandInput): Result<TlsFiles | undefined, string> {
  const [ca, cert, key] = [input.text('ca'), input.text('cert'), input.text('key')];
  if (ca === undefined && cert === undefined && key === undefined) return ok(undefined);
  if (ca === undefined || cert === undefined || key === undefined) {
    return fail('ssl: needs all three of --ca, --cert and --key');
  }
  return ok({ ca, cert, key });
}

/** The Northbound of the command line, with everything that opening it takes. */
export type NbAddress = Parameters<CliParts['openNorthbound']>[1] & { readonly endpoint: string };

/** Reads the options of NB_OPTIONS; what is missing or wrong is one sentence. */
export function readNbAddress(input: CommandInput): Result<NbAddress, string> {
  const endpoint = input.text('nb');
  if (endpoint === undefined) return fail('say which Northbound: --nb ENDPOINT');
  const tls = tlsFromInput(input);
  if (!tls.ok) return tls;
  return ok({
    endpoint,
    owner: input.required('owner'),
    tls: tls.value,
    timeoutMs: readDuration(input, 'timeout'),
  });
}

/** Opens the Northbound that the command line names. */
export async function openFromInput(
  input: CommandInput,
  parts: CliParts,
): Promise<Result<Northbound, string>> {
  const address = readNbAddress(input);
  return address.ok ? parts.openNorthbound(address.value.endpoint, address.value) : address;
}
