import type { Operation } from '../../src/ovsdb/index.ts';
import { RawClient } from '../raw-client.ts';
import { monitorOfAll, RawRows } from './raw-rows.ts';
import { runJob } from './run-job.ts';
import type { Subject } from './subject.ts';

/** The least that could do each job: no library, and either nothing kept or raw rows. */
await runJob(({ subject, socketPath, task }) =>
  subject === 'raw' ? keepingNothing(socketPath, task.kind === 'open') : keepingRows(socketPath),
);

function keepingNothing(socketPath: string, isCopied: boolean): Subject {
  let client: RawClient;
  return {
    open: async () => {
      client = await RawClient.open(socketPath);
      if (!isCopied) return;
      const monitor = await monitorOfAll(client);
      await client.callUnread('monitor_cond', monitor);
    },
    transact: (operations: readonly Operation[]) => client.transact(operations),
    rowCount: () => undefined,
    onPortSent: () => {
      throw new Error('who keeps nothing follows nothing');
    },
    recover: () => {
      throw new Error('who keeps nothing has nothing to catch up on');
    },
    comparison: () => {
      throw new Error('who keeps nothing has nothing to compare');
    },
    close: async () => {
      client.close();
    },
  };
}

function keepingRows(socketPath: string): Subject {
  const rows = new RawRows();
  let client: RawClient;
  const open = async (): Promise<void> => {
    client = await RawClient.open(socketPath, (method, params) => {
      if (method === 'update3') rows.update(params);
    });
    await rows.follow(client);
  };
  return {
    open,
    transact: (operations: readonly Operation[]) => client.transact(operations),
    rowCount: () => rows.size,
    onPortSent: (listener) => {
      rows.onPortSent = listener;
    },
    recover: open,
    comparison: () => rows.comparison(),
    close: async () => {
      client.close();
    },
  };
}
