import { startEmbedded } from '../../src/embedded/start-embedded.ts';

/** A process that runs the servers in the directory it is given, says how that went, and then just lives. */
const [, , directory = ''] = process.argv;
const started = await startEmbedded({ directory });
process.stdout.write(
  `${JSON.stringify(started.ok ? { pids: started.value.pids } : { error: started.error })}\n`,
);
if (started.ok) setInterval(() => undefined, 1000);
