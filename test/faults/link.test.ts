import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { convertThereAndBack } from '../support/convert-schema.ts';
import { type FaultRounds, startFaultRounds } from '../support/fault-rounds.ts';
import { type MessageProxy, startMessageProxy } from '../support/message-proxy.ts';
import { type OvsdbServer, startOvsdbServer, until } from '../support/ovsdb-server.ts';
import { EFFORT, SEED } from '../support/seed.ts';

const ROUNDS = 14 * EFFORT;

let server: OvsdbServer;
let proxy: MessageProxy;
let faults: FaultRounds;

beforeAll(async () => {
  server = await startOvsdbServer({ schemaFile: '/usr/share/ovn/ovn-nb.ovsschema' });
  proxy = await startMessageProxy(server.socketPath);
  faults = await startFaultRounds({
    // Named several times, the remote is tried again several times without a wait.
    remotes: Array<string>(30).fill(proxy.endpoint),
    watched: [server.endpoint],
    foreignRemotes: [server.endpoint],
    leader: async () => server.endpoint,
  });
});

afterAll(async () => {
  await faults?.stop();
  await proxy?.stop();
  await server?.stop();
});

test(
  `replies are lost, links are cut, frozen and stormed at under load, and no promise is broken (${ROUNDS} rounds, seed ${SEED})`,
  async () => {
    const kinds = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
    for (let round = 0; round < ROUNDS; round += 1) {
      const kind = kinds[round % kinds.length] as keyof typeof FAULTS;
      faults.note(kind);
      await faults.round(FAULTS[kind]);
      proxy.sent.length = 0;
    }
    expect(faults.load.commits()).toBeGreaterThan(ROUNDS);
    expect(faults.load.foreign.commits()).toBeGreaterThan(0);
  },
  180_000 * EFFORT,
);

const isReplyToTransact = (message: { readonly [name: string]: unknown }): boolean =>
  Array.isArray(message['result']) && message['method'] === undefined && message['result'].length > 2;

const FAULTS = {
  /** The server commits, and nobody is told. */
  lostReplies: async () => {
    let lost = 0;
    proxy.toClient = (message) => {
      if (!isReplyToTransact(message)) return message;
      lost += 1;
      proxy.cut();
      return undefined;
    };
    await until(() => lost > 3);
    proxy.toClient = (message) => message;
  },
  /** Replies are late or never come, updates do. */
  missingReplies: async () => {
    let isLost = false;
    proxy.toClient = (message) => {
      if (!isReplyToTransact(message)) return message;
      isLost = true;
      return undefined;
    };
    await until(() => isLost);
    await sleep(faults.random() * 200);
    proxy.toClient = (message) => message;
    proxy.cut();
  },
  storm: async () => {
    for (let cuts = 0; cuts < 40; cuts += 1) {
      proxy.cut();
      await sleep(faults.random() * 50);
    }
  },
  freeze: async () => {
    proxy.freeze();
    await sleep(faults.random() * 1000);
    if (faults.random() < 0.5) proxy.cut();
    proxy.thaw();
  },
  kill: async () => {
    await server.kill9();
    await sleep(faults.random() * 300);
    await server.start();
  },
  convert: () => convertThereAndBack(server.endpoint, () => faults.load.moved(3)),
  compact: async () => {
    for (let times = 0; times < 5; times += 1) {
      server.appctl('ovsdb-server/compact');
      await faults.load.moved(1);
    }
    await server.restart();
  },
} satisfies Record<string, () => Promise<void>>;
