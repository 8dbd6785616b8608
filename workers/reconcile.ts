import { runCli } from '../src/cli/run.ts';
import { cliParts } from '../src/main/cli-parts.ts';

/**
 * The unit worker as a process of its own: takes units from the queue and brings each to the revision in force. It is
 * configured by the environment (OVN_GITOPS_REPO, _REDIS, _NB, ...; "ovn-gitops worker --help" lists them) or by the
 * same options, and drains on SIGTERM.
 */
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const args = ['worker', ...process.argv.slice(2)];
process.exitCode = await runCli(args, process.env, 'worker', cliParts(process.env, stop.signal));
