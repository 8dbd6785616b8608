import { runProgram } from '../src/main/run-program.ts';

/**
 * The unit worker as a process of its own: takes units from the queue and brings each to the revision in force. It is
 * configured by the environment (OVN_GITOPS_REPO, _REDIS, _NB, ...; "ovn-gitops worker --help" lists them) or by the
 * same options, and drains on SIGTERM.
 */
await runProgram(['worker', ...process.argv.slice(2)], 'worker');
